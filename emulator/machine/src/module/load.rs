//! Loading of modules.

use super::inlining;
use super::kernel::{ClusterRules, Kernel, Parameter, Text, Variable};
use super::variables::Variables;
use crate::ground::capability::{MAX_THREADS_PER_BLOCK, MAX_THREADS_PER_MULTIPROCESSOR, WARP_THREADS};
use crate::ground::dimensions::Dim3;
use crate::ground::refusal::LoadError;
use crate::ground::space::Space;
use crate::lower::names::Names;
use crate::lower::survey::Survey;
use crate::lower::{lower, quads, wmma};
use crate::memory::device::Memory;
use crate::occupancy::max_registers;
use crate::ptx::parser::parse;
use crate::ptx::tree::{Function, Tree};
use std::sync::{Arc, OnceLock};

/// The maximum size of a module's constant memory in bytes.
const MAX_CONSTANT_BYTES: u64 = 64 << 10;

/// The smallest number of registers per thread to which ptxas restricts a kernel.
const MIN_REGISTERS: u32 = 16;

/// A PTX module whose variables are in a device's memory. Dropping it frees them.
#[derive(Debug)]
pub struct Module {
    kernels: Vec<Arc<Kernel>>,
    refusals: Vec<(String, LoadError)>,
    text: Arc<Text>,
    variables: Variables,
}

impl Module {
    /// Parses `ptx` and allocates its variables in `memory`.
    ///
    /// A kernel that uses an unsupported feature does not make loading fail: see [`Self::refusals`].
    ///
    /// # Errors
    /// [`LoadError`] if the text is not valid PTX, uses an unsupported feature outside its kernels, or exceeds a limit.
    pub fn load(ptx: &str, memory: &Arc<Memory>) -> Result<Self, LoadError> {
        let mut tree = parse(ptx)?;
        quads::rewrite(&mut tree);
        wmma::rewrite(&mut tree);
        let constant_bytes = constant_bytes(&tree)?;
        let (variables, symbols) = Variables::place(&tree, memory)?;
        let text = Arc::new(Text {
            source: ptx.to_owned(),
            line_starts: std::iter::once(0).chain(ptx.match_indices('\n').map(|(place, _)| place + 1)).collect(),
            variables: variables.list.clone(),
            files: tree.files.clone(),
            version: tree.version,
            target: tree.target,
        });
        let names = Names::new(&tree, symbols.placed, symbols.refused);
        let survey = Survey::new(&tree);
        let mut kernels = Vec::new();
        let mut refusals = Vec::new();
        for function in tree.functions.iter().filter(|function| function.entry && function.body.is_some()) {
            let program = survey.require_supported(function).and_then(|()| lower(&names, function));
            let (program, headers) = match program {
                Ok(mut program) => {
                    program.reserved_registers = bound_of_registers(function);
                    let headers = inlining::rewrite(&mut program.origins, &tree.sites, &tree.files);
                    (program, headers)
                }
                Err(error @ LoadError::Unsupported(_)) => {
                    refusals.push((function.name.clone(), error));
                    continue;
                }
                Err(error) => return Err(error),
            };
            kernels.push(Arc::new(Kernel {
                name: function.name.clone(),
                parameters: layout(function),
                max_threads: function.max_threads.unwrap_or(MAX_THREADS_PER_BLOCK).min(MAX_THREADS_PER_BLOCK),
                max_registers: bound_of_registers(function),
                clusters: ClusterRules {
                    required: function.cluster.map(|[x, y, z]| Dim3 { x, y, z }),
                    explicit: function.explicit_cluster,
                    max_blocks: function.max_cluster,
                },
                declares_threads: function.max_threads.is_some(),
                constant_bytes,
                program,
                headers,
                registers: OnceLock::new(),
                module: Arc::clone(&text),
            }));
        }
        Ok(Self { kernels, refusals, text, variables })
    }

    /// Returns the kernel with this name, if there is one and it is supported.
    #[must_use]
    pub fn kernel(&self, name: &str) -> Option<&Arc<Kernel>> {
        self.kernels.iter().find(|kernel| kernel.name == name)
    }

    /// Returns the reason why the kernel with this name is refused, or `None` if it is supported or does not exist.
    #[must_use]
    pub fn refusal(&self, name: &str) -> Option<&LoadError> {
        self.refusals().find(|(refused, _)| *refused == name).map(|(_, error)| error)
    }

    /// Returns the kernels that are refused, with the reasons, in the order of the text.
    pub fn refusals(&self) -> impl Iterator<Item = (&str, &LoadError)> {
        self.refusals.iter().map(|(name, error)| (name.as_str(), error))
    }

    /// Returns the PTX version times ten (81 for 8.1).
    #[must_use]
    pub fn ptx_version(&self) -> u32 {
        self.text.version
    }

    /// Returns the target architecture of the PTX (75 for sm_75).
    #[must_use]
    pub fn target(&self) -> u32 {
        self.text.target
    }

    /// Returns the supported kernels, in the order of the text.
    #[must_use]
    pub fn kernels(&self) -> &[Arc<Kernel>] {
        &self.kernels
    }

    /// Returns the `.global` or `.const` variable with this name.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<&Variable> {
        self.variables.list.iter().find(|variable| variable.name == name)
    }
}

/// Returns the largest number of registers per thread that the directives of a kernel allow: `.maxnreg`, or those with which
/// `.minnctapersm` blocks of `.maxntid` threads fit in a multiprocessor.
fn bound_of_registers(function: &Function) -> Option<u32> {
    let min_blocks = function.min_blocks.unwrap_or(1).max(1);
    let of_threads = |threads: u32| {
        let warps = threads.min(MAX_THREADS_PER_BLOCK).div_ceil(WARP_THREADS).max(1);
        let max_blocks = MAX_THREADS_PER_MULTIPROCESSOR / WARP_THREADS / warps;
        max_registers(warps * WARP_THREADS * min_blocks.min(max_blocks))
    };
    let bounds = [function.max_threads.map(of_threads), function.max_registers.map(|most| most.max(MIN_REGISTERS))];
    bounds.into_iter().flatten().min()
}

/// Returns the size of the module's constant memory in bytes. Fails at the first variable that exceeds the limit.
fn constant_bytes(tree: &Tree) -> Result<u32, LoadError> {
    let mut bytes = 0;
    for variable in tree.variables.iter().filter(|variable| variable.space == Space::Constant) {
        bytes += variable.bytes;
        if bytes > MAX_CONSTANT_BYTES {
            let message = format!("{bytes} bytes of constant memory: the maximum is {MAX_CONSTANT_BYTES}");
            return Err(LoadError::Syntax { line: variable.line, message });
        }
    }
    Ok(bytes as u32)
}

fn layout(function: &Function) -> Vec<Parameter> {
    let mut end = 0_usize;
    let place = function.parameters.iter().map(|parameter| {
        let offset = end.next_multiple_of(parameter.align as usize);
        end = offset + parameter.bytes as usize;
        Parameter { offset, bytes: parameter.bytes as usize }
    });
    place.collect()
}
