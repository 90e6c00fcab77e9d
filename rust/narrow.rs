//! Stands for `wide` on other processors: none of them is able.

use crate::machine::Task;
use crate::scan::Scan;

#[derive(Clone, Copy)]
pub enum Able {}

pub fn able() -> Option<Able> {
    None
}

impl Able {
    pub fn run<T: Task>(self, _: T) {
        match self {}
    }

    pub fn walk<const WORDS: bool>(self, _: &mut Scan) -> bool {
        match self {}
    }

    pub fn walk_runs(self, _: &mut Scan) -> bool {
        match self {}
    }
}
