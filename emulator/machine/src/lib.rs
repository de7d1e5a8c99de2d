//! A PTX machine: runs CUDA kernels on the CPU and counts what the hardware would do to memory.
//!
//! [`Module::load`] parses PTX and allocates its variables in a device's [`Memory`]. [`launch`] runs one of the kernels and
//! returns [`Counters`]. A kernel that does something wrong ends with a [`Fault`] that contains thread, line and instruction.
//! A kernel with unsupported instructions is refused with their lines; the other kernels of its module run
//! ([`Module::refusals`]).
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
//!     cooperative: false,
//!     cluster: None,
//! };
//! let options = Options { counters: true, ..Options::default() };
//! let counters = launch(&module.kernels()[0], &memory, &shape, &options)?;
//! assert_eq!(counters.global_store_sectors, 4);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod ground;
mod isa;
mod launch;
mod lower;
mod machine;
mod memory;
mod module;
mod observers;
mod occupancy;
mod ptx;
mod scene;
mod vector;
mod warp;

pub use ground::capability;
pub use ground::dimensions::{Dim3, Launch};
pub use ground::fault::{Fault, FaultKind, Place};
pub use ground::lanes::WARP_SIZE;
pub use ground::refusal::{LaunchError, LoadError, MemoryError};
pub use isa::channel::Channel;
pub use isa::class::InstructionClasses;
pub use isa::table::{Instruction, instruction, instructions};
pub use isa::tensor_map::{Swizzle, TensorMap};
pub use isa::texel::{AddressMode, Arrangement, TextureDescriptor};
pub use launch::checked::{Accesses, Counted, Verdict, check, check_accesses, check_counted};
pub use launch::counted::launch;
pub use launch::sampled::{Sample, launch_sampled};
pub use launch::shape::{MAX_SHARED_BYTES, validate};
pub use launch::streamed::{StreamError, stream};
pub use launch::traced::trace;
pub use launch::workers::Options;
pub use lower::listing::{ListedInstruction, Listing, RegisterFile};
pub use lower::step::SharedVariable;
pub use memory::device::Memory;
pub use memory::heap::HEAP_BYTES;
pub use memory::numbers::{NumberFormat, Numbers, random_choices, split_mix};
pub use memory::printed::{PRINTED_BYTES, Printed};
pub use module::kernel::{Kernel, Parameter, Variable};
pub use module::load::Module;
pub use observers::checks::accessed::Accessed;
pub use observers::checks::finding::{Diagnosis, Distance, Finding, FindingKind, Hazard, MemorySpace, Side, Tool};
pub use observers::counters::Counters;
pub use observers::lines::{InstructionCounters, Shape, Used};
pub use observers::stream::{BlockStream, PhaseStep, StreamedAccess, StreamedEvent, StreamedPhase};
pub use observers::trace::{AccessedSpace, Direction, Trace, TracedAccess, TracedStep, Values, Written};
pub use occupancy::{Limit, Resources};
pub use scene::{Contents, Replay, Scene, SceneError, VariableContents};
pub use warp::{ShuffleMode, WarpAccess, shuffle_sources};
