//! The counting core: Rust adds up and scores, Python knows the mathematics.
//!
//! Matrices: `labels` and `sparse` say what rows are, `support` what a cell may hold; `count`, `category`, `moment`
//! and `score` are the loops, `threads` shares them out.
//!
//! Texts: `decode` makes UTF-8 of any file; `read`, `json` and `columns` make `batch`es of rows of lines, folders,
//! lists and frames. `analyse` makes `tokens` of a text: `scan` walks, `block` reads 64 bytes at a time, `unicode`
//! knows characters. `table` counts them, a `bag` of `word`s, `short` and `long`, for each class, and `judge` judges by them; texts `kept`
//! for a second look become `rows` that are scored as if they had not been learned. `file` opens
//! models, whose `header` it mistrusts.
//!
//! `buffer` borrows Python's arrays and `arrow` other libraries' columns (the only files with `unsafe`); `py` and
//! `py_*` know Python's calling conventions.
//!
//! Loops marked `multiversion` are compiled for several instruction sets and chosen when they run. The results
//! are the same to the bit: sums keep their order, and a product is rounded before it is added.

mod analyse;
mod arrow;
mod bag;
mod batch;
mod block;
mod buffer;
mod category;
mod columns;
mod count;
mod decode;
mod file;
mod form;
mod header;
mod index;
mod json;
mod judge;
mod kept;
mod labels;
mod long;
mod machine;
mod moment;
mod py;
mod py_analyse;
mod py_file;
mod py_json;
mod py_rows;
mod py_source;
mod py_table;
mod read;
mod rows;
mod scan;
mod score;
mod short;
mod sorted;
mod sparse;
mod sum;
mod support;
mod table;
mod threads;
mod tokens;
mod unicode;
mod vocabulary;
#[cfg_attr(not(target_arch = "x86_64"), path = "narrow.rs")]
mod wide;
#[cfg(target_arch = "x86_64")]
mod wide_scan;
mod word;
