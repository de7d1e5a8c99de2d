//! The check of the files of GPUs that anybody can send, by the rules of `cargo x record --check`.

use super::{Material, Report, line_of};
use ::records::check::{Repository, check_path};
use anyhow::Result;
use common::recorded::results::COMMUNITY;
use std::time::SystemTime;

pub fn check(material: &Material, report: &mut Report) -> Result<()> {
    let results = material.repository.join("results");
    let folder = format!("results/{COMMUNITY}");
    if !results.join(COMMUNITY).is_dir() {
        return Ok(());
    }
    let repository = Repository::read(&results)?;
    let files = material.files(&folder, "json")?;
    report.count(files.len(), "files of GPUs");
    for file in files {
        let text = material.text(&file)?;
        for refusal in check_path(&repository, &material.repository.join(&file), SystemTime::now())? {
            // A kernel that was added later is no mistake of the file.
            if refusal.is_gap {
                report.notices.push(format!("{file}: {refusal}"));
                continue;
            }
            let kernel = refusal.record.as_deref().and_then(|record| record.split(", ").nth(1));
            let place = kernel.and_then(|kernel| text.find(&format!("\"kernel\":\"{kernel}\"")));
            report.add(&file, line_of(&text, place.unwrap_or(0)), refusal.to_string());
        }
    }
    Ok(())
}
