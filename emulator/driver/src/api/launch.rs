//! Kernel launches. The kernel has ended when the call returns. If it faulted, the next call that waits fails.

use crate::arguments::{In, KernelParams, LaunchExtra};
use crate::boundary::api;
use crate::device_properties::{MAX_THREADS_PER_BLOCK, Properties};
use crate::result::{CUresult, Error, Outcome, invalid, require};
use crate::state::current::{Current, on_stream};
use crate::state::estimates::Estimated;
use crate::state::settings::Estimates;
use crate::state::stream_order::WorkKind;
use crate::state::{Function, Handle, Stream, estimates, report, settings};
use emulator::{Accesses, Counters, Dim3, Fault, FaultKind, Kernel, Launch, LaunchError, Memory, Options, Scene};
use std::ffi::{c_char, c_uint};

/// The shape of a launch.
#[derive(Clone, Copy)]
struct Shape {
    grid: Dim3,
    block: Dim3,
    dynamic_shared_bytes: u32,
    /// Whether all blocks must be resident at the same time.
    cooperative: bool,
    /// The number of blocks of a cluster along each axis, if the launch asks for clusters.
    cluster: Option<Dim3>,
    /// Whether it may begin before the kernel before it on its stream is complete.
    programmatic: bool,
}

impl Shape {
    fn launch(self, parameters: &[u8]) -> Launch<'_> {
        let Self { grid, block, dynamic_shared_bytes, cooperative, cluster, .. } = self;
        Launch { grid, block, dynamic_shared_bytes, parameters, cooperative, cluster }
    }
}

/// The arguments of a launch, which the caller passes in one of two ways.
struct Arguments {
    values: KernelParams,
    extra: LaunchExtra,
}

impl Arguments {
    /// Returns the parameter block of `function`.
    fn block(&self, function: &Function) -> Outcome<Vec<u8>> {
        let bytes = function.kernel.parameter_bytes();
        let Some(block) = self.extra.buffer()? else {
            // SAFETY: the caller passes a pointer for each parameter of the launched function.
            return unsafe { self.values.gather(function.kernel.parameters(), bytes) };
        };
        let wrong = |code: CUresult| {
            let name = function.kernel.name();
            code.because(format!("{name} takes {bytes} bytes of parameters, and the launch passes {}", block.len()))
        };
        match block.len().cmp(&bytes) {
            _ if !self.values.is_null() => Err(invalid("kernelParams and extra are both set: pass one of them")),
            std::cmp::Ordering::Less => Err(wrong(CUresult::INVALID_VALUE)),
            std::cmp::Ordering::Equal => Ok(block),
            std::cmp::Ordering::Greater => Err(wrong(CUresult::LAUNCH_OUT_OF_RESOURCES)),
        }
    }
}

/// Fails if the launch exceeds the function's dynamic shared memory, or if a cooperative launch has more blocks than can be
/// resident (see `cuOccupancyMaxActiveBlocksPerMultiprocessor`). Other launches are never limited by registers, because PTX
/// does not determine how many a compiler would allocate. The emulator checks the shape itself.
fn require_resources(function: &Function, shape: &Shape, device: &Properties) -> Outcome {
    let name = function.kernel.name();
    let bytes = shape.dynamic_shared_bytes;
    let allowed = function.max_dynamic_shared_bytes();
    require(
        bytes <= allowed,
        format_args!(
            "{name} may use {allowed} bytes of dynamic shared memory, and the launch requests {bytes}: allow more with \
             cuFuncSetAttribute(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)"
        ),
    )?;
    let grid = shape.grid.volume();
    let threads = shape.block.volume();
    if !shape.cooperative || !(1..=u64::from(MAX_THREADS_PER_BLOCK)).contains(&threads) {
        return Ok(());
    }
    let on_each = device.chip.resident_blocks(&function.resources(), threads as u32, bytes as usize);
    let multiprocessors = device.multiprocessors;
    let room = u64::from(on_each) * u64::from(multiprocessors);
    CUresult::COOPERATIVE_LAUNCH_TOO_LARGE.unless(grid <= room, format_args!(
            "a cooperative launch of {grid} blocks: with {threads} threads and {bytes} bytes of dynamic shared memory, {room} \
             blocks of {name} can be resident, {on_each} on each of {multiprocessors} multiprocessors"
        ))?;
    Ok(())
}

fn fault_code(fault: &Fault) -> CUresult {
    match fault.kind {
        FaultKind::OutOfBounds => CUresult::ILLEGAL_ADDRESS,
        FaultKind::Misaligned => CUresult::MISALIGNED_ADDRESS,
        FaultKind::Deadlock | FaultKind::Budget => CUresult::LAUNCH_TIMEOUT,
        FaultKind::Assertion => CUresult::ASSERT,
        // Traps, and kinds that the emulator may add.
        _ => CUresult::LAUNCH_FAILED,
    }
}

fn launch_error(error: LaunchError) -> Error {
    match error {
        LaunchError::Invalid { .. } => invalid(error),
        LaunchError::Fault(fault) => fault_code(&fault).because(fault),
        _ => CUresult::LAUNCH_FAILED.because(error),
    }
}

/// Runs the kernel, and records the launch as a scene if scenes are on. Returns its accesses to memory if checks are on.
fn run(place: &Current, kernel: &Kernel, launch: &Launch<'_>) -> Outcome<Accesses> {
    report::set_last_counters(None);
    place.context.write_printed();
    let memory = &place.context.peers.memory();
    let before = settings::scenes().then(|| Scene::before(kernel, memory, launch));
    let estimates = (settings::estimates() != Estimates::Off).then(|| estimates::before(kernel, memory, launch));
    let estimated = estimates.transpose().map_err(|error| CUresult::UNKNOWN.because(error))?;
    if settings::estimates() == Estimates::Instead {
        estimated.into_iter().for_each(Estimated::add);
        return Ok(Accesses::default());
    }
    let device = place.driver.properties(&place.context);
    let options = settings::options(device);
    let Ran { accesses, fault } = run_kernel(kernel, memory, launch, &options)?;
    let has_time_limit = device.time_limit.is_some() && options.instruction_budget == device.time_limit;
    match fault {
        Some(LaunchError::Fault(fault)) if has_time_limit && fault.kind == FaultKind::Budget => {
            let detail = "the time limit of a device with a display has ended the kernel";
            place.context.fault(CUresult::LAUNCH_TIMEOUT.because(detail));
        }
        Some(fault) => place.context.fault(launch_error(fault)),
        None => estimated.into_iter().for_each(Estimated::add),
    }
    if let Some(before) = before {
        let scene = before.and_then(|before| before.after(memory));
        report::add_scene(scene.map_err(|error| CUresult::UNKNOWN.because(error))?);
    }
    Ok(accesses)
}

/// The outcome of a launch that was valid.
#[derive(Default)]
struct Ran {
    /// The accesses to memory, if checks are on.
    accesses: Accesses,
    /// The fault, for the next call that waits.
    fault: Option<LaunchError>,
}

/// Runs the kernel. Stores its counters or findings.
fn run_kernel(kernel: &Kernel, memory: &Memory, launch: &Launch<'_>, options: &Options) -> Outcome<Ran> {
    if settings::checks() {
        let (verdict, accesses) = emulator::check_accesses(kernel, memory, launch, options).map_err(launch_error)?;
        report::add_findings(verdict.diagnoses());
        return Ok(Ran { accesses, fault: verdict.fault.map(LaunchError::Fault) });
    }
    let launched = if settings::samples() {
        emulator::launch_sampled(kernel, memory, launch, options).map(|sampled| {
            let (counters, sample) = sampled.unzip();
            report::add_sample(kernel.name(), sample);
            counters
        })
    } else {
        emulator::launch(kernel, memory, launch, options).map(Some)
    };
    match launched {
        Ok(counters) => {
            report::set_last_counters(counters.filter(|_: &Counters| options.counters));
            Ok(Ran::default())
        }
        Err(error @ LaunchError::Fault(_)) => Ok(Ran { fault: Some(error), ..Ran::default() }),
        Err(error) => Err(launch_error(error)),
    }
}

/// Submits a launch to a stream.
fn launch(stream: Handle<Stream>, function: Handle<Function>, shape: Shape, arguments: &Arguments) -> Outcome {
    report::set_last_counters(None);
    let place = on_stream(stream)?;
    let function = place.driver.functions.get(function)?;
    CUresult::INVALID_HANDLE.unless(
        function.context == place.handle || function.context == Handle::NULL,
        "the function and the stream belong to different contexts",
    )?;
    require_resources(&function, &shape, place.driver.properties(&place.context))?;
    let parameters = arguments.block(&function)?;
    emulator::validate(&function.kernel, &shape.launch(&parameters)).map_err(launch_error)?;
    let clusters = function.kernel.check_clusters(&shape.launch(&parameters));
    clusters
        .map_err(|reason| CUresult::INVALID_CLUSTER_SIZE.because(format!("{}: {reason}", function.kernel.name())))?;
    let is_early = shape.programmatic && !function.waits_for_earlier_kernels();
    let kind = if is_early { WorkKind::EarlyKernel } else { WorkKind::Kernel };
    // A captured launch keeps the current values of the parameters.
    let work = move |place: &Current| {
        let kernel = function.kernel_in(&place.context)?;
        let what = format!("kernel `{}`", kernel.name());
        place.perform(&what, kind, || run(place, &kernel, &shape.launch(&parameters)))
    };
    place.submit(work)
}

/// `CUlaunchAttribute`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchAttribute {
    number: c_uint,
    padding: [c_char; 4],
    value: [c_uint; 16],
}

/// `CUlaunchConfig`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct LaunchConfig {
    grid: [c_uint; 3],
    block: [c_uint; 3],
    dynamic_shared_bytes: c_uint,
    stream: Handle<Stream>,
    attributes: In<LaunchAttribute>,
    attribute_count: c_uint,
}

// The layout of the C structures.
const _: () = {
    assert!(size_of::<LaunchAttribute>() == 72);
    assert!(size_of::<LaunchConfig>() == 56);
    assert!(std::mem::offset_of!(LaunchConfig, stream) == 32);
    assert!(std::mem::offset_of!(LaunchConfig, attribute_count) == 48);
};

/// `CU_LAUNCH_ATTRIBUTE_COOPERATIVE`.
const COOPERATIVE: c_uint = 2;

/// `CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION`.
const CLUSTER_DIMENSION: c_uint = 4;

/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`.
const PROGRAMMATIC_STREAM_SERIALIZATION: c_uint = 6;

/// The maximum number of attributes of a launch. CUDA 12.8 has fewer kinds.
const MAX_ATTRIBUTES: c_uint = 64;

/// Fails for attributes that change the meaning of a launch. Hints are accepted and ignored.
fn require_plain(attribute: &LaunchAttribute) -> Outcome {
    let plain = match attribute.number {
        // IGNORE, ACCESS_POLICY_WINDOW, SYNCHRONIZATION_POLICY, CLUSTER_SCHEDULING_POLICY_PREFERENCE,
        // PRIORITY, MEM_SYNC_DOMAIN_MAP, MEM_SYNC_DOMAIN, PREFERRED_SHARED_MEMORY_CARVEOUT
        0 | 1 | 3 | 5 | 8 | 9 | 10 | 14 => true,
        // which the caller handles
        COOPERATIVE | CLUSTER_DIMENSION | PROGRAMMATIC_STREAM_SERIALIZATION => true,
        // PREFERRED_CLUSTER_DIMENSION
        11 => attribute.value[..3] == [1, 1, 1],
        _ => false,
    };
    CUresult::NOT_SUPPORTED.unless(plain, format_args!("launch attribute {} is not supported", attribute.number))
}

fn dimensions([x, y, z]: [c_uint; 3]) -> Dim3 {
    Dim3 { x, y, z }
}

api! {
    /// Launches a kernel.
    fn cuLaunchKernel(
        function: Handle<Function>,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared_bytes: c_uint,
        stream: Handle<Stream>,
        values: KernelParams,
        extra: LaunchExtra,
    ) {
        let grid = dimensions([grid_x, grid_y, grid_z]);
        let block = dimensions([block_x, block_y, block_z]);
        let shape = Shape { grid, block, dynamic_shared_bytes, cooperative: false, cluster: None, programmatic: false };
        launch(stream, function, shape, &Arguments { values, extra })
    }

    /// Launches a kernel whose blocks are all resident at the same time, so that they can wait for each other.
    fn cuLaunchCooperativeKernel(
        function: Handle<Function>,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        dynamic_shared_bytes: c_uint,
        stream: Handle<Stream>,
        values: KernelParams,
    ) {
        let grid = dimensions([grid_x, grid_y, grid_z]);
        let block = dimensions([block_x, block_y, block_z]);
        let shape = Shape { grid, block, dynamic_shared_bytes, cooperative: true, cluster: None, programmatic: false };
        launch(stream, function, shape, &Arguments { values, extra: LaunchExtra::NONE })
    }

    /// Launches a kernel. Attributes that are hints are ignored; events are not supported.
    fn cuLaunchKernelEx(
        config: In<LaunchConfig>,
        function: Handle<Function>,
        values: KernelParams,
        extra: LaunchExtra,
    ) {
        let config = config.require("the launch configuration is null")?;
        let count = config.attribute_count;
        require(
            count <= MAX_ATTRIBUTES,
            format_args!("{count} launch attributes: the configuration is not initialized"),
        )?;
        // SAFETY: the configuration contains the number of attributes.
        let attributes = unsafe { config.attributes.list(count as usize) }?;
        attributes.iter().try_for_each(require_plain)?;
        let grid = dimensions(config.grid);
        let block = dimensions(config.block);
        let is_set = |number| attributes.iter().any(|attribute| attribute.number == number && attribute.value[0] != 0);
        let cooperative = is_set(COOPERATIVE);
        let cluster = attributes.iter().find(|attribute| attribute.number == CLUSTER_DIMENSION);
        let cluster = cluster.map(|attribute| dimensions([attribute.value[0], attribute.value[1], attribute.value[2]]));
        let programmatic = is_set(PROGRAMMATIC_STREAM_SERIALIZATION);
        let dynamic_shared_bytes = config.dynamic_shared_bytes;
        let shape = Shape { grid, block, dynamic_shared_bytes, cooperative, cluster, programmatic };
        launch(config.stream, function, shape, &Arguments { values, extra })
    }
}
