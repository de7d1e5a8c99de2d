//! The detection of a mutant.

use super::{Change, Subject};
use crate::planes::over_a_plane;
use common::checked::Checked;
use common::device::DeviceChoice;
use common::problem::{Parameters, Size};
use common::session::Session;
use common::stage::{Entry, Grid, Plan, Shape};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// Numbers of bodies, the fastest first, so that an endless loop is stopped early. They are around the 4 by which compilers unroll,
/// some with a remainder of three, since a single remaining body may not cross the box, and around the quarters of a chunk of
/// 1024.
const BODIES: [usize; 15] = [34, 1, 3, 4, 7, 11, 15, 19, 23, 27, 300, 602, 800, 1024, 1025];
/// Numbers of values: full and partial slices of 128 and 512, and remainders of each power of two.
const VALUES: [usize; 12] = [35, 1, 2, 3, 5, 11, 23, 47, 100, 512, 1000, 1025];
/// Atoms, columns and rows: each remainder modulo 8 columns, each multiple of 16 up to 128, single rows and columns, and no
/// remainder.
const PLANES: [(usize, u32, u32); 12] = [
    (1, 5, 3),
    (3, 22, 3),
    (4, 39, 3),
    (5, 56, 17),
    (2, 73, 3),
    (33, 90, 3),
    (7, 107, 3),
    (6, 124, 3),
    (3, 1, 5),
    (3, 4, 1),
    (5, 128, 32),
    (100, 100, 50),
];
/// One head of a tile and of a partial one, then without later keys.
const HEADS: [(usize, u32, u32); 2] = [(65, 1, 0), (65, 1, 1)];
/// Two kinds of sparse matrices.
const AWKWARD: u32 = 3;
const BY_A_POWER_LAW: u32 = 0;
/// The number of steps. The second step begins with the results of the first.
const STEPS: u32 = 2;

/// The sizes at which the kernels of a stage run.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// The numbers of bodies, or of rows of a sparse matrix, the fastest first.
    pub bodies: &'static [usize],
    /// The numbers of values to sum.
    pub values: &'static [usize],
    /// The numbers of atoms, columns and rows.
    pub planes: &'static [(usize, u32, u32)],
    /// The numbers of positions and of heads, and whether later keys are left out.
    pub heads: &'static [(usize, u32, u32)],
    /// Additional numbers of threads per block, if the kernel accepts them.
    pub blocks: &'static [u32],
    /// The number of time steps, for problems with steps.
    pub steps: u32,
    /// The mutations.
    pub changes: &'static [Change],
}

/// Sizes for kernels with one thread per body and with chunks of at most 1024 bodies or atoms.
pub const SIZES: Sizes = Sizes {
    bodies: &BODIES,
    values: &VALUES,
    planes: &PLANES,
    heads: &HEADS,
    blocks: &OTHER_BLOCKS,
    steps: STEPS,
    changes: &Change::ALL,
};
/// The number of blocks for kernels with a grid-stride loop, with fewer threads than bodies.
const BLOCKS: u32 = 3;
/// Around 4, and one or two warps.
const OTHER_BLOCKS: [u32; 6] = [1, 2, 3, 4, 32, 64];
/// A mutant counts as endless if it executes this many times the kernel's warp instructions.
const ENDLESS: u64 = 20;
/// The least number of warp instructions for that.
const FEW: u64 = 10_000;

/// The name of the detector: a tool of the emulator's checks, [`RESULTS`] or [`BUDGET`].
pub(super) type Noticed = BTreeSet<String>;

const RESULTS: &str = "results";
const BUDGET: &str = "endless";

/// The runner for the mutants of one entry point.
pub(super) struct Judge<'a> {
    subject: &'a Subject<'a>,
    /// The sizes, each with its budget of warp instructions per launch.
    plans: Vec<(Plan<'a>, u64)>,
    /// The session; `None` after a fault, which makes the context unusable.
    session: Option<Session>,
}

impl<'a> Judge<'a> {
    /// Makes a judge, and requires that it finds no fault in the unchanged kernel.
    pub fn new(subject: &'a Subject<'a>, sizes: &Sizes) -> Self {
        let mut session = open();
        session.replace_ptx(&subject.source, subject.ptx.clone());
        let with_budget = |plan| {
            let budget = FEW + ENDLESS * instructions(&mut session, &plan);
            (plan, budget)
        };
        let plans = plans(subject, sizes).into_iter().map(with_budget).collect();
        let mut judge = Self { subject, plans, session: Some(session) };
        let noticed = judge.notices(&subject.ptx);
        assert!(noticed.is_empty(), "{} itself: {noticed:?}", subject.entry);
        judge
    }

    /// Returns the detectors of a mutant at the first size at which it is detected.
    pub fn notices(&mut self, ptx: &str) -> Noticed {
        let mut session = self.session.take().unwrap_or_else(open);
        session.replace_ptx(&self.subject.source, ptx.into());
        for (plan, budget) in &self.plans {
            session.device.set_instruction_budget(*budget);
            let checked = session.check(plan).unwrap_or_else(|error| panic!("{}: {error}\n{ptx}", self.subject.entry));
            let noticed = who(&checked);
            if checked.report.is_none() {
                return noticed;
            }
            if !noticed.is_empty() {
                self.session = Some(session);
                return noticed;
            }
        }
        self.session = Some(session);
        Noticed::new()
    }
}

/// The budget is of the process, and other tests need none.
impl Drop for Judge<'_> {
    fn drop(&mut self) {
        self.session.take().unwrap_or_else(open).device.set_instruction_budget(0);
    }
}

fn open() -> Session {
    Session::open(DeviceChoice::Emulator, None).expect("the emulator opens")
}

/// Returns the plans for the kernel at all sizes and in several launch shapes.
fn plans<'a>(subject: &Subject<'a>, sizes: &Sizes) -> Vec<Plan<'a>> {
    let rung = subject.rung;
    let facts = subject.rung.work.facts();
    let steps = facts.steps.map(|_| sizes.steps);
    let plan = |size: &Size, block| {
        let size = Size { steps, ..size.clone() };
        let plan = Plan::new(rung, size, Shape::grid(BLOCKS, block)).expect("the kernel takes this size and shape");
        if subject.in_rust { plan.in_rust().expect("the kernel is written in Rust") } else { plan }
    };
    if facts.has_parameter("width") {
        let plan_of = |&(n, width, height)| plan(&over_a_plane(n, (width, height)), rung.block);
        return sizes.planes.iter().map(plan_of).collect();
    }
    if facts.has_parameter("heads") {
        let plan_of = |&(n, heads, causal): &(usize, u32, u32)| {
            let parameters = Parameters::default().with("heads", heads).with("causal", causal);
            plan(&Size { parameters, ..Size::new(n) }, rung.block)
        };
        return sizes.heads.iter().map(plan_of).collect();
    }
    if facts.has_parameter("matrix") {
        let plan_of = |n, kind: u32, block| {
            plan(&Size { parameters: Parameters::default().with("matrix", kind), ..Size::new(n) }, block)
        };
        let of_both = |&n: &usize| [AWKWARD, BY_A_POWER_LAW].map(|kind| plan_of(n, kind, rung.block));
        let mut plans: Vec<_> = sizes.bodies.iter().flat_map(of_both).collect();
        if matches!(rung.entry, Entry::Single(_)) {
            let blocks = sizes.blocks.iter().filter(|&&block| rung.blocks.accept(block));
            plans.extend(blocks.map(|&block| plan_of(sizes.bodies[0], AWKWARD, block)));
        }
        return plans;
    }
    let blocks = sizes.blocks.iter().filter(|&&block| rung.blocks.accept(block));
    let sizes = if ["integers", "numbers"].contains(&facts.units()) { sizes.values } else { sizes.bodies };
    let mut plans: Vec<_> = sizes.iter().map(|&n| plan(&Size::new(n), rung.block)).collect();
    // A grid may have more blocks than necessary; in a reduction, more than a block has threads.
    if !matches!(rung.grid, Grid::Computed(_)) {
        plans.push(Plan { grid: plans[0].grid + 1, ..plans[0].clone() });
    }
    if matches!(rung.grid, Grid::Stride(_)) && facts.units() == "integers" {
        plans.push(Plan { grid: rung.block + 2, ..plans[0].clone() });
    }
    // Other entry points have another text.
    if matches!(rung.entry, Entry::Single(_)) {
        plans.extend(blocks.map(|&block| plan(&Size::new(sizes[0]), block)));
    }
    plans
}

/// Returns the warp instructions of a launch of the unchanged kernel.
fn instructions(session: &mut Session, plan: &Plan) -> u64 {
    session.device.set_instruction_budget(0);
    let counters = session.with_case(plan, |_, case| {
        case.verify()?;
        Ok(case.counters())
    });
    counters.expect("the kernel runs").expect("the emulator counts").warp_instructions
}

fn who(checked: &Checked) -> Noticed {
    let tools = checked.findings.iter().map(|finding| finding.tool.map_or(BUDGET.into(), |tool| tool.to_string()));
    let mut noticed: Noticed = tools.collect();
    if checked.report.as_ref().is_some_and(|report| !report.passed()) {
        noticed.insert(RESULTS.into());
    }
    noticed
}

/// The number of mutants, and the number that each detector finds.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct Tally {
    mutants: usize,
    unnoticed: usize,
    noticed: BTreeMap<String, usize>,
}

impl Tally {
    /// Returns the heading of the columns.
    const COLUMNS: [&str; 6] = ["racecheck", "initcheck", "memcheck", "synccheck", RESULTS, BUDGET];

    /// Adds a mutant.
    pub fn add(&mut self, noticed: Noticed) {
        self.mutants += 1;
        self.unnoticed += usize::from(noticed.is_empty());
        noticed.into_iter().for_each(|who| *self.noticed.entry(who).or_default() += 1);
    }

    /// Adds another tally.
    pub fn merge(&mut self, other: Self) {
        self.mutants += other.mutants;
        self.unnoticed += other.unnoticed;
        other.noticed.into_iter().for_each(|(who, count)| *self.noticed.entry(who).or_default() += count);
    }

    /// Returns the heading of the table.
    pub fn head() -> String {
        let columns: String = Self::COLUMNS.iter().map(|column| format!("{column:>11}")).collect();
        format!("{:<36}{:>8}{columns}{:>11}", "", "mutants", "nobody")
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:>8}", self.mutants)?;
        for column in Self::COLUMNS {
            write!(formatter, "{:>11}", self.noticed.get(column).unwrap_or(&0))?;
        }
        write!(formatter, "{:>11}", self.unnoticed)
    }
}
