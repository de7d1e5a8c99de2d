//! No code: see `Cargo.toml`.
//!
//! Cargo builds a dependency with the union of the features that the packages of one command enable. Commands with other
//! packages therefore build it again, and everything above it. This package is below all others and enables the union of
//! all commands, so that `cargo run -p stage01-naive`, `cargo test --workspace`, `cargo x` and `cargo run -p book` share
//! one emulator. `.ci/two-commands` fails if one of them compiles it again.
