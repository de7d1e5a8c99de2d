//! Functions that run hostile input. The tests and the coverage-guided fuzzer in `emulator/machine/fuzz` call the same functions.
//!
//! Each function panics if the emulator panics, or if its error message is wrong.

use super::generate;
use emulator::{Dim3, Kernel, Launch, LaunchError, LoadError, Memory, Module, Options, check, launch};
use std::sync::Arc;

/// The size of the device memory in bytes.
const MEMORY_BYTES: u64 = 1 << 20;

/// The size in bytes of the buffer that every pointer parameter points to.
const BUFFER_BYTES: usize = 4096;

/// The maximum number of warp instructions of a launch.
const BUDGET: u64 = 3000;

/// The maximum number of kernels of a module that are launched.
const KERNELS: usize = 3;

/// Loads `bytes` as a module.
pub fn parse(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        let _loads = load(text);
    }
}

/// Loads `text` and launches its first kernels: without observers, with counters, and with checks. The outcomes must be equal.
pub fn run(text: &str) {
    let Some((_, module)) = load(text) else { return };
    for index in 0..module.kernels().len().min(KERNELS) {
        let plain = outcome(text, index, |kernel, memory, shape, options| launch(kernel, memory, shape, options).err());
        let counted = outcome(text, index, |kernel, memory, shape, options| {
            launch(kernel, memory, shape, &Options { counters: true, ..*options }).err()
        });
        let checked = outcome(text, index, |kernel, memory, shape, options| {
            check(kernel, memory, shape, options).map_or_else(Some, |verdict| verdict.fault.map(LaunchError::Fault))
        });
        assert_eq!(plain, counted, "counters change what the launch does");
        assert_eq!(plain, checked, "checks change what the launch does");
    }
}

/// Runs a kernel of the instructions that `bytes` choose, without the lines that are refused.
pub fn instructions(bytes: &[u8]) {
    let mut text = generate::module(bytes);
    let memory = Arc::new(Memory::new(MEMORY_BYTES));
    let refusal = |text: &str| match Module::load(text, &memory) {
        Ok(module) => module.refusals().next().map(|(_, error)| error.clone()),
        Err(error) => Some(error),
    };
    while let Some(error) = refusal(&text) {
        let line = judge(&text, &error).expect("its variables are small");
        let parts = text.lines().enumerate();
        text = parts.map(|(index, part)| if index + 1 == line { "" } else { part }.to_owned() + "\n").collect();
    }
    run(&text);
}

fn load(text: &str) -> Option<(Arc<Memory>, Module)> {
    let memory = Arc::new(Memory::new(MEMORY_BYTES));
    match Module::load(text, &memory) {
        Ok(module) => {
            for (_, error) in module.refusals() {
                let _line = judge(text, error);
            }
            Some((memory, module))
        }
        Err(error) => {
            let _line = judge(text, &error);
            None
        }
    }
}

/// Returns the line in the message of a refusal, which must be a line of the text. Memory errors have none.
fn judge(text: &str, error: &LoadError) -> Option<usize> {
    let message = error.to_string();
    let last = text.lines().count().max(1);
    if let LoadError::Memory(_) = error {
        return None;
    }
    let rest = message.split_once("line ").map(|(_, rest)| rest).unwrap_or_default();
    let digits = rest.split(|mark: char| !mark.is_ascii_digit()).next().unwrap_or_default();
    let line: usize = digits.parse().unwrap_or_else(|_| panic!("no line in: {message}"));
    assert!((1..=last).contains(&line), "line {line} of {last}: {message}");
    Some(line)
}

/// Returns the error of a launch on a fresh device, and the contents of the buffer afterwards.
fn outcome(
    text: &str,
    index: usize,
    execute: impl Fn(&Kernel, &Memory, &Launch<'_>, &Options) -> Option<LaunchError>,
) -> (Option<String>, Vec<u8>) {
    let (memory, module) = load(text).expect("it loaded before");
    let kernel = &module.kernels()[index];
    let mut contents: Vec<u8> = (0..BUFFER_BYTES).map(|index| index as u8).collect();
    let Ok(buffer) = memory.allocate(BUFFER_BYTES as u64) else { return (None, Vec::new()) };
    memory.write(buffer, &contents).unwrap();
    let mut parameters = vec![0; kernel.parameter_bytes()];
    for parameter in kernel.parameters() {
        let value = if parameter.bytes == 8 { buffer } else { 3 };
        let bytes = parameter.bytes.min(8);
        parameters[parameter.offset..parameter.offset + bytes].copy_from_slice(&value.to_le_bytes()[..bytes]);
    }
    let shape = Launch {
        grid: Dim3 { x: 2, y: 1, z: 1 },
        block: Dim3 { x: 12, y: 4, z: 1 },
        dynamic_shared_bytes: 256,
        parameters: &parameters,
        cooperative: false,
        cluster: None,
    };
    let options = Options { threads: 1, instruction_budget: Some(BUDGET), ..Options::default() };
    let error = execute(kernel, &memory, &shape, &options).map(|error| error.to_string());
    memory.read(buffer, &mut contents).unwrap();
    (error, contents)
}
