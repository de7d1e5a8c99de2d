//! A kernel in CUDA C++ and its twin in Rust.

use super::launch::Plan;
use crate::device::Backend;
use crate::error::{Error, usage};
use crate::kernel::KernelSource;
use crate::options::{Languages, Options};
use crate::stage::Shape;

/// n up to which a kernel and its twin are compared on the emulator: enough that instructions outside of the loops weigh
/// little, and a small part of what the kernel takes at its published size.
pub const COMPARED_N: usize = 4096;

impl<'a> Plan<'a> {
    /// The same launch of the kernel's twin in Rust; `None` where it has none.
    #[must_use]
    pub fn in_rust(&self) -> Option<Self> {
        let is_written = |source: &KernelSource| source.rust.is_some();
        let companion = self.rung.companion.as_ref().map(|(source, _)| source);
        let all = is_written(&self.rung.source) && companion.is_none_or(is_written);
        all.then(|| Self { in_rust: true, ..self.clone() })
    }

    /// The kernel's name, with its language where that is not CUDA C++.
    #[must_use]
    pub fn name(&self) -> String {
        if self.in_rust { format!("{} in Rust", self.rung.kernel) } else { self.rung.kernel.into() }
    }

    /// The line for a twin that is not compared, and that nobody asked for by `--language`.
    #[must_use]
    pub fn left_out(&self, reason: &str) -> String {
        format!("Note: {} is left out: {reason}", self.name())
    }

    /// The kernel's file.
    #[must_use]
    pub fn source(&self) -> &'a KernelSource {
        self.rung.source.written(self.in_rust)
    }

    /// The file and entry point of the kernel's companion.
    #[must_use]
    pub fn companion(&self) -> Option<(&'a KernelSource, &'static str)> {
        self.rung.companion.as_ref().map(|(source, entry)| (source.written(self.in_rust), *entry))
    }

    /// What runs beside a kernel, so that the table can compare it with its twin in Rust: on a GPU the twin, in the same
    /// launch; on the emulator both, one step at a small size, where counts take a fraction of the kernel's own, and the
    /// twin alone where the kernel runs at such a size. Nothing where there is no twin.
    ///
    /// # Errors
    /// [`Error::Usage`], where the kernel does not take that size.
    pub fn beside(&self, options: &Options, backend: Backend) -> Result<Vec<Self>, Error> {
        let small = match backend {
            Backend::Cuda => self.clone(),
            Backend::Emulator => self.at_compared_size(options)?,
        };
        let Some(twin) = small.in_rust() else { return Ok(Vec::new()) };
        let has_other_size = small.size != self.size;
        Ok(has_other_size.then_some(small).into_iter().chain([twin]).collect())
    }

    fn at_compared_size(&self, options: &Options) -> Result<Self, Error> {
        let mut size = self.size.clone();
        size.n = size.n.min(COMPARED_N);
        size.steps = size.steps.map(|_| 1);
        size.parameters = self.facts().complete(&self.facts().heeded(&options.parameters), true);
        Plan::new(self.rung, size, Shape { grid: Some(self.grid), block: self.block })
    }
}

/// The plans in the languages that are asked for, in CUDA C++ where none is: with both, each in Rust comes after its twin.
pub(super) fn chosen<'a>(plans: Vec<Plan<'a>>, languages: Option<Languages>) -> Result<Vec<Plan<'a>>, Error> {
    let (has_cuda, has_rust) = match languages {
        None | Some(Languages::Cuda) => (true, false),
        Some(Languages::Rust) => (false, true),
        Some(Languages::Both) => (true, true),
    };
    let of = |plan: Plan<'a>| {
        let in_rust = plan.in_rust().filter(|_| has_rust);
        [Some(plan).filter(|_| has_cuda), in_rust]
    };
    let chosen: Vec<_> = plans.into_iter().flat_map(of).flatten().collect();
    if chosen.is_empty() {
        return usage("--language rust: no chosen kernel is written in Rust".into());
    }
    Ok(chosen)
}
