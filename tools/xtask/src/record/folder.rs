//! The folder of a device in `results`.

use super::runs::Run;
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of a device.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// The folder `name` below `results`, which need not exist yet.
    pub fn new(results: &Path, name: &str) -> Self {
        Self { path: results.join(name) }
    }

    /// Requires that the folder has no records of another device, unless `force` is set.
    pub fn require_device(&self, device: &str, force: bool) -> Result<()> {
        match self.recorded_device() {
            Some(other) if other != device && !force => bail!(
                "{} has records of {other}, and this device is {device}: name another folder, or replace the records with --force",
                self.path.display()
            ),
            _ => Ok(()),
        }
    }

    /// Returns the device of the first record in the folder; none if it has no records.
    fn recorded_device(&self) -> Option<String> {
        let files = fs::read_dir(&self.path).ok()?;
        let mut names: Vec<PathBuf> = files.filter_map(|entry| Some(entry.ok()?.path())).collect();
        names.sort();
        let is_stage =
            |file: &&PathBuf| file.file_name().is_some_and(|name| name.to_string_lossy().starts_with("stage"));
        names.iter().filter(is_stage).find_map(|file| {
            let text = fs::read_to_string(file).ok()?;
            // A list of records, or one record per line.
            let first = serde_json::Deserializer::from_str(&text).into_iter::<Value>().next()?.ok()?;
            Some(first.get(0).unwrap_or(&first)["device"].as_str()?.to_owned())
        })
    }

    /// Writes a JSON list with one record per line, replacing the file in one step. Returns the file and the number of records.
    pub fn write(&self, name: &str, records: &[String]) -> Result<(PathBuf, usize)> {
        let file = self.path.join(name);
        let context = || format!("cannot write {}", file.display());
        fs::create_dir_all(&self.path).with_context(context)?;
        let mut scratch = tempfile::NamedTempFile::new_in(&self.path).with_context(context)?;
        writeln!(scratch, "[\n{}\n]", records.join(",\n")).with_context(context)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // Only their owner can read temporary files.
            scratch.as_file().set_permissions(fs::Permissions::from_mode(0o644)).with_context(context)?;
        }
        scratch.persist(&file).with_context(context)?;
        Ok((file, records.len()))
    }

    /// Returns the files of these runs that do not exist.
    pub fn missing(&self, runs: &[Run]) -> Vec<String> {
        let files = runs.iter().map(|run| self.path.with_file_name(&run.folder).join(run.file()));
        files.filter(|file| !file.is_file()).map(|file| file.display().to_string()).collect()
    }
}
