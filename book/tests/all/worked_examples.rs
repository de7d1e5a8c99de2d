//! The worked examples of the counters, compared with the emulator.

use emulator::{Counters, Dim3, Launch, Memory, Module, Options, launch};
use std::sync::Arc;

/// A row of a table: the text of the access, and its numbers.
struct Example {
    access: String,
    numbers: Vec<u64>,
}

/// Returns the examples in `text/emulator.md` below a heading.
fn examples(heading: &str) -> Vec<Example> {
    let text = include_str!("../../text/emulator.md");
    let (_, section) = text.split_once(heading).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `")?.split_once("` | "));
    rows.map(|(access, cells)| Example {
        access: access.into(),
        numbers: cells.split(" | ").map_while(|cell| cell.parse().ok()).collect(),
    })
    .collect()
}

/// Parses an access such as `x[5]`, `x[t + 1]` or `float4 v[2 * t]`: the bytes per word, the stride in bytes, and the offset of
/// the first lane's word.
fn layout(access: &str) -> (u64, u64, u64) {
    let bytes = if access.starts_with("float4") { 16 } else { 4 };
    let index = access.split(['[', ']']).nth(1).unwrap();
    let (scale, first) = match index.split_once(['*', '+']) {
        Some((scale, _)) if index.contains('*') => (scale.trim().parse().unwrap(), 0),
        Some((_, first)) => (1, first.trim().parse().unwrap()),
        None if index == "t" => (1, 0),
        None => (0, index.parse().unwrap_or(7)),
    };
    (bytes, bytes * scale, bytes * first)
}

/// Returns the counts of one warp's load.
fn count(space: &str, access: &str) -> Counters {
    let (bytes, stride, first) = layout(access);
    let (load, result) = if bytes == 16 { ("v4.f32", "{%f0, %f1, %f2, %f3}") } else { ("f32", "%f0") };
    let begin = if space == "shared" { "mov.u64 %d0, tile" } else { "ld.param.u64 %d0, [array]" };
    let ptx = format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry one_load(.param .u64 array)\n{{\n\
         .shared .align 128 .b8 tile[8192];\n.reg .b32 %r<1>;\n.reg .b64 %d<2>;\n.reg .f32 %f<4>;\n\
         {begin};\nmov.u32 %r0, %tid.x;\nmul.wide.u32 %d1, %r0, {stride};\nadd.u64 %d0, %d0, %d1;\n\
         ld.{space}.{load} {result}, [%d0+{first}];\nret;\n}}\n"
    );
    let memory = Arc::new(Memory::new(1 << 20));
    let module = Module::load(&ptx, &memory).unwrap();
    let array = memory.allocate(8192).unwrap().to_le_bytes();
    let one = |x| Dim3 { x, y: 1, z: 1 };
    let shape = Launch {
        grid: one(1),
        block: one(32),
        dynamic_shared_bytes: 0,
        parameters: &array,
        cooperative: false,
        cluster: None,
    };
    let options = Options { counters: true, threads: 1, ..Options::default() };
    launch(module.kernel("one_load").unwrap(), &memory, &shape, &options).unwrap()
}

#[test]
fn sectors_are_as_written() {
    let examples = examples("## Global memory");
    assert!(examples.len() >= 7);
    for Example { access, numbers } in examples {
        let counters = count("global", &access);
        // The second column is the stride.
        let stride = layout(&access).1;
        assert_eq!([stride, counters.global_load_sectors], numbers[..], "{access}");
        assert_eq!(counters.global_load_requests, 1, "{access}");
    }
}

#[test]
fn wavefronts_and_conflicts_are_as_written() {
    let examples = examples("## Shared memory");
    assert!(examples.len() >= 6);
    for Example { access, numbers } in examples {
        let counters = count("shared", &access);
        assert_eq!([counters.shared_load_wavefronts, counters.shared_load_conflicts], numbers[..], "{access}");
    }
}

#[test]
fn an_example_with_another_offset_would_be_noticed() {
    assert_ne!(count("global", "x[t]").global_load_sectors, count("global", "x[t + 1]").global_load_sectors);
    assert_eq!(
        ["x[5]", "x[t + 1]", "x[6 * t]", "float4 v[t]"].map(layout),
        [(4, 0, 20), (4, 4, 4), (4, 24, 0), (16, 16, 0)]
    );
}
