//! The functions that exist only in the emulator: counters, the last error and launch settings. Settings apply to the whole
//! process, so tests that change one have their own.

use crate::support::process::own_process;
use crate::support::{
    FAULTS, KERNELS, abi_version, context, function, last_counters, last_error, set, shape, status, take_estimates,
    take_findings, take_scenes,
};
use cudarc::driver::sys::{CUgraphInstantiate_flags, CUresult, CUstreamCaptureMode};
use cudarc::driver::{CudaContext, PushKernelArg};
use emulator::{Diagnosis, Scene, Tool};
use predict::Prediction;
use std::sync::Arc;

#[test]
fn the_version_is_that_of_the_crate() {
    assert_eq!(abi_version(), emulator_driver::api::extensions::ABI_VERSION);
}

/// Launches `scale` on 1024 elements, which are 32 warps, and returns its counters.
fn counters_of_scale(context: &Arc<CudaContext>) -> serde_json::Value {
    let stream = context.default_stream();
    let scale = function(context, KERNELS, "scale");
    let input = stream.clone_htod(&[1.0_f32; 1024]).unwrap();
    let mut output = stream.alloc_zeros::<f32>(1024).unwrap();
    let mut launch = stream.launch_builder(&scale);
    launch.arg(&mut output).arg(&input).arg(&3.0_f32).arg(&1024_u32);
    // SAFETY: the kernel reads and writes the elements of both slices.
    unsafe { launch.launch(shape(8, 128, 0)) }.unwrap();
    assert_eq!(stream.clone_dtoh(&output).unwrap(), [3.0; 1024]);
    serde_json::from_str(&last_counters()).unwrap_or_default()
}

#[test]
fn counters_are_those_of_the_last_launch_when_they_are_on() {
    own_process!();
    let context = context();
    assert!(counters_of_scale(&context).is_null());
    set("coalesced_set_counters", 1_u32);
    let counters = counters_of_scale(&context);
    let stream = context.default_stream();
    let kernel = function(&context, FAULTS, "give_up");
    // SAFETY: the launch fails.
    let refused = unsafe { stream.launch_builder(&kernel).launch(shape(0, 1, 0)) };
    assert_eq!((status(refused), last_counters().as_str()), (CUresult::CUDA_ERROR_INVALID_VALUE, ""));
    set("coalesced_set_counters", 0_u32);
    assert_eq!(counters["global_load_requests"], 32);
    assert_eq!(counters["global_load_sectors"], 128);
    assert_eq!(counters["global_store_bytes"], 4096);
    let elsewhere = std::thread::spawn(last_counters).join().unwrap();
    assert_eq!(elsewhere, "");
    assert!(counters_of_scale(&context).is_null());
}

#[test]
fn a_launch_in_a_graph_is_counted_and_checked_like_any_other() {
    own_process!();
    let context = context();
    // SAFETY: all work is on one stream.
    unsafe { context.disable_event_tracking() };
    let stream = context.new_stream().unwrap();
    let scale = function(&context, KERNELS, "scale");
    let input = stream.clone_htod(&[1.0_f32; 1024]).unwrap();
    let mut output = stream.alloc_zeros::<f32>(1024).unwrap();
    set("coalesced_set_counters", 1_u32);
    let direct = counters_of_scale(&context);
    stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_THREAD_LOCAL).unwrap();
    let mut launch = stream.launch_builder(&scale);
    launch.arg(&mut output).arg(&input).arg(&3.0_f32).arg(&1024_u32);
    // SAFETY: the kernel reads and writes the elements of both slices.
    unsafe { launch.launch(shape(8, 128, 0)) }.unwrap();
    stream.memset_zeros(&mut output).unwrap();
    let graph = stream.end_capture(CUgraphInstantiate_flags(0)).unwrap().unwrap();
    for _ in 0..2 {
        graph.launch().unwrap();
        assert_eq!(serde_json::from_str::<serde_json::Value>(&last_counters()).unwrap(), direct);
    }
    set("coalesced_set_counters", 0_u32);
    set("coalesced_set_scenes", 1_u32);
    graph.launch().unwrap();
    graph.launch().unwrap();
    set("coalesced_set_scenes", 0_u32);
    let scenes: Vec<Scene> = serde_json::from_str(&take_scenes()).unwrap();
    assert!(scenes.len() == 2 && scenes.iter().all(|scene| scene.entry == "scale"));
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    own_process!();
    let context = context();
    set("coalesced_set_counters", 1_u32);
    let mut runs = Vec::new();
    for threads in [1_usize, 2, 0] {
        set("coalesced_set_threads", threads);
        runs.push(counters_of_scale(&context));
    }
    set("coalesced_set_counters", 0_u32);
    assert!(runs[0].is_object() && runs.iter().all(|run| *run == runs[0]), "{runs:?}");
}

#[test]
fn checked_launches_report_a_race_once_and_clean_ones_nothing() {
    own_process!();
    let context = context();
    let stream = context.default_stream();
    let race = function(&context, FAULTS, "race");
    let launch = || {
        // SAFETY: the kernel only accesses shared memory.
        unsafe { stream.launch_builder(&race).launch(shape(2, 32, 0)) }.unwrap();
    };
    launch();
    assert_eq!(take_findings(), "[]");
    set("coalesced_set_checks", 1_u32);
    assert!(counters_of_scale(&context).is_null(), "a checked launch takes no counters");
    assert_eq!(take_findings(), "[]");
    launch();
    set("coalesced_set_checks", 0_u32);
    let found: Vec<Diagnosis> = serde_json::from_str(&take_findings()).unwrap();
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].title.starts_with("race within a warp (no __syncwarp between the "), "{found:?}");
    assert_eq!((found[0].tool, found[0].sides.len()), (Some(Tool::Racecheck), 2));
    assert_eq!(take_findings(), "[]");
}

#[test]
fn launches_are_recorded_as_scenes_on_request() {
    own_process!();
    let context = context();
    counters_of_scale(&context);
    assert_eq!(take_scenes(), "[]");
    set("coalesced_set_scenes", 1_u32);
    counters_of_scale(&context);
    set("coalesced_set_scenes", 0_u32);
    let scenes: Vec<Scene> = serde_json::from_str(&take_scenes()).unwrap();
    assert_eq!(take_scenes(), "[]");
    let [scene] = &scenes[..] else { panic!("{} scenes", scenes.len()) };
    assert_eq!((scene.entry.as_str(), scene.grid, scene.block), ("scale", [8, 1, 1], [128, 1, 1]));
    assert_eq!((scene.memory.len(), scene.results.len()), (2, 1));
    assert_eq!(scene.results[0].contents, 3.0_f32.to_le_bytes().repeat(1024));
    let replay = scene.set_up(1 << 20).unwrap();
    assert_eq!(replay.unequal_words().unwrap(), 1024, "before the launch");
    emulator::launch(&replay.kernel, &replay.memory, &replay.launch(), &emulator::Options::default()).unwrap();
    assert_eq!(replay.unequal_words().unwrap(), 0);
}

#[test]
fn a_launch_ends_when_its_budget_does() {
    own_process!();
    let context = context();
    let stream = context.default_stream();
    let never_end = function(&context, FAULTS, "never_end");
    set("coalesced_set_instruction_budget", 10_000_u64);
    // SAFETY: the kernel accesses no memory.
    unsafe { stream.launch_builder(&never_end).launch(shape(1, 32, 0)) }.unwrap();
    set("coalesced_set_instruction_budget", 0_u64);
    assert_eq!(status(stream.synchronize()), CUresult::CUDA_ERROR_LAUNCH_TIMEOUT);
    assert!(last_error().contains("never_end"), "{}", last_error());
}

#[test]
fn an_endless_block_ends_by_its_budget_and_without_an_estimate() {
    own_process!();
    let context = context();
    let stream = context.default_stream();
    let never_end = function(&context, FAULTS, "never_end");
    set("coalesced_set_block_budget", 10_000_u64);
    set("coalesced_set_estimates", 1_u32);
    // SAFETY: the kernel accesses no memory.
    unsafe { stream.launch_builder(&never_end).launch(shape(1000, 32, 0)) }.unwrap();
    assert_eq!(status(stream.synchronize()), CUresult::CUDA_ERROR_LAUNCH_TIMEOUT);
    let error = last_error();
    assert!(error.contains("never_end") && error.contains("this block has executed"), "{error}");
    assert!(error.contains("thread (0, 0, 0)"), "{error}");
}

#[test]
fn the_last_error_is_that_of_the_threads_last_failed_call() {
    own_process!();
    let context = context();
    assert_eq!(last_error(), "");
    let unknown = context.load_module(cudarc::nvrtc::Ptx::from_src("not PTX"));
    assert_eq!(status(unknown), CUresult::CUDA_ERROR_INVALID_IMAGE);
    assert!(last_error().contains(".version"), "{}", last_error());
    context.synchronize().unwrap();
    assert!(last_error().contains(".version"), "a call that succeeds keeps it");
    assert_eq!(std::thread::spawn(last_error).join().unwrap(), "");
}

#[test]
fn launches_are_estimated_beside_or_instead_of_running() {
    own_process!();
    let context = context();
    counters_of_scale(&context);
    assert_eq!(take_estimates(), "[]");
    set("coalesced_set_estimates", 1_u32);
    counters_of_scale(&context);
    let beside: Vec<Prediction> = serde_json::from_str(&take_estimates()).unwrap();
    let [Prediction::Estimate(estimate)] = &beside[..] else { panic!("{beside:?}") };
    // A load that misses all caches but the L2 cache is the least that the kernel waits for.
    assert!(estimate.kernel == "scale" && (278..2000).contains(&estimate.cycles), "{estimate:?}");
    assert_eq!(take_estimates(), "[]");
    set("coalesced_set_estimates", 2_u32);
    let stream = context.default_stream();
    let scale = function(&context, KERNELS, "scale");
    let input = stream.clone_htod(&[1.0_f32; 1024]).unwrap();
    let mut output = stream.alloc_zeros::<f32>(1024).unwrap();
    let mut launch = stream.launch_builder(&scale);
    launch.arg(&mut output).arg(&input).arg(&3.0_f32).arg(&1024_u32);
    // SAFETY: the kernel reads and writes the elements of both slices.
    unsafe { launch.launch(shape(8, 128, 0)) }.unwrap();
    set("coalesced_set_estimates", 0_u32);
    assert_eq!(stream.clone_dtoh(&output).unwrap(), [0.0; 1024]);
    let instead: Vec<Prediction> = serde_json::from_str(&take_estimates()).unwrap();
    assert_eq!(instead, beside);
}
