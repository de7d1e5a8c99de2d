//! The kernels on a GPU.

use super::table::{self, Row};
use super::{Compiler, STAGES, own_rungs};
use common::device::{Backend, DeviceChoice};
use common::kernel::KernelSource;
use common::options::Options;
use common::session::Session;
use common::stage::{Plan, Stage};
use std::path::Path;

/// Timed runs of a kernel, at most; their median counts.
const RUNS: usize = 20;

/// Every compiler has its turn this often, and its lowest median counts.
const ROUNDS: usize = 2;

/// Times all kernels and prints the table.
pub fn all(folder: &Path) -> Result<(), String> {
    let mut rows = Vec::new();
    for stage in STAGES {
        let mut session = Session::open(DeviceChoice::Cuda, None).map_err(|error| error.to_string())?;
        let options = Options::parse_for(stage, [stage.name.into()]).map_err(|error| error.to_string())?;
        let plans = options.plans(stage, Backend::Cuda).map_err(|error| error.to_string())?;
        for plan in plans.iter().filter(|plan| own_rungs(stage).any(|rung| rung.kernel == plan.rung.kernel)) {
            let row = row(&mut session, stage, plan, folder);
            table::print(&row);
            rows.push(row);
        }
    }
    table::print_summary(&rows);
    Ok(())
}

/// Times a kernel with the PTX of each compiler.
fn row(session: &mut Session, stage: &Stage, plan: &Plan, folder: &Path) -> Row {
    let mut times = Compiler::ALL.map(|_| Err("not timed".to_owned()));
    for _ in 0..ROUNDS {
        for (compiler, best) in Compiler::ALL.into_iter().zip(&mut times) {
            let time = time(session, stage, plan, folder, compiler);
            let is_better = match (&*best, &time) {
                (Ok(best), Ok(time)) => time < best,
                (Ok(_), Err(_)) | (Err(_), _) => true,
            };
            if is_better {
                *best = time;
            }
        }
    }
    Row { kernel: plan.rung.kernel, times }
}

/// Returns the median time in milliseconds, or why there is none.
fn time(session: &mut Session, stage: &Stage, plan: &Plan, folder: &Path, compiler: Compiler) -> Result<f64, String> {
    let companion = plan.companion().map(|(source, _)| source);
    for source in [Some(plan.source()), companion].into_iter().flatten() {
        session.replace_ptx(source, ptx(stage, source, folder, compiler)?);
    }
    let run = session.run(plan, RUNS).map_err(|error| error.to_string())?;
    if !run.report.passed() {
        return Err(format!("wrong results: {:?}", run.report));
    }
    run.timing.map(|timing| timing.median).ok_or_else(|| "no GPU".into())
}

fn ptx(stage: &Stage, source: &KernelSource, folder: &Path, compiler: Compiler) -> Result<String, String> {
    if compiler == Compiler::Nvrtc {
        return Ok(source.ptx().into());
    }
    let file = folder.join(compiler.file(stage.name, source.file));
    std::fs::read_to_string(&file).map_err(|error| format!("cannot read {}: {error}", file.display()))
}
