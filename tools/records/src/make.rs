//! The recording: the rates of the GPU's units, and then each kernel of the stages in its default launch.

use crate::expected::{self, Expected};
use crate::file::{Cause, Chip, GpuRecord, LeftOut, SCHEMA};
use anyhow::{Context, Result, bail, ensure};
use common::ceilings::Measured;
use common::ceilings::bench::quick;
use common::device::{Backend, Device, DeviceChoice};
use common::error::Error;
use common::format::now;
use common::kernel::PREBUILT;
use common::outcome::Outcome;
use common::recorded::Language;
use common::report::Record;
use common::session::Session;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;
use std::time::{Duration, Instant};

/// The most timed runs of a kernel.
const RUNS: usize = 20;

/// The time after which no kernel begins: the others are left out.
const BUDGET: Duration = Duration::from_mins(5);

/// The fields of a stage's record that follow from others of the file, or say nothing about the GPU.
const UNNEEDED: [&str; 9] =
    ["counters", "cpu", "below", "time", "units", "limited_by", "machine_instructions", "launches", "estimate"];

/// Records the GPU of this machine, without these kernels.
///
/// # Errors
/// An error if there is no such kernel, or no GPU, if a kernel has wrong results or was edited, or if the GPU stops with a fault.
pub fn record(bar: &ProgressBar, without: &[String]) -> Result<GpuRecord> {
    let all = expected::all()?;
    let is_known = |name: &&String| all.iter().any(|one| one.plan.rung.kernel == **name);
    if let Some(unknown) = without.iter().find(|name| !is_known(name)) {
        bail!("--without {unknown}: there is no such kernel");
    }
    let started = Instant::now();
    let date = now();
    let mut session = Session::open(DeviceChoice::Cuda, None)?;
    let mut file = GpuRecord {
        schema: SCHEMA,
        device: chip(&session.device)?,
        driver: session.device.driver.clone(),
        date,
        limits: limits(&session.device, bar)?,
        left_out: Vec::new(),
        records: Vec::new(),
    };
    bar.set_length((file.limits.len() + all.len()) as u64);
    for one in all {
        bar.set_message(one.name().to_string());
        if without.iter().any(|name| name == one.plan.rung.kernel) {
            file.left_out.push(left_out(&one, Cause::Refused, "it was left out by --without".into()));
            continue;
        }
        match result(&mut session, &one, started)? {
            Ok(record) => file.records.push(record),
            Err((because, reason)) => file.left_out.push(left_out(&one, because, reason)),
        }
        bar.inc(1);
    }
    Ok(file)
}

/// Returns a progress bar, which is shown if standard error is a terminal.
#[must_use]
pub fn bar() -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:20} {pos}/{len}  {elapsed}  {wide_msg}");
    let bar = ProgressBar::no_length();
    bar.enable_steady_tick(Duration::from_millis(200));
    // The template is a constant; if it were invalid, the plain bar would serve.
    style.map_or_else(|_| bar.clone(), |style| bar.clone().with_style(style))
}

/// Returns the entry of a kernel without a record.
#[must_use]
pub fn left_out(one: &Expected, because: Cause, reason: String) -> LeftOut {
    let language = Language::rust_if(one.plan.in_rust);
    LeftOut { stage: one.stage.name.into(), kernel: one.plan.rung.kernel.into(), language, because, reason }
}

/// Returns the record of a kernel, or the reason for leaving it out.
fn result(session: &mut Session, one: &Expected, started: Instant) -> Result<Result<Value, (Cause, String)>> {
    if let Some(reason) = one.unfit_for(session.device.compute_capability) {
        return Ok(Err((Cause::ComputeCapability, reason)));
    }
    if started.elapsed() > BUDGET {
        let minutes = BUDGET.as_secs() / 60;
        return Ok(Err((Cause::Time, format!("the kernels before it had taken {minutes} minutes"))));
    }
    let error = match run(session, one) {
        Ok(record) => return record.map(Ok),
        Err(error) => error,
    };
    // After a fault of a kernel, the driver runs nothing more.
    let kernel = one.plan.rung.kernel;
    let again = || {
        format!(
            "{}: {error}\nThe GPU stopped; `cargo x record --without {kernel}` does without this kernel",
            one.name()
        )
    };
    session.device.synchronize("go on").with_context(again)?;
    Ok(Err((cause(&error), error.to_string())))
}

/// Returns the kind of an error after which the GPU goes on.
fn cause(error: &Error) -> Cause {
    match error {
        Error::OutOfMemory { .. } => Cause::Memory,
        Error::Driver { doing, .. } if doing.contains("bytes of shared memory") => Cause::SharedMemory,
        _ => Cause::Refused,
    }
}

/// Runs a kernel and returns its record.
fn run(session: &mut Session, one: &Expected) -> Result<Result<Value>, Error> {
    let run = session.run(&one.plan, RUNS)?;
    let outcome = Outcome::of_run(session, run);
    let name = one.name();
    if !outcome.passed() {
        let example = outcome.run.report.examples.first().map_or(String::new(), |example| format!(": {example}"));
        let again = format!("cargo run -p {} -- --kernel {}", one.stage.name, one.plan.rung.kernel);
        return Ok(Err(anyhow::anyhow!("{name} has wrong results on this GPU{example}; `{again}` shows them")));
    }
    let code = &outcome.run.code;
    if code != PREBUILT {
        return Ok(Err(anyhow::anyhow!("{name} was compiled on this machine ({code}): undo the edits of its file")));
    }
    Ok(brief(&Record::new(one.stage, session, &outcome, &[])))
}

/// Returns a record without the fields that are null or unneeded.
///
/// # Errors
/// The serializer's.
pub fn brief(record: &Record) -> Result<Value> {
    let mut value = serde_json::to_value(record)?;
    let fields = value.as_object_mut().context("a record is no object")?;
    fields.retain(|name, value| !value.is_null() && !UNNEEDED.contains(&name.as_str()));
    Ok(value)
}

/// Returns the device's attributes.
fn chip(device: &Device) -> Result<Chip> {
    ensure!(device.backend == Backend::Cuda, "a record needs an NVIDIA GPU");
    let (major, minor) = device.compute_capability;
    if (major, minor) < (7, 5) {
        bail!("{} has compute capability {major}.{minor}; the kernels need 7.5 or newer", device.name);
    }
    let attributes = &device.attributes;
    Ok(Chip {
        name: device.name.clone(),
        compute_capability: format!("{major}.{minor}"),
        multiprocessors: attributes.multiprocessors.context("the driver does not report the multiprocessors")?,
        memory_bytes: device.context.total_mem().context("the driver does not report the memory")? as u64,
        l2_bytes: device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE).map(u64::from),
        clock_mhz: device.attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE).map(|khz| f64::from(khz) / 1e3),
        fp32_flops_per_second: attributes.fp32_flops_per_second,
        tensor_flops_per_second: attributes.tensor_flops_per_second,
        special_functions_per_second: attributes.special_functions_per_second,
        memory_bytes_per_second: attributes.memory_bytes_per_second,
    })
}

/// Measures the rates of the device's units, as a stage does on a GPU without a record.
fn limits(device: &Device, bar: &ProgressBar) -> Result<Vec<Measured>> {
    let quick = quick::measure(device, |one| {
        bar.set_message(format!("the rate of {}, by {}", one.limit.name(), one.kernel));
        bar.inc(1);
    });
    ensure!(quick.failures.is_empty(), "{}", quick.failures.join("\n"));
    Ok(quick.measured)
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::problem::Size;
    use common::stage::{Plan, Shape};

    #[test]
    fn a_kernel_is_left_out_for_what_the_driver_says() {
        let device = Device::open(DeviceChoice::Emulator).expect("the emulator");
        let error = device.stream.alloc_zeros::<u8>(1 << 60).expect_err("no such memory");
        assert_eq!(cause(&device.explain("allocate", error)), Cause::Memory);
        let doing = "cannot give a block of k 200000 bytes of shared memory".to_owned();
        assert_eq!(cause(&Error::Driver { doing, reason: "invalid argument".into() }), Cause::SharedMemory);
        assert_eq!(cause(&Error::Kernel("too many resources".into())), Cause::Refused);
    }

    #[test]
    fn a_record_of_the_emulator_has_its_kernel_and_no_time() {
        let mut session = Session::open(DeviceChoice::Emulator, None).expect("the emulator");
        let one = expected::all().expect("kernels").swap_remove(0);
        let rung = one.plan.rung;
        let plan = Plan::new(rung, Size::new(1000), Shape::block(rung.block)).expect("a plan");
        let small = Expected { plan, ..one };
        let record = run(&mut session, &small).expect("it runs").expect("correct results");
        assert_eq!(record["kernel_sha256"], rung.version(false).as_str());
        assert_eq!((&record["backend"], &record["size"]), (&"emulator".into(), &1000.into()));
        let fields = record.as_object().expect("an object");
        assert!(!fields.contains_key("time_ms") && !fields.contains_key("counters"), "{record}");
    }
}
