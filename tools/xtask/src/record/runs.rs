//! The runs that make up the records of a device.

/// The folder of the emulator's counts.
pub const EMULATOR: &str = "emulator";

/// The subject of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Every kernel in its default launch shape
    Table,
    /// Every kernel in all launch shapes of its tutorial
    Sweep,
    /// The emulator's counts for the launches of the tables
    Counts,
    /// The peak throughput of the GPU's units
    Limits,
    /// The latency of the GPU's units, and how it is hidden
    Latency,
    /// What block starts, constants, atomic additions, strided stores and long code cost
    Costs,
    /// Nsight Compute's metrics of every kernel; needs `ncu` and its permissions, and is recorded only if named
    Profile,
}

/// The program that measures a GPU's limits.
pub const LIMITS: &str = "limits";

/// One file of records, made by one or several calls of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// The name of the crate and its program: `stage02-shared`, or `limits`.
    pub stage: String,
    /// The folder in `results`.
    pub folder: String,
    pub kind: Kind,
    /// The options of each call of the program.
    pub calls: Vec<Vec<String>>,
}

/// Stage 5 has no `--sweep`, because its tutorial tries no launch shapes. These block sizes are ours.
const COULOMB: &str = "stage05-coulomb";
const COULOMB_BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// Stage 7 has rungs in place of kernels, and numbers of GPUs in place of launch shapes. Its table contains all of them.
const MANY: &str = "stage07-many";

/// All blocks of stage 8's table would take the emulator an hour: the counts are of smaller sizes, and of samples.
const MATMUL: &str = "stage08-matmul";

/// Stage 9 has no `--steps`.
const PATTERNS: &str = "stage09-patterns";

/// The counts are of the launches of a GPU's tables, in both languages.
const COUNTED: &str = "--device emulator --no-estimate --language both";

/// Returns all runs of these programs for a folder in `results`: for a GPU its runs and the counts, for the emulator only the
/// counts.
pub fn all(folder: &str, programs: &[String]) -> Vec<Run> {
    let kinds = [Kind::Table, Kind::Sweep, Kind::Counts, Kind::Limits, Kind::Latency, Kind::Costs, Kind::Profile];
    let kinds = kinds.iter().filter(|kind| folder != EMULATOR || **kind == Kind::Counts);
    let has = |program: &str, kind| {
        let is_of_units = matches!(kind, Kind::Limits | Kind::Latency | Kind::Costs);
        let has_no_kernels = program == MANY && matches!(kind, Kind::Sweep | Kind::Profile);
        (program == LIMITS) == is_of_units && !has_no_kernels
    };
    let is_of = |program: &&String, kind| has(program.as_str(), kind);
    let of = |&kind| {
        let programs = programs.iter().filter(move |program| is_of(program, kind));
        programs.map(move |program| Run::new(program, folder, kind))
    };
    kinds.flat_map(of).collect()
}

impl Run {
    /// Returns the run with at most `count` timed runs per kernel, if the run is timed.
    pub fn with_runs(mut self, count: Option<u32>) -> Self {
        let is_timed = matches!(self.kind, Kind::Table | Kind::Sweep);
        for call in self.calls.iter_mut().filter(|_| is_timed) {
            call.extend(count.into_iter().flat_map(|count| ["--runs".into(), count.to_string()]));
        }
        self
    }

    fn new(stage: &str, folder: &str, kind: Kind) -> Self {
        let calls: Vec<String> = match (kind, stage) {
            (Kind::Table, MANY) => vec!["--device cuda --scaling --limit 120".into()],
            (Kind::Table, _) => vec!["--device cuda --language both".into()],
            (Kind::Limits, _) => vec!["--device cuda".into()],
            (Kind::Latency, _) => vec!["--device cuda --latency".into()],
            (Kind::Costs, _) => vec!["--device cuda --costs".into()],
            (Kind::Profile, _) => vec!["--device cuda --runs 1".into()],
            (Kind::Sweep, COULOMB) => COULOMB_BLOCKS.map(|block| format!("--device cuda --block {block}")).into(),
            (Kind::Sweep, _) => vec!["--device cuda --sweep".into()],
            // Every step has the same counts.
            (Kind::Counts, MANY) => vec!["--device emulator --ranks 4".into()],
            (Kind::Counts, MATMUL) => vec![format!("{COUNTED} --all-blocks --small"), COUNTED.into()],
            (Kind::Counts, COULOMB | PATTERNS) => vec![format!("{COUNTED} --all-blocks")],
            (Kind::Counts, _) => vec![format!("{COUNTED} --all-blocks --steps 1")],
        };
        let folder = if kind == Kind::Counts { EMULATOR } else { folder };
        let words = |call: String| call.split(' ').chain(["--json"]).map(str::to_owned).collect();
        Self { stage: stage.into(), folder: folder.into(), kind, calls: calls.into_iter().map(words).collect() }
    }

    /// Returns the name of the file: `stage02-sweep.json`, `limits.json`.
    pub fn file(&self) -> String {
        let short = self.stage.split('-').next().unwrap_or(&self.stage);
        match self.kind {
            Kind::Sweep => format!("{short}-sweep.json"),
            Kind::Profile => format!("{short}-profile.json"),
            Kind::Latency => "latency.json".into(),
            Kind::Costs => "costs.json".into(),
            Kind::Table | Kind::Counts | Kind::Limits => format!("{short}.json"),
        }
    }

    /// Describes the run for progress and errors: `stage02-shared, launch shapes`.
    pub fn describe(&self) -> String {
        let kind = match self.kind {
            Kind::Table => "table",
            Kind::Sweep => "launch shapes",
            Kind::Counts => "counts",
            Kind::Limits => "peak throughput",
            Kind::Latency => "latency",
            Kind::Costs => "costs by circumstances",
            Kind::Profile => "metrics of Nsight Compute",
        };
        format!("{}, {kind}", self.stage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(folder: &str, stage: &str) -> Vec<String> {
        let runs = all(folder, &[stage.to_owned()]);
        runs.iter().map(|run| format!("{}/{}: {}", run.folder, run.file(), run.calls[0].join(" "))).collect()
    }

    #[test]
    fn a_gpu_has_tables_launch_shapes_and_counts() {
        let expected = [
            "x/stage02.json: --device cuda --language both --json",
            "x/stage02-sweep.json: --device cuda --sweep --json",
            "emulator/stage02.json: --device emulator --no-estimate --language both --all-blocks --steps 1 --json",
            "x/stage02-profile.json: --device cuda --runs 1 --json",
        ];
        assert_eq!(calls("x", "stage02-shared"), expected);
        assert_eq!(calls(EMULATOR, "stage02-shared"), [expected[2]]);
    }

    #[test]
    fn stage_7_has_one_table_for_all_numbers_of_gpus() {
        let expected = [
            "x/stage07.json: --device cuda --scaling --limit 120 --json",
            "emulator/stage07.json: --device emulator --ranks 4 --json",
        ];
        assert_eq!(calls("x", MANY), expected);
    }

    #[test]
    fn the_number_of_runs_applies_to_timed_runs() {
        let call =
            |folder| all(folder, &["stage02-shared".into()]).swap_remove(0).with_runs(Some(100)).calls[0].join(" ");
        assert_eq!(call("x"), "--device cuda --language both --json --runs 100");
        assert!(!call(EMULATOR).contains("--runs"));
    }

    #[test]
    fn counts_of_stage_8_are_of_the_emulators_own_size_and_of_samples() {
        let runs = all(EMULATOR, &[MATMUL.into()]);
        let calls: Vec<String> = runs[0].calls.iter().map(|call| call.join(" ")).collect();
        let expected = ["--all-blocks --small ", ""];
        assert_eq!(calls, expected.map(|what| format!("--device emulator --no-estimate --language both {what}--json")));
    }

    #[test]
    fn limits_are_recorded_only_on_a_gpu() {
        let expected = [
            "x/limits.json: --device cuda --json",
            "x/latency.json: --device cuda --latency --json",
            "x/costs.json: --device cuda --costs --json",
        ];
        assert_eq!(calls("x", LIMITS), expected);
        assert_eq!(calls(EMULATOR, LIMITS), [""; 0]);
    }

    #[test]
    fn a_stage_without_a_sweep_runs_once_per_block_size() {
        let runs = all("x", &[COULOMB.to_owned()]);
        assert_eq!(runs[1].calls.len(), COULOMB_BLOCKS.len());
        assert_eq!(runs[1].calls[5].join(" "), "--device cuda --block 1024 --json");
        assert_eq!(runs[2].calls[0].join(" "), "--device emulator --no-estimate --language both --all-blocks --json");
    }
}
