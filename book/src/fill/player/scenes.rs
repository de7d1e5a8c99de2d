//! The scenes of a stage: the choice of launches, and their recording.

use super::comparison;
use super::data::{KernelFile, Scenes, Take, language};
use crate::fill::kernels::Kernel;
use anyhow::{Context, Result, bail};
use common::device::DeviceChoice;
use common::problem::{Cost, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape, Stage};
use common::verify::Report;
use emulator::Scene;
use std::sync::{Mutex, PoisonError};

/// The block sizes to choose from. A kernel that accepts none of them has its default block size.
const BLOCKS: [u32; 3] = [32, 128, 256];

/// The number of blocks for kernels whose grid does not depend on n.
const GRID: u32 = 4;

/// The plane of points, and the heads, for problems with them. A row covers one whole tile of every kernel and a part of the next.
fn plane() -> Parameters {
    let spacing = serde_json::Number::from_f64(0.5).expect("a finite number");
    Parameters::default().with("width", 144).with("height", 12).with("spacing", spacing).with("heads", 1)
}

fn blocks(rung: &Rung) -> Vec<u32> {
    let accepted: Vec<u32> = BLOCKS.into_iter().filter(|&block| rung.blocks.accept(block)).collect();
    if accepted.is_empty() { vec![rung.block] } else { accepted }
}

/// Runs the stage's kernels on the emulator and returns their launches.
///
/// # Errors
/// Returns an error if a kernel cannot be run or has wrong results.
pub fn record(stage: &'static Stage) -> Result<Scenes> {
    let mut session = open()?;
    let mut marking = open()?;
    let mut scenes = Scenes::default();
    for rung in stage.rungs {
        scenes.add_kernel(rung)?;
        for n in rung.work.facts().small {
            for block in blocks(rung) {
                let plan = plan(rung, n, block)?;
                for plan in [plan.in_rust(), Some(plan)].into_iter().flatten().rev() {
                    let what = || format!("{} with {} in blocks of {block}", plan.name(), plan.describe_size());
                    scenes.add(&mut session, &mut marking, &plan).with_context(what)?;
                }
            }
        }
    }
    Ok(scenes)
}

/// Returns the launch of a scene.
fn plan(rung: &Rung, n: usize, block: u32) -> Result<Plan<'_>> {
    let facts = rung.work.facts();
    let steps = facts.steps.map(|_| 1);
    let size = Size { steps, parameters: facts.select_own(&plane()), ..Size::new(n) };
    Ok(Plan::new(rung, size, Shape { grid: Some(GRID), block })?)
}

/// Opens the emulator for scenes.
fn open() -> Result<Session> {
    let session = Session::open(DeviceChoice::Emulator, None)?;
    // The sums of atomic additions depend on the order of blocks, and a page has one thread.
    session.device.set_emulator_threads(1);
    Ok(session)
}

/// A lock, because the emulator keeps the launches of all threads or of none.
static TAKING: Mutex<()> = Mutex::new(());

/// The first launches of a run whose results were compared.
struct Taken {
    report: Report,
    cost: Cost,
    /// The launch of the kernel.
    scene: Scene,
    /// Whether there is no other launch of the kernel.
    is_only: bool,
    /// The launch of the kernel's companion, with its name; `None` also if so small a run needs none.
    companion: Option<(&'static str, Scene)>,
}

/// Runs a kernel, compares its results, and returns its first launch.
fn take(session: &mut Session, plan: &Plan) -> Result<Taken> {
    let _alone = TAKING.lock().unwrap_or_else(PoisonError::into_inner);
    session.device.set_scenes(true);
    let compared = session.with_case(plan, |_, case| Ok((case.verify()?, case.cost())));
    session.device.set_scenes(false);
    let (report, cost) = compared?;
    let taken = session.device.take_scenes()?;
    if !report.passed() {
        bail!("the results are wrong: {}", report.examples.first().map_or(String::new(), ToString::to_string));
    }
    let first = |entry: &str| taken.iter().find(|scene| scene.entry == entry).cloned();
    let companion = plan.companion().and_then(|(_, entry)| Some(entry).zip(first(entry)));
    let entry = plan.rung.entry.name_for(&plan.size, plan.block);
    let scene = first(&entry).with_context(|| format!("no launch of {entry}"))?;
    let is_only = taken.iter().filter(|scene| scene.entry == entry).count() == 1;
    Ok(Taken { report, cost, scene, is_only, companion })
}

/// Returns one launch of a kernel.
///
/// # Errors
/// Returns an error if the kernel cannot be run or has wrong results.
pub fn one(rung: &Rung, n: usize, block: u32) -> Result<Scene> {
    Ok(take(&mut open()?, &plan(rung, n, block)?)?.scene)
}

/// Returns the compared values of a scene. Without the lock, the marking launch might be among those that another thread takes.
fn compare(marking: &mut Session, plan: &Plan, scene: &Scene) -> Result<Vec<comparison::Output>> {
    let _alone = TAKING.lock().unwrap_or_else(PoisonError::into_inner);
    comparison::compare(marking, plan, scene)
}

impl Scenes {
    /// Adds the files of a rung: the kernel and its companion, in both languages.
    fn add_kernel(&mut self, rung: &'static Rung) -> Result<()> {
        let companion = rung.companion.map(|(_, name)| name);
        for name in [Some(rung.kernel), companion].into_iter().flatten() {
            let kernel = Kernel::find(name)?;
            for kernel in [kernel.in_rust().ok(), Some(kernel)].into_iter().flatten().rev() {
                let language = language(kernel.is_in_rust());
                let source = kernel.source.text;
                let name = kernel.name.to_owned();
                let file = kernel.file();
                let source = source.to_owned();
                self.kernels.push(KernelFile { name, language, file, source });
            }
        }
        Ok(())
    }

    /// Adds a launch and that of the companion; `marking` is a session of its own for the places of the compared values.
    fn add(&mut self, session: &mut Session, marking: &mut Session, plan: &Plan) -> Result<()> {
        let Taken { report, cost, scene, is_only, companion } = take(session, plan)?;
        // Kernels in Rust are not edited in a page. A kernel that marks the results of one launch cannot replace that of others.
        let outputs = if plan.in_rust || !is_only { Vec::new() } else { compare(marking, plan, &scene)? };
        self.add_take(plan, &report, (plan.rung.kernel, scene), outputs, cost.bytes_needed_by_a_launch)?;
        match companion {
            // An edited companion must leave the same bits: its comparison moves a body to the nearest image of the
            // reference's, which the page cannot repeat.
            Some(companion) => self.add_take(plan, &report, companion, Vec::new(), 0.0),
            None => Ok(()),
        }
    }

    fn add_take(
        &mut self,
        plan: &Plan,
        report: &Report,
        (kernel, scene): (&str, Scene),
        outputs: Vec<comparison::Output>,
        needed_bytes: f64,
    ) -> Result<()> {
        let blocks = scene.grid.iter().product();
        let mut scene = self.shelve(scene)?;
        scene["comparison"] = self.shelve_outputs(outputs);
        self.scenes.push(Take {
            kernel: kernel.to_owned(),
            language: language(plan.in_rust),
            size: plan.describe_size(),
            n: plan.size.n,
            block: plan.block,
            blocks,
            reference: describe(report),
            finding: None,
            needed_bytes,
            scene,
        });
        Ok(())
    }
}

/// Describes the comparison: `300 values compared …; the largest difference is 12 % of what is allowed`.
fn describe(report: &Report) -> String {
    let percent = 100.0 * report.worst_share_of_tolerance;
    let worst = match report.max_relative_error {
        0.0 => "no difference".to_owned(),
        _ => format!("the largest difference is {percent:.1} % of what is allowed"),
    };
    format!("{} values compared with the reference in double precision: {worst}", report.compared)
}
