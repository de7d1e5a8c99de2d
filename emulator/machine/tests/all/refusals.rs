//! Refusals: of modules when they are loaded, and of launches with invalid configurations. No text makes the emulator panic.

use crate::support::machine::{Machine, Shape};
use chacha20::ChaCha8Rng;
use emulator::{Dim3, LaunchError, Memory, Module, Options};
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

/// Returns a module with a kernel whose body is `text`, or `text` itself if it is a module.
fn module(text: &str) -> String {
    if text.contains(".version") || text.trim().is_empty() {
        return text.to_owned();
    }
    format!(
        ".version 8.1
.target sm_80
.address_size 64
.visible .entry test(.param .u64 p)
{{
    .reg .pred %p<4>;
    .reg .b16 %h<4>;
    .reg .b32 %r<4>;
    .reg .b64 %d<4>;
{text}}}
"
    )
}

fn error_of(ptx: &str) -> String {
    Machine::load(ptx).map_or_else(|error| error.to_string(), |_| "it loads".to_owned())
}

#[test]
fn every_refusal_names_line_and_reason() {
    let text = std::fs::read_to_string(crate::support::folder("refused.txt")).unwrap();
    let mut wrong = Vec::new();
    for section in text.split("\n=== ").skip(1) {
        let (title, rest) = section.split_once('\n').unwrap();
        let (source, expected) = rest.split_once("--- ").unwrap_or_else(|| panic!("{title}: no expectation"));
        let source = if source.starts_with('#') { "" } else { source };
        let found = error_of(&module(source));
        if found != expected.trim_end() {
            wrong.push(format!("{title}:\n{found}\nnot\n{}", expected.trim_end()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

#[test]
fn all_unknown_instructions_are_listed() {
    let body: String = (0..100).map(|number| format!("    unknown{number}.b32 %r0, %r1;\n")).collect();
    let error = error_of(&module(&body));
    for number in 0..100 {
        let line = format!("line {}: `unknown{number}.b32` in `test`", 10 + number);
        assert!(error.contains(&line), "{line} is missing in\n{error}");
    }
}

#[test]
fn an_unsupported_kernel_does_not_affect_the_others() {
    let header = ".version 8.1\n.target sm_80\n.address_size 64\n";
    let text = format!(
        "{header}.global .u64 table[2] = {{square, missing}};
.func missing();
.global .u64 pointer = table;
.func helper() {{ frobnicate.b32; ret; }}
.func square() {{ ret; }}
.visible .entry calls() {{ call helper; ret; }}
.visible .entry jumps() {{ .reg .b64 %d<2>; ld.global.u64 %d1, [pointer]; ret; }}
.visible .entry prints() {{ call frobnicate; ret; }}
.visible .entry runs() {{ call square; ret; }}
"
    );
    let module = Module::load(&text, &Arc::new(Memory::new(1 << 20))).unwrap();
    let kernels: Vec<&str> = module.kernels().iter().map(|kernel| kernel.name()).collect();
    assert_eq!(kernels, ["runs"]);
    let refusals: Vec<String> = module.refusals().map(|(name, error)| format!("{name}: {error}")).collect();
    assert_eq!(
        refusals,
        [
            "calls: not supported by the emulator: 1 instruction:\n  \
             line 7: `frobnicate.b32` in `helper`",
            "jumps: not supported by the emulator: line 10: `table`, which holds the address of the function `missing` (line 4)",
            "prints: not supported by the emulator: line 11: a call of `frobnicate`, whose code is not in the module",
        ]
    );
    assert!(module.refusal("runs").is_none() && module.refusal("calls").is_some() && module.kernel("calls").is_none());
    // A syntax error in a kernel refuses the whole module.
    let wrong = text.replace("call frobnicate", "add.u32 1, 2");
    assert!(Module::load(&wrong, &Arc::new(Memory::new(1 << 20))).unwrap_err().to_string().contains("line 11"));
}

const KERNEL: &str = "    .reg .b32 %s<2>;\n    mov.u32 %s0, %tid.x;\n    ret;\n";

fn launch_error(ptx: &str, shape: Shape) -> String {
    let machine = Machine::new(ptx);
    match machine.try_run("test", shape, &[&[0; 8]], &Options::default()) {
        Err(LaunchError::Invalid { kernel, reason }) => format!("{kernel}: {reason}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn invalid_grids_and_blocks_are_refused() {
    let ptx = module(KERNEL);
    let block = |x, y, z| Shape { block: Dim3 { x, y, z }, ..Shape::threads(1) };
    let grid = |x, y, z| Shape { grid: Dim3 { x, y, z }, ..Shape::threads(1) };
    for (shape, expected) in [
        (block(0, 1, 1), "test: a block of (0, 1, 1) threads; each axis takes 1 to (1024, 1024, 64)"),
        (block(1025, 1, 1), "test: a block of (1025, 1, 1) threads; each axis takes 1 to (1024, 1024, 64)"),
        (block(1, 1, 65), "test: a block of (1, 1, 65) threads; each axis takes 1 to (1024, 1024, 64)"),
        (block(32, 33, 1), "test: a block of 1056 threads; this kernel takes at most 1024"),
        (grid(1, 0, 1), "test: a grid of (1, 0, 1) blocks; each axis takes 1 to (2147483647, 65535, 65535)"),
        (grid(1, 65536, 1), "test: a grid of (1, 65536, 1) blocks; each axis takes 1 to (2147483647, 65535, 65535)"),
        (
            Shape { shared: 232_449, ..Shape::threads(1) },
            "test: 232449 bytes of shared memory; a block has at most 232448",
        ),
    ] {
        assert_eq!(launch_error(&ptx, shape), expected);
    }
    let limited = ptx.replace("(.param .u64 p)", "(.param .u64 p)\n.maxntid 64, 2, 1");
    assert_eq!(launch_error(&limited, block(129, 1, 1)), "test: a block of 129 threads; this kernel takes at most 128");
}

#[test]
fn a_parameter_block_of_another_size_is_refused() {
    let machine = Machine::new(&module(KERNEL));
    let kernel = machine.kernel("test");
    let launch = Shape::threads(1).launch(&[0; 4]);
    let error = emulator::launch(kernel, &machine.memory, &launch, &Options::default()).unwrap_err();
    assert_eq!(error.to_string(), "invalid launch of `test`: 4 bytes of parameters; this kernel takes 8");
}

/// Removes, repeats or swaps a few words, or truncates the text.
fn damage(text: &str, random: &mut ChaCha8Rng) -> String {
    let mut words: Vec<&str> = text.split_inclusive([' ', '\n', ',', '.', '[', ';']).collect();
    for _ in 0..random.random_range(1..4) {
        let at = random.random_range(0..words.len());
        let other = random.random_range(0..words.len());
        match random.random_range(0..5) {
            0 => drop(words.remove(at)),
            1 => words.swap(at, other),
            2 => words[at] = words[other],
            3 => words.insert(at, words[other]),
            _ if random.random_range(0..8) == 0 => words.truncate(at.max(2)),
            _ => words[at] = ["-1", "0", "4294967295", "{", "}", "0x7fffffffffffffff", "%p0", "é"][at % 8],
        }
    }
    words.concat()
}

/// A damaged program is loaded or refused. A loaded program runs, or ends with an error. Nothing panics.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn damaged_programs_do_not_panic() {
    let seeds = crate::support::modules();
    let mut random = ChaCha8Rng::seed_from_u64(2026);
    let options = Options { counters: true, threads: 1, instruction_budget: Some(2000), ..Options::default() };
    let mut loaded = 0;
    for round in 0..3000 {
        let text = damage(&seeds[round % seeds.len()], &mut random);
        let Ok(machine) = Machine::load(&text) else { continue };
        loaded += 1;
        for kernel in machine.module.kernels().iter().take(3) {
            let address = machine.allocate(4096).to_le_bytes();
            let bytes: Vec<u8> = address.iter().copied().cycle().take(kernel.parameter_bytes()).collect();
            let launch = emulator::Launch {
                grid: Dim3 { x: 2, y: 1, z: 1 },
                block: Dim3 { x: 40, y: 1, z: 1 },
                dynamic_shared_bytes: 64,
                parameters: &bytes,
                cooperative: false,
                cluster: None,
            };
            // Only a panic or a hang is a failure.
            let _ = emulator::launch(kernel, &machine.memory, &launch, &options);
        }
    }
    assert!(loaded > 300, "only {loaded} of 3000 damaged programs load, so little but the parser is tested");
}
