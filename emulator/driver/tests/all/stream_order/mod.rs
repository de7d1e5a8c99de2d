//! The order of the work of streams, and the findings if it is missing. Checks apply to the whole process, so every test has
//! its own.

mod library;
mod relation;
mod streams;
mod unordered;
mod work;
