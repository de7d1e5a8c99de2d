//! The course's kernels by name, from the stages' own tables.

use anyhow::{Result, anyhow, bail};
use common::kernel::KernelSource;
use common::stage::{Entry, Row, Stage};
use std::path::Path;

/// Every stage, in the order of the course.
pub static STAGES: [&Stage; 5] = [
    &stage01_naive::STAGE,
    &stage02_shared::STAGE,
    &stage03_unroll::STAGE,
    &stage04_shuffle::STAGE,
    &stage05_coulomb::STAGE,
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
pub fn chosen(stage: &Stage, names: &[&str]) -> Result<Vec<&'static Row>> {
    if names.is_empty() {
        return Ok(stage.rows.to_vec());
    }
    let row = |name: &&str| {
        stage.rows.iter().copied().find(|row| row.kernel == *name).ok_or_else(|| {
            let known: Vec<&str> = stage.rows.iter().map(|row| row.kernel).collect();
            anyhow!("{} has no kernel {name}; it has {}", stage.name, known.join(", "))
        })
    };
    names.iter().map(row).collect()
}

/// A kernel, or the second kernel of a row, `periodicIntegrate`.
pub struct Kernel {
    /// The name by which the course calls it.
    pub name: &'static str,
    pub source: KernelSource,
    pub entry: Entry,
    /// The row that launches it.
    pub row: &'static Row,
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

    /// The kernel that this one improves on.
    ///
    /// # Errors
    /// When its row has none.
    pub fn below(&self) -> Result<Self> {
        let Some(row) = self.row.below else { bail!("{} has no rung below; say which: … from OTHER", self.name) };
        Ok(Self::of(row))
    }

    fn of(row: &'static Row) -> Self {
        Self { name: row.kernel, source: row.source, entry: row.entry, row }
    }
}

/// A kernel's file from the root of the repository.
pub fn file(source: &KernelSource) -> String {
    let folder = Path::new(source.crate_folder).file_name().unwrap_or_default();
    format!("{}/{}", folder.to_string_lossy(), source.name())
}

/// Every kernel of every stage, in the order of the stages' tables; a rung that a later stage repeats comes again.
pub fn all() -> impl Iterator<Item = Kernel> {
    let rows = STAGES.into_iter().flat_map(|stage| stage.rows.iter().copied());
    rows.flat_map(|row| {
        let companion = row.companion.map(|(source, name)| Kernel { name, source, entry: Entry::Single(name), row });
        [Some(Kernel::of(row)), companion].into_iter().flatten()
    })
}
