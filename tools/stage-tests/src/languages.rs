//! The comparison of kernels in CUDA C++ with their Rust versions, on the emulator.

use crate::{is_slow_run, sized, turn};
use common::Error;
use common::device::DeviceChoice;
use common::problem::Size;
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use emulator::Counters;

/// One body, one more than a warp, and a number that is not a multiple of any block size.
pub const SIZES: [usize; 3] = [1, 33, 1025];

/// The size at which instructions are compared, large enough that those outside of loops hardly count.
const COMPARED: usize = 4096;

/// The result of a kernel: the contents of each buffer that one of its launches changed, and the counts of the first launch.
type Result = (Vec<Vec<u8>>, Counters);

/// Runs a kernel on one worker thread of the emulator, so that atomic additions have a fixed order.
fn run(plan: &Plan) -> Result {
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    session.device.set_emulator_threads(1);
    let ran =
        keep_outputs(&mut session, |session| session.with_case(plan, |_, case| Ok((case.verify()?, case.counters()))));
    let ((report, counters), outputs) = ran.unwrap();
    session.device.set_emulator_threads(0);
    assert!(report.passed(), "{}, {}: {report:?}", plan.name(), plan.describe_size());
    (outputs, counters.expect("the emulator counts"))
}

/// Runs launches on the emulator, and also returns the contents of each buffer that a launch changed, after it.
pub(crate) fn keep_outputs<T>(
    session: &mut Session,
    run: impl FnOnce(&mut Session) -> std::result::Result<T, Error>,
) -> std::result::Result<(T, Vec<Vec<u8>>), Error> {
    session.device.set_scenes(true);
    let result = run(session);
    session.device.set_scenes(false);
    let scenes = session.device.take_scenes()?;
    let outputs = scenes.into_iter().flat_map(|scene| scene.results).map(|changed| changed.contents);
    Ok((result?, outputs.collect()))
}

fn both(rung: &Rung, size: &Size, shape: Shape) -> [Result; 2] {
    let plan = Plan::new(rung, size.clone(), shape).unwrap();
    let in_rust = plan.in_rust().unwrap_or_else(|| panic!("{} is not written in Rust", rung.kernel));
    [run(&plan), run(&in_rust)]
}

/// Returns the counts of memory accesses, barriers and shuffles, which must be the same in both languages.
fn memory_and_meetings(counters: &Counters) -> [(&'static str, u64); 16] {
    [
        ("global load requests", counters.global_load_requests),
        ("global load sectors", counters.global_load_sectors),
        ("global store requests", counters.global_store_requests),
        ("global store sectors", counters.global_store_sectors),
        ("global atomic requests", counters.global_atomic_requests),
        ("global atomic sectors", counters.global_atomic_sectors),
        ("shared load requests", counters.shared_load_requests),
        ("shared load wavefronts", counters.shared_load_wavefronts),
        ("shared store requests", counters.shared_store_requests),
        ("shared store wavefronts", counters.shared_store_wavefronts),
        ("constant load requests", counters.constant_load_requests),
        ("constant load addresses", counters.constant_load_addresses),
        ("barriers", counters.barriers),
        ("shuffles", counters.shuffles),
        ("local load requests", counters.local_load_requests),
        ("local store requests", counters.local_store_requests),
    ]
}

/// Requires that the Rust version computes the same bits with the same memory accesses at several sizes, and that at a larger
/// size it exceeds the kernel's instructions by at most `share`.
pub fn same_in_rust(rung: &Rung, shapes: &[Shape], share: f64) {
    let steps = rung.work.facts().steps.map(|_| 2);
    let size = |n| Size { steps, ..Size::new(n) };
    shapes.iter().for_each(|&shape| does_the_same(rung, &SIZES.map(size), shape));
    // At this size the emulator takes seconds.
    if is_slow_run() {
        takes_no_more_instructions(rung, &size(sized(rung, COMPARED)), shapes[0], share);
    }
}

/// Requires that both versions compute the same bits with the same memory accesses.
pub fn does_the_same(rung: &Rung, sizes: &[Size], shape: Shape) {
    each_result(rung, sizes, shape, |what, cuda, rust| assert!(cuda == rust, "{what}: results differ"));
}

/// Requires the same memory accesses, but not the same bits. This is for blocks whose warps add to the same sums: the order of
/// the additions depends on the preceding instructions, and the last bits of a sum depend on the order.
pub fn does_the_same_to_memory(rung: &Rung, sizes: &[Size], shape: Shape) {
    let lengths = |outputs: &[Vec<u8>]| outputs.iter().map(Vec::len).collect::<Vec<_>>();
    each_result(rung, sizes, shape, |what, cuda, rust| assert_eq!(lengths(cuda), lengths(rust), "{what}"));
}

/// Passes both results to `compare` with a description, and requires the same counts of memory accesses.
fn each_result(rung: &Rung, sizes: &[Size], shape: Shape, compare: impl Fn(&str, &[Vec<u8>], &[Vec<u8>])) {
    let _turn = turn();
    for size in sizes {
        let [(cuda, counted), (rust, counted_in_rust)] = both(rung, size, shape);
        let what = format!("{}, {size:?}, {shape:?}", rung.kernel);
        // To the sums of a single body, nothing is added.
        assert!(!cuda.is_empty() || size.n == 1, "{what}: nothing was written");
        compare(&what, &cuda, &rust);
        assert_eq!(memory_and_meetings(&counted), memory_and_meetings(&counted_in_rust), "{what}: counts differ");
    }
}

/// Requires that the Rust version exceeds the kernel's instructions by at most `share`.
pub fn takes_no_more_instructions(rung: &Rung, size: &Size, shape: Shape, share: f64) {
    let _turn = turn();
    let [cuda, rust] = both(rung, size, shape).map(|(_, counters)| counters.warp_instructions);
    let ratio = rust as f64 / cuda as f64;
    println!("{}: {cuda} instructions, in Rust {rust} ({ratio:.3})", rung.kernel);
    assert!(ratio <= 1.0 + share, "{}: {ratio:.3} times the instructions in Rust", rung.kernel);
}
