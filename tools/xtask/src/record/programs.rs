//! The programs of the stages and of `limits`, and their output.

use super::judge::judge;
use super::profile;
use super::runs::{Kind, LIMITS, Run};
use crate::command::{self, cargo};
use crate::workspace::Workspace;
use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;
use std::fs;
use std::io::{BufRead, BufReader, Read, Seek};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A folder with the programs.
pub struct Programs {
    folder: PathBuf,
    /// The stages, and then `limits` if it is there.
    names: Vec<String>,
}

/// A GPU, as named in records.
pub struct Gpu {
    pub name: String,
    pub driver: String,
}

impl Programs {
    /// Builds the programs of the workspace.
    pub fn built(workspace: &Workspace) -> Result<Self> {
        let mut names = workspace.stages()?;
        names.push(LIMITS.into());
        let packages = names.iter().flat_map(|name| ["--package", name]);
        command::run(cargo().current_dir(&workspace.root).arg("build").args(packages))?;
        Ok(Self { folder: workspace.target.join("debug"), names })
    }

    /// Returns the programs in a folder: `limits`, and files without an extension whose names begin with `stage`.
    pub fn from_folder(folder: &Path) -> Result<Self> {
        let files = fs::read_dir(folder).with_context(|| format!("--binaries: cannot read {}", folder.display()))?;
        let names =
            files.filter_map(|entry| entry.ok().filter(|entry| entry.path().is_file())).map(|entry| entry.file_name());
        let mut stages: Vec<String> = names
            .filter_map(|name| name.into_string().ok())
            .filter(|name| name.starts_with("stage") && !name.contains('.'))
            .collect();
        stages.sort();
        ensure!(!stages.is_empty(), "--binaries: there is no program of a stage in {}", folder.display());
        let folder = folder.canonicalize().with_context(|| format!("--binaries {}", folder.display()))?;
        let limits = folder.join(LIMITS).is_file().then(|| LIMITS.to_owned());
        Ok(Self { folder, names: stages.into_iter().chain(limits).collect() })
    }

    /// Returns the names of the programs: the stages in order, and then `limits` if it is there.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns whether the programs find the emulator's library.
    pub fn have_emulator(&self) -> bool {
        let name = loading::file_name("emulator_driver");
        ["deps", ".", "../deps"].iter().any(|beside| self.folder.join(beside).join(&name).is_file())
    }

    /// Returns the reason why the programs do not find the emulator.
    pub fn emulator_missing(&self) -> String {
        format!("there is no {} in {}", loading::file_name("emulator_driver"), self.folder.display())
    }

    /// Returns the GPU on which the programs run.
    ///
    /// # Errors
    /// Returns the error of the first program if it finds no GPU.
    pub fn gpu(&self) -> Result<Gpu> {
        let stage = self.names.first().context("no stage")?;
        let options = ["--device", "cuda", "--n", "1024", "--runs", "1", "--json"].map(str::to_owned);
        let lines = self.call(stage, &options, &mut |_| ())?;
        let record: Value = serde_json::from_str(lines.first().context("the program printed no record")?)?;
        let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        Ok(Gpu { name: text("device"), driver: text("driver") })
    }

    /// Makes a run and returns its records, each a line of JSON. Calls `seen` for each record with the number of records so
    /// far and the name of its kernel.
    ///
    /// # Errors
    /// Returns an error if a program fails or if [`judge()`] rejects a record.
    pub fn records(&self, run: &Run, seen: impl Fn(usize, &str)) -> Result<Vec<String>> {
        let mut count = 0;
        let mut note = |line: &str| {
            count += 1;
            let record: Value = serde_json::from_str(line).unwrap_or_default();
            seen(count, record["kernel"].as_str().or(record["rung"].as_str()).unwrap_or_default());
        };
        let mut call = |options: &Vec<String>| match run.kind {
            Kind::Profile => self.profile(&run.stage, options),
            _ => self.call(&run.stage, options, &mut note),
        };
        let lists = run.calls.iter().map(&mut call);
        let records = lists.collect::<Result<Vec<_>>>()?.concat();
        ensure!(!records.is_empty(), "the program printed no record");
        records.iter().try_for_each(|record| judge(record))?;
        Ok(records)
    }

    /// Profiles the kernels of a stage that earlier stages do not have.
    fn profile(&self, stage: &str, options: &[String]) -> Result<Vec<String>> {
        let earlier = self.names.iter().take_while(|name| *name != stage).map(|name| self.folder.join(name));
        profile::records(&self.folder.join(stage), options, &earlier.collect::<Vec<_>>())
    }

    /// Runs a program and returns the lines that it prints.
    fn call(&self, stage: &str, options: &[String], seen: &mut dyn FnMut(&str)) -> Result<Vec<String>> {
        let mut said = tempfile::tempfile().context("cannot make a temporary file for the program's errors")?;
        let mut command = Command::new(self.folder.join(stage));
        command.args(options).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(said.try_clone()?);
        let mut program = command.spawn().with_context(|| format!("cannot start {command:?}"))?;
        let output = BufReader::new(program.stdout.take().context("no output")?);
        let mut lines = Vec::new();
        for line in output.lines() {
            lines.push(line?);
            seen(lines.last().map_or("", String::as_str));
        }
        let status = program.wait()?;
        let wrong = lines.iter().try_for_each(|line| judge(line));
        if !status.success() {
            wrong?;
            said.rewind()?;
            let mut text = String::new();
            said.read_to_string(&mut text)?;
            bail!("{}", text.lines().rev().find(|line| !line.is_empty()).unwrap_or("the program failed"));
        }
        Ok(lines)
    }
}
