//! A PTX machine: runs CUDA kernels on the CPU and counts what the hardware would do to memory.
//!
//! [`Module::load`] parses PTX into a device's [`Memory`]; [`launch`] runs one of its kernels and returns
//! [`Counters`]. A kernel that does something wrong ends in a [`Fault`] that names thread, line and
//! instruction; what the machine does not execute is refused when the module is loaded.
//!
//! ```
//! use emulator::{Dim3, Launch, Memory, Module, Options, launch};
//! use std::sync::Arc;
//!
//! let ptx = "
//! .version 8.1
//! .target sm_75
//! .address_size 64
//! .visible .entry fill(.param .u64 out) {
//!     .reg .b32 %r<2>;
//!     .reg .b64 %rd<3>;
//!     ld.param.u64 %rd0, [out];
//!     mov.u32 %r0, %tid.x;
//!     mul.wide.u32 %rd1, %r0, 4;
//!     add.s64 %rd2, %rd0, %rd1;
//!     st.global.u32 [%rd2], %r0;
//!     ret;
//! }";
//! let memory = Arc::new(Memory::new(1 << 20));
//! let module = Module::load(ptx, &memory)?;
//! let out = memory.allocate(32 * 4)?;
//! let one = Dim3 { x: 1, y: 1, z: 1 };
//! let shape = Launch {
//!     grid: one,
//!     block: Dim3 { x: 32, ..one },
//!     dynamic_shared_bytes: 0,
//!     parameters: &out.to_le_bytes(),
//! };
//! let options = Options { counters: true, ..Options::default() };
//! let counters = launch(&module.kernels()[0], &memory, &shape, &options)?;
//! assert_eq!(counters.global_store_sectors, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod checks;
mod counters;
mod fault;
mod isa;
mod launch;
pub mod limits;
mod lower;
mod machine;
mod memory;
mod module;
mod occupancy;
mod ptx;
mod scene;
mod trace;
mod warp;
mod window;
mod written;

pub use checks::{Diagnosis, Distance, Finding, FindingKind, Hazard, MemorySpace, Side, Tool};
pub use counters::Counters;
pub use fault::{Fault, FaultKind, Place};
pub use isa::class::InstructionClasses;
pub use isa::{Instruction, instruction, instructions};
pub use launch::{Dim3, Launch, LaunchError, MAX_SHARED_BYTES, Options, Verdict, check, launch};
pub use memory::{Memory, MemoryError};
pub use module::{Kernel, LoadError, Module, Parameter, Variable};
pub use occupancy::{Limit, Resources};
pub use scene::{Contents, Replay, Scene, SceneError, VariableContents};
pub use trace::{AccessedSpace, Direction, Trace, TracedAccess, TracedStep, Values, Written, trace};
pub use warp::{ShuffleMode, WarpAccess, shuffle_sources};
