//! The check of the listings of machine code, `book/machine-code/KERNEL.sass`: each states the version of the kernel that it was
//! made from, as records do, and the book shows each.

use super::{Material, Report};
use crate::fill::kernels::Kernel;
use crate::fill::version;
use anyhow::Result;

const FOLDER: &str = "book/machine-code";

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let files = material.files(FOLDER, "sass")?;
    for file in &files {
        let name = file.trim_start_matches(FOLDER).trim_start_matches('/').trim_end_matches(".sass");
        let text = material.text(file)?;
        match (Kernel::find(name).ok().and_then(|kernel| version::now(kernel.rung, false)), stated_version(&text)) {
            (None, _) => report.add(file, 1, format!("no stage has a kernel {name}: rename or remove the listing")),
            (_, None) => {
                report.add(file, 1, "the listing does not state its kernel's version: add a line `// version SHA-256`")
            }
            (Some(current), Some(stated)) if current != stated => {
                report.add(
                    file,
                    1,
                    format!("the listing is of an older version of {name}: make it again, or remove it"),
                );
            }
            _ => {}
        }
        let mut directives = material.chapters.iter().flat_map(|chapter| chapter.directives());
        if !directives.any(|directive| directive == ["lines", file]) {
            report.add(file, 1, format!("no page shows it: put {{{{lines {file}}}}} on one"));
        }
    }
    report.count(files.len(), "listings of machine code");
    Ok(())
}

/// Returns the version that a listing's first comment lines state.
fn stated_version(text: &str) -> Option<&str> {
    let comments = text.lines().take_while(|line| line.starts_with("//"));
    comments.filter_map(|line| line.strip_prefix("// version ")).next()
}
