//! Which runs make up the record of a device.

/// The folder of the emulator's counts.
pub const EMULATOR: &str = "emulator";

/// What a run records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Kind {
    /// Every kernel in its usual launch shape
    Table,
    /// Every kernel in the launch shapes that its tutorial tried
    Sweep,
    /// What the launches of the tables do to memory, counted by the emulator
    Counts,
    /// What the units of the GPU do at most
    Limits,
    /// How long they take to answer, and what hides it
    Latency,
    /// What Nsight Compute reads of every kernel; only where it is asked for, since it needs `ncu` and its permissions
    Profile,
}

/// The program that measures a GPU's limits.
pub const LIMITS: &str = "limits";

/// One file of records: a program, run with options once or several times.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// Crate and program: `stage02-shared`, or `limits`.
    pub stage: String,
    /// Folder in results.
    pub folder: String,
    pub kind: Kind,
    /// The options of each call of the program.
    pub calls: Vec<Vec<String>>,
}

/// Stage 5's program has no --sweep: its tutorial tried no launch shapes. These are ours.
const COULOMB: &str = "stage05-coulomb";
const COULOMB_BLOCKS: [u32; 6] = [32, 64, 128, 256, 512, 1024];

/// Stage 6 has problem E among others, and what is a fitting `--n` for its atoms is not one for bodies.
const LIMIT: &str = "stage06-limit";
const LIMIT_COULOMB: &str =
    "--kernel coulombCoarsened --kernel coulombTile --kernel coulombSplitAtoms --kernel coulombSoftwareRoot";

/// Stage 2 has problem F, which takes fewer rows on the emulator.
const SHARED: &str = "stage02-shared";
const SHARED_TRANSPOSES: &str = "--n 8192 --kernel transposeDirect --kernel transposeTile --kernel transposePadded";

/// Stage 7 has rungs in place of kernels, and numbers of GPUs in place of launch shapes: its table is of all of these.
const MANY: &str = "stage07-many";

/// Counts are of both languages, as the tables are: in the same launches.
const COUNTED: &str = "--device emulator --language both";

/// All runs of these programs for a folder in results: those of a GPU and the counts, or the counts alone for the
/// emulator.
pub fn all(folder: &str, programs: &[String]) -> Vec<Run> {
    let kinds = [Kind::Table, Kind::Sweep, Kind::Counts, Kind::Limits, Kind::Latency, Kind::Profile];
    let kinds = kinds.iter().filter(|kind| folder != EMULATOR || **kind == Kind::Counts);
    let has = |program: &str, kind| {
        let is_of_units = matches!(kind, Kind::Limits | Kind::Latency);
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
    /// With this many timed runs of each kernel, where that is said.
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
            (Kind::Profile, _) => vec!["--device cuda --runs 1".into()],
            (Kind::Sweep, COULOMB) => COULOMB_BLOCKS.map(|block| format!("--device cuda --block {block}")).into(),
            (Kind::Sweep, _) => vec!["--device cuda --sweep".into()],
            // the sizes of the tables, where the emulator's own are smaller: the counts of a step are the same each time
            (Kind::Counts, MANY) => vec!["--device emulator --ranks 4".into()],
            (Kind::Counts, SHARED) => vec![format!("{COUNTED} --steps 1"), format!("{COUNTED} {SHARED_TRANSPOSES}")],
            (Kind::Counts, COULOMB) => vec![format!("{COUNTED} --n 10000")],
            (Kind::Counts, LIMIT) => {
                vec![format!("{COUNTED} --steps 1"), format!("{COUNTED} --n 10000 {LIMIT_COULOMB}")]
            }
            (Kind::Counts, _) => vec![format!("{COUNTED} --steps 1")],
        };
        let folder = if kind == Kind::Counts { EMULATOR } else { folder };
        let words = |call: String| call.split(' ').chain(["--json"]).map(str::to_owned).collect();
        Self { stage: stage.into(), folder: folder.into(), kind, calls: calls.into_iter().map(words).collect() }
    }

    /// `stage02-sweep.json`, `limits.json`
    pub fn file(&self) -> String {
        let short = self.stage.split('-').next().unwrap_or(&self.stage);
        match self.kind {
            Kind::Sweep => format!("{short}-sweep.json"),
            Kind::Profile => format!("{short}-profile.json"),
            Kind::Latency => "latency.json".into(),
            Kind::Table | Kind::Counts | Kind::Limits => format!("{short}.json"),
        }
    }

    /// `stage02-shared, launch shapes`
    pub fn describe(&self) -> String {
        let kind = match self.kind {
            Kind::Table => "table",
            Kind::Sweep => "launch shapes",
            Kind::Counts => "counts",
            Kind::Limits => "what this GPU reaches",
            Kind::Latency => "how long this GPU takes to answer",
            Kind::Profile => "readings of Nsight Compute",
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
    fn gpu_has_tables_shapes_and_the_counts_of_its_launches() {
        let expected = [
            "x/stage02.json: --device cuda --language both --json",
            "x/stage02-sweep.json: --device cuda --sweep --json",
            "emulator/stage02.json: --device emulator --language both --steps 1 --json",
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
    fn timed_runs_are_counted_where_kernels_are_timed() {
        let call =
            |folder| all(folder, &["stage02-shared".into()]).swap_remove(0).with_runs(Some(100)).calls[0].join(" ");
        assert_eq!(call("x"), "--device cuda --language both --json --runs 100");
        assert!(!call(EMULATOR).contains("--runs"));
    }

    #[test]
    fn limits_are_a_gpus_alone() {
        let expected = ["x/limits.json: --device cuda --json", "x/latency.json: --device cuda --latency --json"];
        assert_eq!(calls("x", LIMITS), expected);
        assert_eq!(calls(EMULATOR, LIMITS), [""; 0]);
    }

    #[test]
    fn atoms_of_stage_6_are_counted_at_the_size_of_the_table() {
        let runs = all(EMULATOR, &[LIMIT.to_owned()]);
        assert_eq!(runs[0].calls.len(), 2);
        assert!(
            runs[0].calls[1]
                .join(" ")
                .starts_with("--device emulator --language both --n 10000 --kernel coulombCoarsened")
        );
    }

    #[test]
    fn stage_without_a_sweep_runs_once_a_block() {
        let runs = all("x", &[COULOMB.to_owned()]);
        assert_eq!(runs[1].calls.len(), COULOMB_BLOCKS.len());
        assert_eq!(runs[1].calls[5].join(" "), "--device cuda --block 1024 --json");
        assert_eq!(runs[2].calls[0].join(" "), "--device emulator --language both --n 10000 --json");
    }
}
