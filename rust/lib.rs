//! The counting core: Rust adds up and scores, Python knows the mathematics.
//!
//! `matrix` holds the loops over plain slices, `buffer` borrows Python's arrays (the one file with
//! `unsafe`), `py` is the only file that knows Python's calling conventions.

mod buffer;
mod matrix;
mod py;
