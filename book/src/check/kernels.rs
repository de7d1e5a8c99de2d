//! The requirement that every kernel file is in a stage's table and in a chapter.

use super::{CHAPTERS, Material, Report};
use crate::fill::kernels::{Kernel, STAGES, all};
use anyhow::Result;
use std::collections::BTreeSet;

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let directives = material.chapters.iter().flat_map(|chapter| chapter.directives());
    let shown: BTreeSet<String> = directives
        .filter(|directive| directive.first() == Some(&"kernel") && !directive.ends_with(&["in", "rust"]))
        .filter_map(|directive| Some(Kernel::find(directive.get(1)?).ok()?.file()))
        .collect();
    let mut count = 0;
    for stage in STAGES {
        for file in material.kernel_files(stage)? {
            count += 1;
            match all().find(|kernel| kernel.file() == file) {
                None => report.add(&file, 1, format!("no rung of {}/src/lib.rs has this file: add one", stage.name)),
                Some(kernel) if !shown.contains(&file) => {
                    let text = format!(
                        "no chapter shows this file: put {{{{kernel {}}}}} on a line of {CHAPTERS}/{}.md",
                        kernel.name, stage.name
                    );
                    report.add(&file, 1, text);
                }
                Some(_) => {}
            }
        }
    }
    report.count(count, "kernel files");
    Ok(())
}
