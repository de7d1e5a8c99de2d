//! The course's kernels by name, from the stages' tables.

use anyhow::{Result, anyhow, bail};
use common::kernel::KernelSource;
use common::stage::{Entry, Rung, Stage};
use std::path::Path;

pub use records::STAGES;

/// Returns the stage whose crate has this name.
///
/// # Errors
/// Returns an error that lists the stages if there is no such stage.
pub fn stage(name: &str) -> Result<&'static Stage> {
    STAGES.into_iter().find(|stage| stage.name == name).ok_or_else(|| {
        let names: Vec<&str> = STAGES.iter().map(|stage| stage.name).collect();
        anyhow!("there is no stage {name}; the stages are {}", names.join(", "))
    })
}

/// Returns the rows of a stage for these kernels, or all rows if no kernel is named.
///
/// # Errors
/// Returns an error that lists the stage's kernels if there is no such kernel.
pub fn chosen(stage: &Stage, names: &[&str]) -> Result<Vec<&'static Rung>> {
    if names.is_empty() {
        return Ok(stage.rungs.to_vec());
    }
    let rung = |name: &&str| {
        stage.rungs.iter().copied().find(|rung| rung.kernel == *name).ok_or_else(|| {
            let known: Vec<&str> = stage.rungs.iter().map(|rung| rung.kernel).collect();
            anyhow!("{} has no kernel {name}; its kernels are {}", stage.name, known.join(", "))
        })
    };
    names.iter().map(rung).collect()
}

/// Returns the rows of a stage for problems by their letters, or all rows if no problem is named.
///
/// # Errors
/// Returns an error that lists the stage's problems if there is no such problem.
pub fn of_problems(stage: &Stage, letters: &[&str]) -> Result<Vec<&'static Rung>> {
    let letter = |rung: &&'static Rung| rung.work.facts().letter;
    let mut known: Vec<&str> = stage.rungs.iter().map(letter).collect();
    known.dedup();
    if let Some(unknown) = letters.iter().find(|name| !known.contains(name)) {
        bail!("{} has no problem {unknown}; its problems are {}", stage.name, known.join(", "));
    }
    let rungs = stage.rungs.iter().copied();
    Ok(rungs.filter(|rung| letters.is_empty() || letters.contains(&letter(rung))).collect())
}

/// A kernel, which may be the second kernel of a rung, such as `periodicIntegrate`.
pub struct Kernel {
    /// The name in the course.
    pub name: &'static str,
    pub source: KernelSource,
    pub entry: Entry,
    /// The rung that launches the kernel.
    pub rung: &'static Rung,
}

impl Kernel {
    /// Returns the kernel with this name.
    ///
    /// # Errors
    /// Returns an error that lists the kernels if there is no such kernel.
    pub fn find(name: &str) -> Result<Self> {
        match all().find(|kernel| kernel.name == name) {
            Some(kernel) => Ok(kernel),
            None => {
                let mut names: Vec<&str> = all().map(|kernel| kernel.name).collect();
                names.sort_unstable();
                names.dedup();
                bail!("there is no kernel {name}; the kernels are {}", names.join(", "))
            }
        }
    }

    /// Returns the file from the root of the repository: `stage01-naive/kernels/01_compute_forces.cu`.
    pub fn file(&self) -> String {
        file(&self.source)
    }

    /// Returns the Rust version of the kernel.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn in_rust(&self) -> Result<Self> {
        let Some(source) = self.source.rust else { bail!("{} is not written in Rust", self.name) };
        Ok(Self { name: self.name, source: *source, entry: self.entry, rung: self.rung })
    }

    /// Returns whether this is the Rust version.
    pub fn is_in_rust(&self) -> bool {
        self.source.name().ends_with(".rs")
    }

    /// Returns the kernel that this one improves.
    ///
    /// # Errors
    /// Returns an error if its rung has no rung below.
    pub fn below(&self) -> Result<Self> {
        let Some(rung) = self.rung.below else {
            bail!("{} has no rung below; name the other kernel: … from OTHER", self.name)
        };
        Ok(Self::new(rung))
    }

    /// Returns the first stage with the kernel's rung.
    pub fn stage(&self) -> &'static Stage {
        let has_it = |stage: &&&'static Stage| stage.rungs.iter().any(|rung| rung.kernel == self.rung.kernel);
        STAGES.iter().find(has_it).expect("a kernel is made from a rung of a stage")
    }

    fn new(rung: &'static Rung) -> Self {
        Self { name: rung.kernel, source: rung.source, entry: rung.entry, rung }
    }
}

/// Returns a kernel's file from the root of the repository.
pub fn file(source: &KernelSource) -> String {
    let folder = Path::new(source.crate_folder).file_name().unwrap_or_default();
    format!("{}/{}", folder.to_string_lossy(), source.name())
}

/// Returns every kernel of every stage, in the order of the stages' tables. A rung that a later stage repeats occurs again.
pub fn all() -> impl Iterator<Item = Kernel> {
    let rows = STAGES.into_iter().flat_map(|stage| stage.rungs.iter().copied());
    rows.flat_map(|rung| {
        let companion = rung.companion.map(|(source, name)| Kernel { name, source, entry: Entry::Single(name), rung });
        [Some(Kernel::new(rung)), companion].into_iter().flatten()
    })
}
