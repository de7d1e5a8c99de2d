//! All tests of the estimates, in one program, which is linked once.

mod microbenchmarks;
mod refusals;
mod runs;
mod support;
