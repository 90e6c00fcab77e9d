//! Work shared by threads, with results that do not depend on how many there are.

use std::env;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Cells below which a second thread costs more than it saves.
const WORTH: usize = 1 << 20;

/// How many threads work on so many cells: what the environment says, or as many as there are processors.
pub fn threads(cells: usize) -> usize {
    if cells < WORTH {
        return 1;
    }
    let said = |name| {
        env::var(name)
            .ok()?
            .trim()
            .parse()
            .ok()
            .filter(|&threads| threads > 0)
    };
    said("PLAINBAYES_THREADS")
        .or_else(|| said("OMP_NUM_THREADS"))
        .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
}

/// Does all tasks, each thread with a scratch of its own; results stand in the order of the tasks, which are taken
/// one by one.
pub fn share<T: Send, S, R: Send>(
    threads: usize,
    tasks: impl IntoIterator<Item = T, IntoIter: Send>,
    scratch: impl Fn() -> S + Sync,
    job: impl Fn(&mut S, T) -> R + Sync,
) -> Vec<R> {
    let tasks = tasks.into_iter();
    let (_, most) = tasks.size_hint();
    let threads = most.map_or(threads, |most| threads.min(most));
    let queue = Mutex::new(tasks.enumerate());
    let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut scratch = scratch();
        let mut done = Vec::new();
        while let Some((place, task)) = next() {
            done.push((place, job(&mut scratch, task)));
        }
        done
    };
    let mut done = thread::scope(|scope| {
        let others: Vec<_> = (1..threads).map(|_| scope.spawn(work)).collect();
        let mut done = work();
        for other in others {
            match other.join() {
                Ok(more) => done.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        done
    });
    done.sort_unstable_by_key(|&(place, _)| place);
    done.into_iter().map(|(_, result)| result).collect()
}

/// Rows cut into pieces that depend on the work alone: at most 32, each worth a thread and its own table.
pub fn pieces(rows: usize, cells: usize, table: usize) -> Vec<Range<usize>> {
    let count = (cells / WORTH.max(8 * table)).clamp(1, 32);
    let step = rows.div_ceil(count).max(1);
    (0..rows.max(1))
        .step_by(step)
        .map(|first| first..(first + step).min(rows))
        .collect()
}
