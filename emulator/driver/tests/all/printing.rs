//! Text that kernels print: when it reaches standard output, and the limit of its buffer.

use crate::support::{context, module, on_hardware, shape, status};
use cudarc::driver::sys::{CUlimit, CUresult};
use cudarc::driver::{CudaContext, CudaFunction, CudaSlice, PushKernelArg};
use std::process::Command;
use std::sync::Arc;

const PRINTING: &str = include_str!("../../../machine/tests/programs/printing.ptx");

/// Launches one block of two threads, which prints `EXPECTED`. Its module must not be unloaded before the text is expected.
fn print(context: &Arc<CudaContext>) -> (CudaSlice<i32>, CudaFunction) {
    let stream = context.default_stream();
    let module = module(context, PRINTING);
    let mut counts = stream.alloc_zeros::<i32>(2).unwrap();
    let kernel = module.load_function("printing").unwrap();
    // SAFETY: the kernel writes one number per thread.
    unsafe { stream.launch_builder(&kernel).arg(&mut counts).launch(shape(1, 2, 0)) }.unwrap();
    (counts, kernel)
}

const EXPECTED: &str = "block 0, thread 0\nblock 0, thread 1\nodd  0.25 low\neven 0 e\n";

fn say(text: &str) {
    use std::io::Write;
    let mut stdout = std::io::stdout().lock();
    stdout.write_all(text.as_bytes()).unwrap();
    stdout.flush().unwrap();
}

/// The variable that is set in the process whose output the other test reads.
const READ: &str = "COALESCED_TEST_PRINTS";

/// Prints at all points at which a driver writes out printed text, and ends the process, the last of them. Does nothing in the
/// process of all tests, which would end before the others.
#[test]
#[ignore = "run by the other test, in a process of its own"]
fn kernels_that_print() {
    if std::env::var_os(READ).is_none() {
        return;
    }
    let context = context();
    let stream = context.default_stream();
    say("[\n");
    let first = print(&context);
    say("launched\n");
    stream.synchronize().unwrap();
    say("waited\n");
    let second = print(&context);
    say("launched\n");
    let third = print(&context);
    say("launched again\n");
    assert_eq!(stream.clone_dtoh(&third.0).unwrap(), [2, 2]);
    say("copied\n");
    drop((first, second, third));
    let _last = print(&context);
    say("]\n");
    std::process::exit(0);
}

#[test]
fn text_is_written_by_calls_that_wait_and_before_the_next_launch() {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "printing::kernels_that_print", "--include-ignored", "--nocapture"]);
    command.env(READ, "1");
    let output = String::from_utf8(command.output().unwrap().stdout).unwrap();
    let (_, output) = output.split_once("[\n").unwrap_or_else(|| panic!("{output}"));
    let expected = format!("launched\n{EXPECTED}waited\nlaunched\n{EXPECTED}launched again\n{EXPECTED}copied\n]\n");
    assert_eq!(output, expected);
}

#[test]
fn the_buffer_has_a_limit_that_programs_set() {
    let context = context();
    let limit = CUlimit::CU_LIMIT_PRINTF_FIFO_SIZE;
    let before = context.get_limit(limit).unwrap();
    context.set_limit(limit, 2 << 20).unwrap();
    assert!(context.get_limit(limit).unwrap() >= 2 << 20);
    if !on_hardware() {
        assert_eq!(before, 1 << 20, "the default that CUDA documents");
        assert_eq!(status(context.set_limit(limit, usize::MAX)), CUresult::CUDA_ERROR_INVALID_VALUE);
    }
    context.set_limit(limit, before).unwrap();
}
