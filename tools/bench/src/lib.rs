//! No code: the benchmarks are in `benches/`. Cargo requires a package to have a library or a program.
