//! The records: runs of the stages on a GPU, the emulator's counts of the same launches, and Nsight Compute's readings.
//!
//! The bytes next to a time are from the emulator, because `results/emulator` has the counts of the timed launches. Nsight
//! Compute ran at small sizes, at which loads that happen once have a larger share. The stages' tests require that both agree
//! on the same launches. Limits are computed from records too: a record has a rate and its share of the device's limit.

use super::kernels::{self, Kernel};
use ::records::file::GpuRecord;
use anyhow::{Context, Result, anyhow, bail};
use common::format::{milliseconds, percent, significant, thousands};
use common::problem::Size;
use common::report::{Record, global_bytes};
use common::stage::{Rung, Stage};
use common::timing::Timing;
use emulator::Counters;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The folder of `results` with the emulator's counts of the timed launches.
const COUNTED: &str = "emulator";

/// The number of bytes in a sector.
pub const SECTOR: f64 = 32.0;

/// The recorded runs of a stage.
pub struct Records {
    file: PathBuf,
    /// The runs of the kernels in CUDA C++.
    records: Vec<Record>,
    /// The runs of their Rust versions.
    twins: Vec<Record>,
}

impl Records {
    /// Returns the file with the run of a stage: `stage02.json` for `stage02-shared`.
    pub fn file(folder: &Path, stage: &str) -> PathBuf {
        folder.join(format!("{}.json", short(stage)))
    }

    /// Reads the run of a stage in the folder of a GPU, or in its file; without records if there is no such file.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is not a list of records.
    pub fn in_folder(folder: &Path, stage: &str) -> Result<Self> {
        if folder.is_file() {
            let all =
                file_of_gpu(folder)?.of_stage(kernels::stage(stage)?).with_context(|| not_as_it_should(folder))?;
            return Ok(Self::new(folder.to_owned(), all));
        }
        Self::if_there(Self::file(folder, stage))
    }

    /// Reads other runs of a stage: `sweep` with other launch shapes, from `stage02-sweep.json`, `sizes` at other sizes, `physics` with
    /// the accuracy of results, `heads`, of attention with other heads, or with other values of an option.
    ///
    /// # Errors
    /// The same as for [`Records::in_folder`].
    pub fn others(folder: &Path, stage: &str, kind: &str) -> Result<Self> {
        Self::if_there(folder.join(format!("{}-{kind}.json", short(stage))))
    }

    /// Reads the stage's run on the emulator; without records if there is no such file.
    ///
    /// # Errors
    /// The same as for [`Records::in_folder`].
    pub fn counts(results: &Path, stage: &str) -> Result<Self> {
        Self::if_there(Self::file(&results.join(COUNTED), stage))
    }

    /// Reads a file. It may be missing, because the author of a stage may not have that GPU, or not have counted yet.
    fn if_there(file: PathBuf) -> Result<Self> {
        if !file.is_file() {
            return Ok(Self { file, records: Vec::new(), twins: Vec::new() });
        }
        let text = text_of(&file)?;
        let all = parse(&text).with_context(|| not_as_it_should(&file))?;
        Ok(Self::new(file, all))
    }

    fn new(file: PathBuf, all: Vec<Record>) -> Self {
        let (twins, records) = all.into_iter().partition(|record| record.language.is_rust());
        Self { file, records, twins }
    }

    /// Returns the kernels of a stage without a record.
    pub fn missing(&self, stage: &Stage) -> Vec<&'static str> {
        let names = stage.rungs.iter().map(|rung| rung.kernel);
        names.filter(|kernel| !self.records.iter().any(|record| record.kernel == *kernel)).collect()
    }

    /// Returns all records of the kernels in CUDA C++.
    pub fn list(&self) -> &[Record] {
        &self.records
    }

    /// Returns all records, in CUDA C++ and in Rust.
    pub fn launches(&self) -> impl Iterator<Item = &Record> {
        self.records.iter().chain(&self.twins)
    }

    /// Returns the records of a kernel in CUDA C++ and in Rust with the same launch; `None` if one is missing.
    pub fn pair(&self, kernel: &str) -> Option<[&Record; 2]> {
        let launch =
            |record: &Record| (record.size, record.steps, record.parameters.clone(), record.grid, record.block);
        let is_right = |record: &&Record| record.kernel == kernel && record.verified;
        let own = self.records.iter().find(is_right)?;
        Some([own, self.twins.iter().filter(is_right).find(|twin| launch(twin) == launch(own))?])
    }

    /// Returns the record of a kernel; `None` if it is missing.
    ///
    /// # Errors
    /// Returns an error if the results were wrong or if the record has no time.
    pub fn find(&self, kernel: &str) -> Result<Option<Timed<'_>>> {
        Ok(self.all_of(kernel)?.into_iter().next())
    }

    /// Returns the records of a kernel, one per launch shape.
    ///
    /// # Errors
    /// Returns an error if results were wrong or if a record has no time.
    pub fn all_of(&self, kernel: &str) -> Result<Vec<Timed<'_>>> {
        self.records.iter().filter(|record| record.kernel == kernel).map(|record| self.with_time(record)).collect()
    }

    /// Returns whether there is no run of any kernel.
    pub const fn are_none(&self) -> bool {
        self.records.is_empty()
    }

    /// Returns a kernel's run on the emulator.
    ///
    /// # Errors
    /// Returns an error if there is none.
    pub fn count_of(&self, kernel: &str) -> Result<&Record> {
        let found = self.records.iter().find(|record| record.kernel == kernel);
        found.ok_or_else(|| self.lacks(kernel, "is not counted"))
    }

    fn with_time<'a>(&self, record: &'a Record) -> Result<Timed<'a>> {
        if !record.verified {
            return Err(self.lacks(&record.kernel, "has wrong results"));
        }
        Ok(Timed { time: record.time_ms.ok_or_else(|| self.lacks(&record.kernel, "has no time"))?, record })
    }

    /// Returns the bytes of global memory that the timed launch requests, in whole sectors.
    ///
    /// # Errors
    /// Returns an error if the launch was not counted.
    pub fn bytes_moved(&self, timed: &Record) -> Result<f64> {
        Ok(global_bytes(self.counters(timed)?) as f64)
    }

    /// Returns the emulator's counts of the timed launch.
    ///
    /// # Errors
    /// Returns an error if the launch was not counted.
    pub fn counters(&self, timed: &Record) -> Result<&Counters> {
        let launch = |record: &Record| (record.size, record.parameters.clone(), record.grid, record.block);
        let is_same = |record: &&Record| record.kernel == timed.kernel && launch(record) == launch(timed);
        let counters = self.records.iter().find(is_same).and_then(|record| record.counters.as_ref());
        counters.ok_or_else(|| {
            let grid = timed.grid;
            let block = timed.block;
            self.lacks(&timed.kernel, &format!("of {} in {grid:?} blocks of {block:?} is not counted", timed.size))
        })
    }

    fn lacks(&self, kernel: &str, what: &str) -> anyhow::Error {
        anyhow!("{kernel} {what} in {}", self.file.display())
    }
}

/// The text in place of a number that is not recorded.
pub const NOT_RECORDED: &str = "not recorded";

/// Returns `stage02` for `stage02-shared`.
pub fn short(stage: &str) -> &str {
    stage.split('-').next().unwrap_or(stage)
}

/// A verified record and its time.
pub struct Timed<'a> {
    pub record: &'a Record,
    pub time: Timing,
}

impl Timed<'_> {
    /// Returns a number with its unit: `time`, `ratio` to the rung below, `rate`, `share` of the device's limit, `occupancy`.
    ///
    /// # Errors
    /// Returns an error if the record has no such number.
    pub fn number(&self, what: &str) -> Result<String> {
        let record = self.record;
        let number = match what {
            "time" => Some(milliseconds(self.time.median)),
            "ratio" => record.below.as_ref().map(|below| significant(below.ratio)),
            "rate" => record.rate.as_ref().map(|rate| format!("{} {}", significant(rate.value), rate.unit)),
            "share" => record.limit_share.map(percent),
            "occupancy" => record.occupancy.map(percent),
            _ => None,
        };
        number.with_context(|| format!("the record of {} has no {what}", record.kernel))
    }

    /// Returns a number of the recorded machine's CPU for the same work, with the same loops in single precision: `serial` or
    /// `parallel` is the time of one thread or of all, `threads` is their number, and `gain` is the time of all threads divided by
    /// the kernel's.
    ///
    /// # Errors
    /// Returns an error if `what` is something else or the record has no times of a CPU.
    pub fn cpu_number(&self, what: &str) -> Result<String> {
        let cpu = self.record.cpu.as_ref().context("the record has no times of a CPU")?;
        Ok(match what {
            "serial" => milliseconds(cpu.serial_ms),
            "parallel" => milliseconds(cpu.parallel_ms),
            "threads" => cpu.threads.to_string(),
            "gain" => significant(cpu.parallel_ms / self.time.median),
            _ => bail!("the numbers of a CPU are serial, parallel, threads and gain"),
        })
    }

    /// Returns [`device`] of the record.
    pub fn device(&self) -> String {
        device(self.record)
    }

    /// Returns the least, the median and the greatest time.
    pub fn range(&self) -> [f64; 3] {
        [self.time.low, self.time.median, self.time.high]
    }

    /// Returns the number of threads per block.
    pub fn block(&self) -> u32 {
        self.record.block.iter().product()
    }

    /// Returns the number of blocks of a launch.
    pub fn blocks(&self) -> u32 {
        self.record.grid.iter().product()
    }

    /// Returns the size of the run.
    pub fn size(&self) -> Size {
        let parameters = self.record.parameters.clone().unwrap_or_default();
        Size { steps: self.record.steps, parameters, ..Size::new(self.record.size) }
    }

    /// Returns the number of launches in the timed run that have a count of their own. They are alike.
    pub fn launches(&self, rung: &Rung) -> f64 {
        (rung.work.facts().launches)(&self.size()).into()
    }

    /// Returns the launch shape, blocks by threads: `128 × 128`.
    pub fn launch(&self) -> String {
        launch(self.record.grid, self.record.block)
    }
}

/// Returns a launch shape, blocks by threads: `128 × 128`.
pub fn launch(grid: [u32; 3], block: [u32; 3]) -> String {
    let product = |shape: [u32; 3]| thousands(shape.iter().map(|&extent| u64::from(extent)).product());
    format!("{} × {}", product(grid), product(block))
}

/// Reads the file of a GPU that anybody can send.
///
/// # Errors
/// Returns an error if the file cannot be read or has another form.
pub fn file_of_gpu(file: &Path) -> Result<GpuRecord> {
    serde_json::from_str(&text_of(file)?).with_context(|| not_as_it_should(file))
}

/// Returns the source of a record: `NVIDIA H200, driver 580.159.04 (CUDA 13.0), 2026-11-21`.
pub fn device(record: &Record) -> String {
    let day = record.date.split('T').next().unwrap_or_default();
    format!("{}, driver {}, {day}", record.device, record.driver)
}

/// Nsight Compute's readings.
#[derive(Deserialize)]
pub struct Readings {
    pub device: String,
    pub tool: String,
    kernels: Vec<Reading>,
}

/// One launch under the profiler.
#[derive(Deserialize)]
pub struct Reading {
    pub kernel: String,
    options: BTreeMap<String, u64>,
    readings: BTreeMap<String, u64>,
    /// Counters that the PTX cannot give, each with its reason.
    #[serde(default)]
    differs: BTreeMap<String, String>,
    sass: Executed,
    /// Machine instructions of warps by opcode, where `opcodes.json` has this launch.
    #[serde(skip)]
    opcodes: Option<BTreeMap<String, u64>>,
}

/// The counts of a launch's machine code.
#[derive(Deserialize)]
struct Executed {
    instructions: u64,
}

/// The file of machine instructions by opcode.
#[derive(Default, Deserialize)]
struct Opcodes {
    kernels: Vec<LaunchOpcodes>,
}

#[derive(Deserialize)]
struct LaunchOpcodes {
    kernel: String,
    options: BTreeMap<String, u64>,
    opcodes: BTreeMap<String, u64>,
}

/// The size at which readings are shown, if any: the one without threads past the end.
const SHOWN_SIZE: u64 = 1024;

impl Readings {
    /// Reads the device's file.
    ///
    /// # Errors
    /// When there is no such file, or it is not what the profiler's script wrote.
    pub fn read(folder: &Path) -> Result<Self> {
        let mut readings: Self = read(&folder.join("nsight-compute.json"))?;
        let opcodes: Opcodes = read_if_there(&folder.join("opcodes.json"))?;
        for launch in opcodes.kernels {
            let is_same = |reading: &&mut Reading| reading.kernel == launch.kernel && reading.options == launch.options;
            if let Some(reading) = readings.kernels.iter_mut().find(is_same) {
                reading.opcodes = Some(launch.opcodes);
            }
        }
        Ok(readings)
    }

    /// Counters of a kernel that ptxas changes, each with its reason.
    pub fn differences(&self, kernel: &str) -> BTreeMap<&str, &str> {
        let readings = self.kernels.iter().filter(|reading| reading.kernel == kernel);
        readings.flat_map(|reading| &reading.differs).map(|(counter, reason)| (&**counter, &**reason)).collect()
    }

    /// The launch of a kernel that the book shows: at [`SHOWN_SIZE`] or else the largest size, and in its usual block; `None`
    /// where it was not read. Small sizes are those with threads past the end, which kernels treat differently.
    pub fn find(&self, kernel: &Kernel) -> Option<&Reading> {
        let launches: Vec<&Reading> = self.kernels.iter().filter(|reading| reading.kernel == kernel.name).collect();
        let is_usual =
            |reading: &Reading| reading.option("block").is_none_or(|block| block == u64::from(kernel.rung.block));
        let best = |reading: &&&Reading| {
            let n = reading.option("n");
            (n == Some(SHOWN_SIZE), is_usual(reading), n)
        };
        launches.iter().rev().max_by_key(best).copied()
    }
}

impl Reading {
    /// The options of the stage's program, `n`, `block`, `grid`, `steps`, `width` or `height`.
    pub fn option(&self, name: &str) -> Option<u64> {
        self.options.get(name).copied()
    }

    /// Instructions of warps in machine code.
    pub fn machine_instructions(&self) -> u64 {
        self.sass.instructions
    }

    /// Of these, those with an opcode; `None` where opcodes were not read.
    pub fn opcode(&self, opcode: &str) -> Option<u64> {
        self.opcodes.as_ref().map(|opcodes| opcodes.get(opcode).copied().unwrap_or(0))
    }

    /// A count.
    ///
    /// # Errors
    /// When there is no such counter; lists those that there are.
    pub fn count(&self, counter: &str) -> Result<u64> {
        self.readings.get(counter).copied().ok_or_else(|| {
            let names: Vec<&str> = self.readings.keys().map(String::as_str).collect();
            anyhow!("no counter {counter}; there are {}", names.join(", "))
        })
    }
}

/// Records as an array, or one per line, as `--json` prints them.
///
/// # Errors
/// When the text is neither.
pub fn parse(text: &str) -> serde_json::Result<Vec<Record>> {
    if text.trim_start().starts_with('[') {
        serde_json::from_str(text)
    } else {
        serde_json::Deserializer::from_str(text).into_iter().collect()
    }
}

/// A file of one JSON value.
///
/// # Errors
/// When there is no such file, or it is not a `T`.
pub fn read<T: DeserializeOwned>(file: &Path) -> Result<T> {
    serde_json::from_str(&text_of(file)?).with_context(|| not_as_it_should(file))
}

/// A file of one JSON value; the default one where there is no such file.
///
/// # Errors
/// When the file is not a `T`.
pub fn read_if_there<T: DeserializeOwned + Default>(file: &Path) -> Result<T> {
    if file.is_file() { read(file) } else { Ok(T::default()) }
}

pub fn text_of(file: &Path) -> Result<String> {
    fs::read_to_string(file).with_context(|| format!("cannot read {}", file.display()))
}

fn not_as_it_should(file: &Path) -> String {
    format!("{} is not in the expected form", file.display())
}
