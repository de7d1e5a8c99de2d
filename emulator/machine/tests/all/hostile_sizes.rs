//! Modules that are too large, too deeply nested or too tangled: each is loaded or refused, in limited time and memory.
//!
//! An allocator counts the bytes of each thread, since other tests allocate at the same time.

use crate::support::machine::Shape;
use emulator::{Dim3, Memory, Module, Options, launch};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::fmt::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The system's allocator, with counters of live bytes.
struct Counting;

thread_local! {
    /// Bytes allocated minus bytes freed by this thread. Negative if it frees the memory of others.
    static LIVE_BYTES: Cell<i64> = const { Cell::new(0) };
    static PEAK_BYTES: Cell<i64> = const { Cell::new(0) };
}

// SAFETY: every call is forwarded to the system's allocator unchanged. The counters neither allocate nor have destructors, so
// that they can be used at any time in a thread's life.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let live = LIVE_BYTES.get() + layout.size() as i64;
        LIVE_BYTES.set(live);
        PEAK_BYTES.set(PEAK_BYTES.get().max(live));
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        LIVE_BYTES.set(LIVE_BYTES.get() - layout.size() as i64);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The memory limit of a module, without its text. The limits of the emulator imply it.
const MAX_BYTES: i64 = 1 << 30;

/// The time limit of a module, which only a hang exceeds: on an idle machine all take less than a twentieth of it.
const MAX_TIME: Duration = Duration::from_secs(120);

/// The size of the device's memory.
const MEMORY_BYTES: u64 = 1 << 20;

/// Returns the result of `work`, and the largest number of bytes that it holds at a time on this thread.
fn peak<T>(work: impl FnOnce() -> T) -> (T, i64) {
    let before = LIVE_BYTES.get();
    PEAK_BYTES.set(before);
    let result = work();
    (result, PEAK_BYTES.get() - before)
}

/// Loads a module. Returns the first line of the error if the module or one of its kernels is refused.
fn load(text: &str) -> Result<Module, String> {
    let started = Instant::now();
    let (loaded, bytes) = peak(|| Module::load(text, &Arc::new(Memory::new(MEMORY_BYTES))));
    let time = started.elapsed();
    let start = text.chars().take(300).collect::<String>();
    println!("{} bytes of text: {bytes} bytes, {time:?}", text.len());
    assert!(bytes < MAX_BYTES, "{bytes} bytes for {} of\n{start}", text.len());
    assert!(time < MAX_TIME, "{time:?} for {} bytes of\n{start}", text.len());
    let refused = |module: Module| {
        let refusal = module.refusals().next().map(|(_, error)| error.clone());
        refusal.map_or(Ok(module), Err)
    };
    loaded.and_then(refused).map_err(|error| error.to_string().lines().next().unwrap_or_default().to_owned())
}

fn refused(text: &str, expected: &str) {
    let error = load(text).map(drop).unwrap_err();
    assert!(error.contains(expected), "{error}\nnot\n{expected}");
}

const HEADER: &str = ".version 8.1\n.target sm_80\n.address_size 64\n";

/// Returns a module with one kernel.
fn kernel(body: &str) -> String {
    format!("{HEADER}.visible .entry k()\n{{\n{body}\n}}\n")
}

/// Returns the lines that `part` returns for the numbers below `count`.
fn repeated(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "{}", part(number));
        text
    })
}

#[test]
fn the_counter_sees_what_is_allocated() {
    let (length, bytes) = peak(|| vec![1_u8; 10 << 20].len());
    assert_eq!((length, bytes), (10 << 20, 10 << 20));
}

#[test]
fn gigantic_counts_are_refused() {
    refused(&kernel(".reg .b32 %r<4000000000>;"), "line 6: 4000000000 registers: the maximum is");
    let function = |number| format!(".func f{number}() {{ .reg .b32 %r<1000000>; ret; }}");
    refused(&format!("{HEADER}{}", repeated(20_000, function)), "registers in one module");
    refused(&kernel(".shared .b8 a[4000000000];"), "line 6: 4000000000 bytes of static shared memory");
    refused(&kernel(".local .b8 a[4000000000];"), "bytes of local memory per thread");
    refused(&kernel(".shared .b8 a[99999][99999][99999][99999];"), "line 6: variable `a` is too large");
    refused(&format!("{HEADER}.global .b8 a[4000000000];\n"), "not enough device memory for the variables");
    refused(&format!("{HEADER}.const .b8 a[70000];\n"), "line 4: 70000 bytes of constant memory");
    refused(&format!("{HEADER}.visible .entry k(.param .b8 a[4000000000]) {{ ret; }}\n"), "bytes of parameters");
}

#[test]
fn deep_nesting_is_refused() {
    refused(&kernel(&"{".repeat(1_000_000)), "line 6: more than 256 levels of braces");
    refused(&kernel(&format!(".reg .b32 %r<2>;\nmov.b32 %r1, {};", "{".repeat(1_000_000))), "levels of braces");
    refused(&format!("{HEADER}.global .u32 a[4] = {};\n", "{".repeat(1_000_000)), "line 4: more than 16 levels");
    refused(&kernel(&format!(".reg .pred %p<2>;\nmov.pred %p1, {};", "!".repeat(1_000_000))), "levels of braces");
}

#[test]
fn long_lines_and_names_are_accepted() {
    let name = "a".repeat(4_000_000);
    refused(&kernel(&format!("{name}.u32 b;")), "1 instruction:");
    refused(&kernel(&format!("mov.u32 %{name}, 1;")), "line 6: ");
    assert!(load(&format!("{HEADER}.global .u32 {name};{}", " ".repeat(4_000_000))).is_ok());
    assert!(load(&kernel(&format!("// {name}\nret; /* {name} */"))).is_ok());
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn large_modules_load_or_are_refused() {
    let kernels = repeated(20_000, |number| format!(".visible .entry k{number}() {{ ret; }}"));
    assert_eq!(load(&format!("{HEADER}{kernels}")).unwrap().kernels().len(), 20_000);
    let variables = repeated(20_000, |number| format!(".global .u32 v{number};"));
    let uses = repeated(20_000, |number| format!("ld.global.u32 %r1, [v{number}];"));
    assert!(load(&format!("{HEADER}{variables}.entry k() {{\n.reg .b32 %r<2>;\n{uses}ret;\n}}\n")).is_ok());
    let add = |lines| kernel(&format!(".reg .b32 %r<3>;\n{}", "add.s32 %r1, %r1, %r2;\n".repeat(lines)));
    assert!(load(&add(200_000)).is_ok());
    refused(&add(1_100_000), "a kernel of more than a million instructions after inlining");
    assert!(load(&"\n".repeat(10_000_000)).unwrap_err().contains("line "));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn calls_that_multiply_are_refused() {
    // Each function calls the next one twice.
    let twice = |number| format!(".func f{number}() {{ call f{0}; call f{0}; ret; }}", number + 1);
    let chain = format!("{HEADER}{}.func f40() {{ ret; }}\n.entry k() {{ call f0; ret; }}\n", repeated(40, twice));
    refused(&chain, "after inlining");
    let labels = repeated(20_000, |number| format!("L{number}:"));
    let calls = "call f;\n".repeat(20_000);
    refused(&format!("{HEADER}.func f() {{\n{labels}ret;\n}}\n.entry k() {{\n{calls}}}\n"), "after inlining");
    // Every kernel inlines the same function.
    let body = format!(".func f() {{\n.reg .b32 %r<2>;\n{}ret;\n}}\n", "add.s32 %r1, %r1, 1;\n".repeat(1000));
    let kernels = repeated(10_000, |number| format!(".entry k{number}() {{ call f; ret; }}"));
    refused(&format!("{HEADER}{body}{kernels}"), "a module of more than two million statements");
}

/// A kernel of many basic blocks, and of many registers that are live in all of them.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn tangled_branches_load_or_are_refused() {
    let count = 20_000;
    let define = repeated(count, |number| format!("mov.u32 %r{number}, %tid.x;"));
    let blocks = repeated(count, |number| format!("L{number}: @%p1 bra L{};", number / 2));
    let uses = repeated(count, |number| format!("st.global.u32 [%d1], %r{number};"));
    let declare = format!(".reg .pred %p<2>;\n.reg .b64 %d<2>;\n.reg .b32 %r<{count}>;");
    refused(&kernel(&format!("{declare}\n{define}{blocks}{uses}ret;")), "line 9: a kernel with ");
    // Few registers, and branches to blocks in the reverse order of the text.
    let back = repeated(100_000, |number| format!("L{number}: @%p1 bra L{};", 99_999 - number));
    let _either = load(&kernel(&format!(".reg .pred %p<2>;\n{back}ret;")));
    // Many branches that reconverge far away, each on its own.
    let chain = repeated(50_000, |number| format!("C{number}: @%p1 bra E;\nD{number}: @%p1 bra C{};", 49_999 - number));
    let _either = load(&kernel(&format!(".reg .pred %p<2>;\n{chain}E: ret;")));
}

#[test]
fn local_memory_of_a_block_is_limited() {
    let memory = Arc::new(Memory::new(MEMORY_BYTES));
    let module = Module::load(&kernel(".local .b8 a[500000];\nret;"), &memory).unwrap();
    let start = |x| launch(&module.kernels()[0], &memory, &Shape::threads(x).launch(&[]), &Options::default());
    let (error, bytes) = peak(|| start(1024).unwrap_err().to_string());
    assert!(error.contains("512000000 bytes of local memory"), "{error}");
    assert!(bytes < 1 << 20, "{bytes}");
    assert!(start(32).is_ok());
}

#[test]
fn a_grid_of_empty_blocks_ends_with_the_budget() {
    let memory = Arc::new(Memory::new(MEMORY_BYTES));
    let module = Module::load(&kernel(""), &memory).unwrap();
    let grid = Dim3 { x: i32::MAX as u32, y: 65535, z: 65535 };
    let shape = Shape { grid, ..Shape::threads(1024) }.launch(&[]);
    let options = Options { threads: usize::MAX, instruction_budget: Some(1000), ..Options::default() };
    let started = Instant::now();
    let error = launch(&module.kernels()[0], &memory, &shape, &options).unwrap_err();
    assert!(error.to_string().contains("instruction budget used up"), "{error}");
    assert!(started.elapsed() < MAX_TIME);
}
