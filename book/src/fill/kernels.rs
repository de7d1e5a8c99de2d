//! The course's kernels by name, from the stages' own tables.

use anyhow::{Result, anyhow, bail};
use common::kernel::KernelSource;
use common::stage::{Entry, Rung, Stage};
use std::path::Path;

/// Every stage, in the order of the course.
pub static STAGES: [&Stage; 6] = [
    &stage01_naive::STAGE,
    &stage02_shared::STAGE,
    &stage03_unroll::STAGE,
    &stage04_shuffle::STAGE,
    &stage05_coulomb::STAGE,
    &stage06_limit::STAGE,
];

/// The stage whose crate has this name.
///
/// # Errors
/// When there is none; lists those that there are.
pub fn stage(name: &str) -> Result<&'static Stage> {
    STAGES.into_iter().find(|stage| stage.name == name).ok_or_else(|| {
        let names: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
        anyhow!("no stage {name}; there are {}", names.join(", "))
    })
}

/// The rows of a stage that these kernels are; all of them where none is named.
///
/// # Errors
/// When the stage has no such kernel; lists those that it has.
pub fn chosen(stage: &Stage, names: &[&str]) -> Result<Vec<&'static Rung>> {
    if names.is_empty() {
        return Ok(stage.rungs.to_vec());
    }
    let rung = |name: &&str| {
        stage.rungs.iter().copied().find(|rung| rung.kernel == *name).ok_or_else(|| {
            let known: Vec<&str> = stage.rungs.iter().map(|rung| rung.kernel).collect();
            anyhow!("{} has no kernel {name}; it has {}", stage.name, known.join(", "))
        })
    };
    names.iter().map(rung).collect()
}

/// A kernel, or the second kernel of a rung, `periodicIntegrate`.
pub struct Kernel {
    /// The name by which the course calls it.
    pub name: &'static str,
    pub source: KernelSource,
    pub entry: Entry,
    /// The rung that launches it.
    pub rung: &'static Rung,
}

impl Kernel {
    /// The kernel of this name.
    ///
    /// # Errors
    /// When there is none; lists those that there are.
    pub fn named(name: &str) -> Result<Self> {
        match all().find(|kernel| kernel.name == name) {
            Some(kernel) => Ok(kernel),
            None => {
                let mut names: Vec<&str> = all().map(|kernel| kernel.name).collect();
                names.sort_unstable();
                names.dedup();
                bail!("no kernel {name}; there are {}", names.join(", "))
            }
        }
    }

    /// The file from the root of the repository, `stage01-naive/kernels/01_compute_forces.cu`.
    pub fn file(&self) -> String {
        file(&self.source)
    }

    /// The same kernel in Rust.
    ///
    /// # Errors
    /// When it is not written in it.
    pub fn in_rust(&self) -> Result<Self> {
        let Some(source) = self.source.rust else { bail!("{} is not written in Rust", self.name) };
        Ok(Self { name: self.name, source: *source, entry: self.entry, rung: self.rung })
    }

    /// Whether it is written in Rust.
    pub fn is_in_rust(&self) -> bool {
        self.source.name().ends_with(".rs")
    }

    /// The kernel that this one improves on.
    ///
    /// # Errors
    /// When its rung has none.
    pub fn below(&self) -> Result<Self> {
        let Some(rung) = self.rung.below else { bail!("{} has no rung below; say which: … from OTHER", self.name) };
        Ok(Self::of(rung))
    }

    fn of(rung: &'static Rung) -> Self {
        Self { name: rung.kernel, source: rung.source, entry: rung.entry, rung }
    }
}

/// A kernel's file from the root of the repository.
pub fn file(source: &KernelSource) -> String {
    let folder = Path::new(source.crate_folder).file_name().unwrap_or_default();
    format!("{}/{}", folder.to_string_lossy(), source.name())
}

/// Every kernel of every stage, in the order of the stages' tables; a rung that a later stage repeats comes again.
pub fn all() -> impl Iterator<Item = Kernel> {
    let rows = STAGES.into_iter().flat_map(|stage| stage.rungs.iter().copied());
    rows.flat_map(|rung| {
        let companion = rung.companion.map(|(source, name)| Kernel { name, source, entry: Entry::Single(name), rung });
        [Some(Kernel::of(rung)), companion].into_iter().flatten()
    })
}
