//! A device's folder in `results`.

use super::runs::Run;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

pub struct Folder {
    path: PathBuf,
}

impl Folder {
    pub fn new(results: &Path, name: &str) -> Self {
        Self { path: results.join(name) }
    }

    /// Refuses a folder in which another device is recorded.
    pub fn require_device(&self, device: &str, force: bool) -> Result<()> {
        match self.recorded_device() {
            Some(other) if other != device && !force => bail!(
                "{} holds records of {other}, and this is {device}: name another folder, or write over it with --force",
                self.path.display()
            ),
            _ => Ok(()),
        }
    }

    /// The device of the first record that lies here.
    fn recorded_device(&self) -> Option<String> {
        let files = fs::read_dir(&self.path).ok()?;
        let mut names: Vec<PathBuf> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
        names.sort();
        let is_stage =
            |file: &&PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("stage"));
        names.iter().filter(is_stage).find_map(|file| {
            let records = parse(&fs::read_to_string(file).ok()?)?;
            Some(records.first()?.get("device")?.as_str()?.to_owned())
        })
    }

    /// Writes records, one per line of a list, in one step as others see it; gives the file and how many they are.
    pub fn write(&self, name: &str, records: &[String]) -> Result<(PathBuf, usize)> {
        let file = self.path.join(name);
        let context = || format!("cannot write {}", file.display());
        fs::create_dir_all(&self.path).with_context(context)?;
        let mut scratch = tempfile::NamedTempFile::new_in(&self.path).with_context(context)?;
        writeln!(scratch, "[\n{}\n]", records.join(",\n")).with_context(context)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // scratch files are for their owner alone
            scratch.as_file().set_permissions(fs::Permissions::from_mode(0o644)).with_context(context)?;
        }
        scratch.persist(&file).with_context(context)?;
        Ok((file, records.len()))
    }

    /// The files that these runs write, and that are not there.
    pub fn missing(&self, runs: &[Run]) -> Vec<String> {
        let files = runs.iter().map(|run| self.path.with_file_name(&run.folder).join(run.file()));
        files.filter(|file| !file.is_file()).map(|file| file.display().to_string()).collect()
    }
}

/// A list of records, or one per line.
fn parse(text: &str) -> Option<Vec<Value>> {
    match text.trim_start().starts_with('[') {
        true => serde_json::from_str(text).ok(),
        false => serde_json::Deserializer::from_str(text).into_iter().collect::<Result<_, _>>().ok(),
    }
}
