//! The course's header for clang, function by function, against NVRTC's results on the same inputs. Both compilers are
//! downloaded by `cargo learn nvrtc` and `cargo learn clang`; without them, the tests print a line that begins with `skipped: `.

mod doubles;
mod exact;
mod headers;
mod machine;
mod mathematics;
mod standard;
mod warps;
