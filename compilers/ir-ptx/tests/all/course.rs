//! All kernels of stages 1 to 6 and of the exercises.

use super::clang::Clang;
use super::clang_for;
use super::comparison::{Row, replay, report};
use common::device::DeviceChoice;
use common::kernel::KernelSource;
use common::problem::{Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape, Stage};
use emulator::Scene;
use judge::kernel_file::Language;
use judge::set::{Exercise, Role, Set};
use judge::{Check, Submission, judge, scenes};
use loading::workspace_root;
use std::collections::BTreeSet;

/// The greatest difference of the median of warp instructions from LLVM's.
const MEDIAN: f64 = 0.05;
/// The greatest difference of one kernel that needs no explanation.
const WORST: f64 = 0.15;
/// The number of blocks for kernels whose grid does not depend on n.
const GRID: u32 = 4;
/// Bodies, values or atoms.
const N: usize = 1024;

/// Kernels that differ more, with the reason.
const EXPLAINED: &[(&str, &str)] = &[(
    "95_long_row Wrong(\"neighbors_in_a_lane\") 0",
    "few entries a row: LLVM writes a signed division by 32 as four instructions, which we leave to ptxas, and jumps twice more a row",
)];

const STAGES: [&Stage; 6] = [
    &stage01_naive::STAGE,
    &stage02_shared::STAGE,
    &stage03_unroll::STAGE,
    &stage04_shuffle::STAGE,
    &stage05_coulomb::STAGE,
    &stage06_limit::STAGE,
];

/// A kernel by both back ends.
struct Pair {
    ours: String,
    theirs: String,
}

impl Pair {
    fn new(clang: &Clang, name: &str, text: &str, architecture: i32) -> Self {
        let compiled = clang.compile(text, architecture).unwrap_or_else(|log| panic!("{name}: {log}"));
        let ours = ir_ptx::translate(&compiled.ir).unwrap_or_else(|refusals| panic!("{name}: {refusals}"));
        Self { ours, theirs: compiled.ptx }
    }

    fn of_source(clang: &Clang, source: &KernelSource) -> Self {
        let (major, minor) = source.compute_capability();
        Self::new(clang, source.file, source.text, major * 10 + minor)
    }
}

/// Whether the results depend on the order of blocks or warps.
fn has_sums_in_any_order(ptx: &str) -> bool {
    ptx.lines().any(|line| (line.contains("atom.") || line.contains("red.")) && line.contains(".f32"))
}

/// Replays a launch with both; requires the same bits, unless they depend on an order. Returns the counts.
fn compare(name: &str, scene: &Scene, pair: &Pair) -> Option<Row> {
    let ours = replay(scene, &pair.ours);
    let theirs = replay(scene, &pair.theirs);
    let (ours_counters, theirs_counters) = match (&ours.counters, &theirs.counters) {
        (Ok(ours), Ok(theirs)) => (ours, theirs),
        (Err(_), Err(_)) => return None,
        (ours, theirs) => panic!("{name}: ours {ours:?}, LLVM's {theirs:?}"),
    };
    if !has_sums_in_any_order(&pair.ours) {
        assert!(ours.memory == theirs.memory, "{name}: other bits");
    }
    let ours = ours_counters.warp_instructions;
    let theirs = theirs_counters.warp_instructions;
    Some(Row { name: name.to_owned(), ours, theirs })
}

fn require(mut rows: Vec<Row>, title: &str) {
    let median = report(title, &mut rows);
    assert!((median - 1.0).abs() <= MEDIAN, "{title}: the median is {median:.3}");
    let is_explained = |row: &&Row| EXPLAINED.iter().any(|(name, _)| *name == row.name);
    let far: Vec<Row> = rows.iter().filter(|row| (row.ratio() - 1.0).abs() > WORST).cloned().collect();
    let unexplained: Vec<&Row> = far.iter().filter(|row| !is_explained(row)).collect();
    assert!(unexplained.is_empty(), "{title}: not explained: {unexplained:?}");
}

/// Runs a rung with LLVM's PTX and records its launches; requires that our PTX passes the comparison with the reference too.
fn stage_rows(clang: &Clang, session: &mut Session, rung: &Rung, rows: &mut Vec<Row>) {
    let facts = rung.work.facts();
    let spacing = serde_json::Number::from_f64(0.5).expect("a finite number");
    let plane = Parameters::default().with("width", 144).with("height", 12).with("spacing", spacing);
    let size = Size { steps: facts.steps.map(|_| 1), parameters: facts.select_own(&plane), ..Size::new(N) };
    let plan = Plan::new(rung, size, Shape { grid: Some(GRID), block: rung.block }).expect("a plan");
    let sources: Vec<KernelSource> =
        [Some(*plan.source()), plan.companion().map(|(source, _)| *source)].into_iter().flatten().collect();
    let pairs: Vec<Pair> = sources.iter().map(|source| Pair::of_source(clang, source)).collect();
    let mut taken = Vec::new();
    for ours in [true, false] {
        for (source, pair) in sources.iter().zip(&pairs) {
            session.replace_ptx(source, if ours { pair.ours.clone() } else { pair.theirs.clone() });
        }
        session.device.set_scenes(true);
        let verified = session.with_case(&plan, |_, case| case.verify());
        session.device.set_scenes(false);
        taken = session.device.take_scenes().expect("scenes");
        let report = verified.unwrap_or_else(|error| panic!("{}: {error}", rung.kernel));
        assert!(report.passed(), "{} by {}: {report:?}", rung.kernel, if ours { "us" } else { "LLVM" });
    }
    let mut seen = BTreeSet::new();
    for scene in taken.iter().filter(|scene| seen.insert(scene.entry.clone())) {
        let header = format!(".entry {}(", scene.entry);
        let pair = pairs.iter().find(|pair| pair.ours.contains(&header)).expect("the kernel's file");
        rows.extend(compare(&format!("{} {}", rung.kernel, scene.entry), scene, pair));
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn kernels_of_the_stages_have_the_results_and_counts_of_llvms_back_end() {
    let Some(clang) = clang_for("course::kernels_of_the_stages_have_the_results_and_counts_of_llvms_back_end") else {
        return;
    };
    let mut rows = Vec::new();
    for stage in STAGES {
        let mut session = Session::open(DeviceChoice::Emulator, None).expect("the emulator");
        session.device.set_emulator_threads(1);
        stage.rungs.iter().for_each(|rung| stage_rows(&clang, &mut session, rung, &mut rows));
    }
    require(rows, "stages");
}

/// Judges a kernel by both back ends, and compares the launches of the solution with it.
fn exercise_rows(clang: &Clang, exercise: &Exercise, role: &Role, launches: &[Scene], rows: &mut Vec<Row>) {
    let file = exercise.source_file(role, Language::Cuda);
    let text = exercise.source(role, Language::Cuda).expect("a kernel");
    let name = format!("{} {role:?}", exercise.name);
    let pair = Pair::new(clang, &name, &text, 75);
    let solution = Submission::prebuilt(exercise, &Role::Solution, Language::Cuda).expect("a solution");
    let verdict = |ptx: &str| {
        let submission =
            Submission { file: file.clone(), language: Language::Cuda, text: text.clone(), ptx: ptx.to_owned() };
        let verdict = judge(exercise, &solution, &submission).expect("a verdict");
        verdict.failure.map(|failure| failure.check)
    };
    let ours = verdict(&pair.ours);
    let theirs = verdict(&pair.theirs);
    assert!(ours == theirs, "{name}: ours {ours:?}, LLVM's {theirs:?}");
    // What races has any result.
    if matches!(ours, Some(Check::Findings | Check::Runs)) {
        return;
    }
    for (number, scene) in launches.iter().enumerate() {
        rows.extend(compare(&format!("{name} {number}"), scene, &pair));
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn kernels_of_the_exercises_have_the_verdicts_and_counts_of_llvms_back_end() {
    let Some(clang) = clang_for("course::kernels_of_the_exercises_have_the_verdicts_and_counts_of_llvms_back_end")
    else {
        return;
    };
    let set = Set::load(&workspace_root().join("exercises")).expect("a valid set");
    let mut rows = Vec::new();
    for exercise in &set.exercises {
        let solution = Submission::prebuilt(exercise, &Role::Solution, Language::Cuda).expect("a solution");
        let launches = scenes(exercise, &solution).expect("the solution's launches");
        let launches: Vec<Scene> = launches.into_iter().map(|case| case.scene).collect();
        let mut roles = vec![Role::Skeleton, Role::Solution];
        roles.extend(exercise.wrong_answers(Language::Cuda).expect("wrong answers"));
        roles.iter().for_each(|role| exercise_rows(&clang, exercise, role, &launches, &mut rows));
    }
    require(rows, "exercises");
}
