//! Kernels that are ready to launch, and the places of their steps in the PTX and the source.

use crate::ground::capability::MAX_REGISTERS_PER_THREAD;
use crate::ground::cluster::{Clusters, MAX_BLOCKS};
use crate::ground::dimensions::{Dim3, Launch};
use crate::ground::fault::Place;
use crate::ground::lanes::WARP_SIZE;
use crate::lower::listing::Listing;
use crate::lower::registers::{Pressure, estimate};
use crate::lower::step::{Origin, Program, SharedVariable};
use crate::occupancy::Resources;
use crate::ptx::tree::SourceLine;
use std::collections::HashMap;
use std::sync::{Arc, OnceLock};

/// The registers that each kernel has besides its values: the stack pointer, and two that the hardware keeps.
const RESERVED_REGISTERS: u32 = 3;

/// For this many live registers, one more is needed: aligned pairs and quads leave gaps. About the mean of ptxas's machine
/// code for stages 1 to 6.
const GAPS: u32 = 16;

/// The registers of a kernel that calls a function, at least: the calling convention reserves them. ptxas raises a smaller
/// `.maxnreg` to this bound, too.
const CALLING_REGISTERS: u32 = 24;

/// The block size for which ptxas is assumed to optimize a kernel that declares none.
const USUAL_THREADS: u32 = 256;

/// A kernel parameter: its place in the parameter block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// The offset in bytes.
    pub offset: usize,
    /// The size in bytes.
    pub bytes: usize,
}

/// A `.global` or `.const` variable of a module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// The name in the PTX.
    pub name: String,
    /// The device address.
    pub address: u64,
    /// The size in bytes.
    pub bytes: u64,
    /// Whether it is in constant memory.
    pub constant: bool,
    /// Whether the PTX has an initial value of it.
    pub initialized: bool,
}

/// A kernel that is ready to launch.
#[derive(Debug)]
pub struct Kernel {
    pub(super) name: String,
    pub(super) parameters: Vec<Parameter>,
    pub(super) max_threads: u32,
    pub(super) clusters: ClusterRules,
    /// The largest number of registers per thread, for a kernel that declares one or its largest block.
    pub(super) max_registers: Option<u32>,
    /// Whether the kernel declares its largest block.
    pub(super) declares_threads: bool,
    pub(super) constant_bytes: u32,
    pub(super) program: Program,
    /// The lines of headers that are inlined into the kernel's own files, by the line in the PTX.
    pub(super) headers: HashMap<u32, SourceLine>,
    /// The estimate, once it was asked for.
    pub(super) registers: OnceLock<u32>,
    pub(super) module: Arc<Text>,
}

/// A kernel's declarations about clusters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClusterRules {
    /// `.reqnctapercluster`.
    pub(super) required: Option<Dim3>,
    /// `.explicitcluster`: a launch without clusters is invalid.
    pub(super) explicit: bool,
    /// `.maxclusterrank`.
    pub(super) max_blocks: Option<u32>,
}

/// The data that all kernels of a module share.
#[derive(Debug)]
pub(super) struct Text {
    pub(super) source: String,
    /// The offset of each line in the source.
    pub(super) line_starts: Vec<usize>,
    pub(super) variables: Vec<Variable>,
    pub(super) files: HashMap<u32, String>,
    pub(super) version: u32,
    pub(super) target: u32,
}

impl Kernel {
    /// Returns the name of the entry function.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the parameters in order.
    #[must_use]
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Returns the size of the parameter block in bytes.
    #[must_use]
    pub fn parameter_bytes(&self) -> usize {
        self.parameters.last().map_or(0, |last| last.offset + last.bytes)
    }

    /// Returns the static shared memory of a block in bytes.
    #[must_use]
    pub fn static_shared_bytes(&self) -> u32 {
        self.program.static_shared_bytes
    }

    /// Returns the variables in static shared memory, in the order of their offsets.
    #[must_use]
    pub fn shared_variables(&self) -> &[SharedVariable] {
        &self.program.shared_variables
    }

    /// Returns the local memory of a thread in bytes, without the stack for functions that are not inlined.
    #[must_use]
    pub fn local_bytes(&self) -> u32 {
        self.program.local_bytes - self.program.stack_bytes
    }

    /// Returns the constant memory of the module in bytes.
    #[must_use]
    pub fn constant_bytes(&self) -> u32 {
        self.constant_bytes
    }

    /// Returns the maximum number of threads in a block: the product of `.maxntid`, at most 1024.
    #[must_use]
    pub fn max_threads_per_block(&self) -> u32 {
        self.max_threads
    }

    /// Returns the number of blocks of a cluster along each axis that the kernel requires (`.reqnctapercluster`).
    #[must_use]
    pub fn required_cluster(&self) -> Option<Dim3> {
        self.clusters.required
    }

    /// Checks the clusters of a launch, as [`crate::launch`] does first.
    ///
    /// # Errors
    /// The violated rule.
    pub fn check_clusters(&self, launch: &Launch<'_>) -> Result<(), String> {
        self.clusters(launch).map(drop)
    }

    /// Returns the clusters of a launch, or the violated rule.
    pub(crate) fn clusters(&self, launch: &Launch<'_>) -> Result<Clusters, String> {
        let ClusterRules { required, explicit, max_blocks } = self.clusters;
        let grid = launch.grid;
        let asked = launch.cluster;
        if let (Some(required), Some(asked)) = (required, asked)
            && required != asked
        {
            return Err(format!("clusters of {asked} blocks; this kernel requires {required}"));
        }
        let Some(size) = required.or(asked) else {
            if explicit {
                return Err("no clusters; this kernel requires a launch with clusters (.explicitcluster)".to_owned());
            }
            return Ok(Clusters { grid, size: Dim3 { x: 1, y: 1, z: 1 } });
        };
        let most = max_blocks.map_or(MAX_BLOCKS, u64::from).min(MAX_BLOCKS);
        if size.volume() == 0 || size.volume() > most {
            return Err(format!("clusters of {size} blocks; a cluster has 1 to {most}"));
        }
        if (0..3).any(|axis| !grid.axis(axis).is_multiple_of(size.axis(axis))) {
            return Err(format!("a grid of {grid} blocks, which clusters of {size} do not divide"));
        }
        Ok(Clusters { grid, size })
    }

    /// Returns an estimate of the 32-bit registers per thread that ptxas allocates.
    ///
    /// ptxas moves loads ahead of other instructions as long as registers are left, up to the number at which fewer blocks
    /// would be resident. A kernel with calls, such as of `printf`, has at least those of the calling convention.
    ///
    /// `cargo x registers` compares it with ptxas. For the 542 kernels of stages, exercises and tests, the error has the median
    /// 10 % and the 90th percentile 42 %, and as many blocks of 256 threads are resident as with ptxas's registers for 92 % of the
    /// kernels. In 334 modules of public CUDA code with 1,361 kernels these are 14 %, 43 % and 80 %, or 89 % if each module counts
    /// once: templates of two modules are 166 of the 269 kernels with other resident blocks. Of 38 modules with an estimate below
    /// 0.8 of ptxas's number, 25 have more than 1.5 times as many machine instructions as PTX instructions, and of 40 modules without
    /// a large error, 11. Those that were read have unrolled loops or divisions.
    #[must_use]
    pub fn registers(&self) -> u32 {
        *self.registers.get_or_init(|| self.estimate_registers())
    }

    fn estimate_registers(&self) -> u32 {
        let most = self.max_registers.unwrap_or(MAX_REGISTERS_PER_THREAD);
        let Some(Pressure { scarce, free }) = estimate(self.listing()) else {
            return (self.program.slots.narrow + 2 * self.program.slots.wide).min(most);
        };
        let allocated = |live: u32| live + live / GAPS + RESERVED_REGISTERS;
        let needed = Resources {
            registers: allocated(scarce),
            static_shared_bytes: self.static_shared_bytes(),
            max_threads: self.max_threads,
            max_dynamic_shared_bytes: 0,
        };
        let threads = if self.declares_threads { self.max_threads } else { USUAL_THREADS };
        let values = allocated(free).min(needed.registers_at_the_same_occupancy(threads.max(1))).min(most);
        let mut instructions = self.listing().blocks.iter().flatten();
        let calls = instructions.any(|instruction| instruction.opcode.starts_with("call"));
        if calls { values.max(CALLING_REGISTERS) } else { values }
    }

    /// Returns the PTX version times ten (81 for 8.1).
    #[must_use]
    pub fn ptx_version(&self) -> u32 {
        self.module.version
    }

    /// Returns the target architecture of the PTX (75 for sm_75).
    #[must_use]
    pub fn target(&self) -> u32 {
        self.module.target
    }

    /// Returns the instructions by basic block.
    #[must_use]
    pub fn listing(&self) -> &Listing {
        &self.program.listing
    }

    pub(crate) fn program(&self) -> &Program {
        &self.program
    }

    /// Returns the number of the source file and the line of a step. Without line information, the file is `None`, and the line
    /// is that in the PTX.
    pub(crate) fn source_line(&self, position: u32) -> (Option<u32>, u32) {
        let origin = self.origin(position);
        if self.module.files.contains_key(&origin.source.file) {
            (Some(origin.source.file), origin.source.line)
        } else {
            (None, origin.line)
        }
    }

    /// Returns the origin of a step.
    pub(crate) fn origin(&self, position: u32) -> Origin {
        let step = self.program.steps.get(position as usize);
        step.map(|step| self.program.origins[step.origin as usize]).unwrap_or_default()
    }

    /// Returns the place of a thread that executes a step.
    pub(crate) fn place(&self, launch: &Launch<'_>, block: Dim3, thread: u32, position: u32) -> Place {
        let line = self.origin(position).line;
        Place {
            block,
            thread: launch.block.at(u64::from(thread)),
            warp: thread / WARP_SIZE as u32,
            lane: thread % WARP_SIZE as u32,
            line,
            location: self.location(position),
            inlined: self.headers.get(&line).and_then(|&source| self.named(source)),
            instruction: self.ptx_line(line).trim().to_owned(),
        }
    }

    /// Returns the source file and line of a step, if the PTX has line information.
    pub(crate) fn location(&self, position: u32) -> Option<(String, u32)> {
        self.named(self.origin(position).source)
    }

    /// Returns a line with the name of its file.
    pub(crate) fn named(&self, source: SourceLine) -> Option<(String, u32)> {
        self.module.files.get(&source.file).map(|file| (file.clone(), source.line))
    }

    /// Returns a line of the PTX, counted from 1.
    pub(crate) fn ptx_line(&self, number: u32) -> &str {
        let index = number.saturating_sub(1) as usize;
        self.module
            .line_starts
            .get(index)
            .and_then(|&start| self.module.source[start..].lines().next())
            .unwrap_or_default()
    }

    /// Returns the PTX of the kernel's module.
    #[must_use]
    pub fn ptx(&self) -> &str {
        &self.module.source
    }

    /// Returns the `.global` and `.const` variables of the kernel's module.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.module.variables
    }
}
