//! Mutants of the stage's kernels: each is noticed, or does the same.
