//! Stands for `wide` on other processors: none of them is able.

use crate::scan::Scan;

#[derive(Clone, Copy)]
pub enum Able {}

pub fn able() -> Option<Able> {
    None
}

pub fn walk<const WORDS: bool>(_: &mut Scan, able: Able) -> bool {
    match able {}
}
