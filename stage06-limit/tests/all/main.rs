//! The tests of the stage, in one program, which is linked once. Those of the mutants are beside it.

mod checks;
mod kernels;
mod program;
