//! The stages' programs, the one that measures limits, and what they print.

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

/// A folder of programs.
pub struct Programs {
    folder: PathBuf,
    /// Those of the stages first.
    names: Vec<String>,
}

/// A GPU, as a record names it.
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

    /// The programs that lie in a folder: `limits`, and files without an extension whose names begin with `stage`.
    pub fn carried(folder: &Path) -> Result<Self> {
        let files = fs::read_dir(folder).with_context(|| format!("--binaries: cannot read {}", folder.display()))?;
        let names =
            files.filter_map(|entry| entry.ok().filter(|entry| entry.path().is_file())).map(|entry| entry.file_name());
        let mut stages: Vec<String> = names
            .filter_map(|name| name.into_string().ok())
            .filter(|name| name.starts_with("stage") && !name.contains('.'))
            .collect();
        stages.sort();
        ensure!(!stages.is_empty(), "--binaries: there is no stage's program in {}", folder.display());
        let folder = folder.canonicalize().with_context(|| format!("--binaries {}", folder.display()))?;
        let limits = folder.join(LIMITS).is_file().then(|| LIMITS.to_owned());
        Ok(Self { folder, names: stages.into_iter().chain(limits).collect() })
    }

    /// Names of the programs: the stages in order, and `limits` where it is there.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether the programs find the emulator.
    pub fn have_emulator(&self) -> bool {
        let name = loading::file_name("emulator_driver");
        ["deps", ".", "../deps"].iter().any(|beside| self.folder.join(beside).join(&name).is_file())
    }

    pub fn emulator_missing(&self) -> String {
        format!("{} does not lie in {}", loading::file_name("emulator_driver"), self.folder.display())
    }

    /// The GPU that the programs run on.
    ///
    /// # Errors
    /// The words of a program that finds none.
    pub fn gpu(&self) -> Result<Gpu> {
        let stage = self.names.first().context("no stage")?;
        let options = ["--device", "cuda", "--n", "1024", "--runs", "1", "--json"].map(str::to_owned);
        let lines = self.call(stage, &options, &mut |_| ())?;
        let record: Value = serde_json::from_str(lines.first().context("the program printed no record")?)?;
        let text = |name: &str| record[name].as_str().unwrap_or_default().to_owned();
        Ok(Gpu { name: text("device"), driver: text("driver") })
    }

    /// The records of a run, each a line of JSON; `seen` is told how many there are and the last one's kernel.
    ///
    /// # Errors
    /// A program that fails, or a record that does not belong into `results`: with wrong results, or of a kernel that was
    /// compiled here.
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

    /// Profiles the kernels that a stage adds to those before it.
    fn profile(&self, stage: &str, options: &[String]) -> Result<Vec<String>> {
        let earlier = self.names.iter().take_while(|name| *name != stage).map(|name| self.folder.join(name));
        profile::records(&self.folder.join(stage), options, &earlier.collect::<Vec<_>>())
    }

    /// Runs a program and gives the lines that it prints.
    fn call(&self, stage: &str, options: &[String], seen: &mut dyn FnMut(&str)) -> Result<Vec<String>> {
        let mut said = tempfile::tempfile().context("no temporary file for what the program says")?;
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

/// Refuses a record that says nothing of the kernels in the repository.
pub fn judge(line: &str) -> Result<()> {
    let record: Value = serde_json::from_str(line).with_context(|| format!("this is no record: {line}"))?;
    // of stage 7, a rung
    let kernel = record["kernel"].as_str().or(record["rung"].as_str()).unwrap_or("a kernel");
    ensure!(record["verified"] == true, "{kernel} has wrong results");
    ensure!(
        record["kernel_sha256"].is_string(),
        "{kernel} was compiled on this machine ({}): run `cargo x ptx` after editing a kernel, and build again",
        record["code"].as_str().unwrap_or_default()
    );
    Ok(())
}
