//! All tests of the estimates, in one program, which is linked once.

mod machine_code;
mod microbenchmarks;
mod refusals;
mod runs;
mod support;
mod work;
