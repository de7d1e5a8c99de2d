//! Traces of blocks and replays of scenes, compared with launches.

use emulator::{
    AccessedSpace, Contents, Counters, Dim3, Direction, Kernel, Launch, LaunchError, Memory, Module, Options, Scene,
    Trace, TracedStep, Values, launch, trace,
};
use std::sync::Arc;

/// Even lanes double their element in global memory. Then all lanes store with bank conflicts, wait at a barrier, and shuffle.
const PTX: &str = "
.version 8.1
.target sm_75
.address_size 64
.const .align 4 .u32 factor = 2;
.visible .entry k(.param .u64 data) {
    .reg .pred %p<3>;
    .reg .b32 %r<9>;
    .reg .b64 %rd<4>;
    .shared .align 4 .b8 tile[8192];
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    and.b32 %r3, %r1, 1;
    setp.eq.u32 %p1, %r3, 1;
    @%p1 bra OUT;
    ld.const.u32 %r4, [factor];
    mul.lo.u32 %r5, %r2, %r4;
    st.global.u32 [%rd3], %r5;
OUT:
    shl.b32 %r6, %r1, 7;
    mov.u32 %r7, tile;
    add.u32 %r6, %r6, %r7;
    st.shared.u32 [%r6], %r1;
    bar.sync 0;
    shfl.sync.down.b32 %r8|%p2, %r1, 1, 31, 0xffffffff;
    ret;
}";

const ONE: Dim3 = Dim3 { x: 1, y: 1, z: 1 };

struct Ready {
    memory: Arc<Memory>,
    data: u64,
    kernel: Arc<Kernel>,
    _module: Module,
}

fn ready() -> Ready {
    let memory = Arc::new(Memory::new(1 << 20));
    let data = memory.allocate(256).unwrap();
    let values: Vec<u8> = (0..64_u32).flat_map(|value| (value + 100).to_le_bytes()).collect();
    memory.write(data, &values).unwrap();
    let module = Module::load(PTX, &memory).unwrap();
    let kernel = Arc::clone(module.kernel("k").unwrap());
    Ready { memory, data, kernel, _module: module }
}

fn shape(parameters: &[u8], threads: u32) -> Launch<'_> {
    Launch {
        grid: ONE,
        block: Dim3 { x: threads, ..ONE },
        dynamic_shared_bytes: 0,
        parameters,
        cooperative: false,
        cluster: None,
    }
}

fn traced(ready: &Ready, threads: u32, most_steps: usize) -> Trace {
    let parameters = ready.data.to_le_bytes();
    trace(&ready.kernel, &ready.memory, &shape(&parameters, threads), 0, most_steps).unwrap()
}

/// Returns the value of a register in one lane after the first step of warp 0 that writes it.
fn value(trace: &Trace, register: &str, lane: usize) -> u64 {
    let mut written = trace.steps.iter().filter(|step| step.warp == 0).flat_map(|step| &step.written);
    match written.find(|written| written.register == register).expect(register).values {
        Values::Predicate(mask) => u64::from(mask >> lane & 1),
        Values::Narrow(lanes) => lanes[lane].into(),
        Values::Wide(lanes) => lanes[lane],
    }
}

#[test]
fn a_trace_has_the_values_of_every_lane() {
    let ready = ready();
    let trace = traced(&ready, 32, 1000);
    assert_eq!((trace.cut, &trace.fault), (false, &None));
    assert_eq!(value(&trace, "%r2", 7), 107);
    assert_eq!(value(&trace, "%p1", 7), 1);
    assert_eq!(value(&trace, "%r5", 6), 212);
    assert_eq!(value(&trace, "%rd3", 3), ready.data + 12);
    assert_eq!((value(&trace, "%r8", 4), value(&trace, "%r8", 31)), (5, 31));
    assert_eq!((value(&trace, "%p2", 4), value(&trace, "%p2", 31)), (1, 0));
}

/// Results are listed in the order of the text, without those that `_` discards.
#[test]
fn the_results_of_a_step_are_the_registers_before_the_first_comma() {
    let expected: [(&str, &[&str]); 8] = [
        ("\tadd.f32 \t%f1, %f2, %f3;", &["%f1"]),
        ("@%p1 ld.shared.v2.f32 {%f1, %f2}, [%r1];", &["%f1", "%f2"]),
        ("shfl.sync.down.b32 \t%r7|%p2, %r6, 16, 31, -1;", &["%r7", "%p2"]),
        ("mov.b64 %rd1, 0x500000007;", &["%rd1"]),
        ("mov.b64 {_, %r2}, %rd1;", &["%r2"]),
        ("st.shared.f32 \t[%r1], %f1;", &[]),
        ("bar.sync \t0;", &[]),
        ("ret;", &[]),
    ];
    let body: Vec<&str> = expected.iter().map(|(instruction, _)| *instruction).collect();
    let text = format!(
        ".version 8.1\n.target sm_75\n.address_size 64\n.visible .entry k() {{\n.shared .align 8 .b8 tile[8];\n\
         .reg .pred %p<3>; .reg .b32 %r<8>; .reg .f32 %f<4>; .reg .b64 %rd<2>;\n\
         mov.u32 %r1, tile; setp.eq.u32 %p1, %r1, %r1;\n{}\n}}\n",
        body.join("\n")
    );
    let memory = Arc::new(Memory::new(1 << 20));
    let module = Module::load(&text, &memory).unwrap();
    let trace = trace(&module.kernels()[0], &memory, &shape(&[], 32), 0, 1000).unwrap();
    for (instruction, registers) in expected {
        let here = |step: &&TracedStep| text.lines().nth(step.line as usize - 1) == Some(instruction);
        let step = trace.steps.iter().find(here).unwrap_or_else(|| panic!("{instruction} is not traced"));
        let written: Vec<&str> = step.written.iter().map(|written| written.register.as_str()).collect();
        assert_eq!(written, registers, "{instruction}");
    }
    assert_eq!(value(&trace, "%r2", 3), 5);
}

#[test]
fn divergent_lanes_are_traced_separately() {
    let trace = traced(&ready(), 32, 1000);
    let store = trace.steps.iter().find(|step| step.accesses.iter().any(|access| access.direction == Direction::Store));
    assert_eq!(store.unwrap().active, 0x5555_5555);
    let branch = trace.steps.iter().find(|step| PTX.lines().nth(step.line as usize - 1).unwrap().contains("bra"));
    assert_eq!(branch.unwrap().active, u32::MAX);
}

#[test]
fn costs_of_accesses_add_up_to_the_counters() {
    let ready = ready();
    let trace = traced(&ready, 64, 1000);
    let parameters = ready.data.to_le_bytes();
    let options = Options { counters: true, ..Options::default() };
    let counters = launch(&ready.kernel, &ready.memory, &shape(&parameters, 64), &options).unwrap();
    let accesses = || trace.steps.iter().flat_map(|step| &step.accesses);
    let sectors = |direction| accesses().filter(|a| a.direction == direction).filter_map(|a| a.sectors).sum::<u64>();
    let conflicts: u64 = accesses().filter_map(|access| access.wavefronts).map(|(_, conflicts)| conflicts).sum();
    let of = |space| accesses().filter(|access| access.space == space).count() as u64;
    let expected = Counters {
        global_load_sectors: sectors(Direction::Load),
        global_store_sectors: sectors(Direction::Store),
        shared_store_conflicts: conflicts,
        constant_load_requests: of(AccessedSpace::Constant),
        shared_store_requests: of(AccessedSpace::Shared),
        ..counters
    };
    assert_eq!(counters, expected);
    assert_eq!((conflicts, counters.global_load_sectors), (62, 8));
}

#[test]
fn a_trace_ends_at_the_maximum_number_of_steps_and_at_a_fault() {
    let ready = ready();
    let trace = traced(&ready, 64, 5);
    assert_eq!((trace.steps.len(), trace.cut), (5, true));
    let parameters = 0_u64.to_le_bytes();
    let trace = emulator::trace(&ready.kernel, &ready.memory, &shape(&parameters, 32), 0, 1000).unwrap();
    assert!(!trace.cut);
    assert!(trace.fault.unwrap().to_string().contains("ld.global.u32"));
}

#[test]
fn a_block_that_the_grid_does_not_have_is_refused() {
    let ready = ready();
    let parameters = ready.data.to_le_bytes();
    let refused = trace(&ready.kernel, &ready.memory, &shape(&parameters, 32), 1, 10);
    assert!(matches!(refused, Err(LaunchError::Invalid { reason, .. }) if reason.contains("no block 1")));
}

/// Returns the scene of a launch of the kernel above, after serialization and deserialization.
fn scene() -> Scene {
    let ready = ready();
    let parameters = ready.data.to_le_bytes();
    let shape = shape(&parameters, 64);
    let before = Scene::before(&ready.kernel, &ready.memory, &shape).unwrap();
    launch(&ready.kernel, &ready.memory, &shape, &Options::default()).unwrap();
    let scene = before.after(&ready.memory).unwrap();
    let text = serde_json::to_string(&scene).unwrap();
    let read: Scene = serde_json::from_str(&text).unwrap();
    assert_eq!(read, scene);
    read
}

fn unequal_words(scene: &Scene) -> usize {
    let replay = scene.set_up(1 << 20).unwrap();
    launch(&replay.kernel, &replay.memory, &replay.launch(), &Options::default()).unwrap();
    replay.unequal_words().unwrap()
}

#[test]
fn a_replayed_scene_leaves_the_same_bits() {
    let scene = scene();
    assert_eq!((scene.memory.len(), scene.results.len(), scene.variables.len()), (1, 1, 1));
    assert_eq!(unequal_words(&scene), 0);
}

#[test]
fn a_scene_does_not_depend_on_what_was_allocated_before() {
    let ready = ready();
    let elsewhere = ready.memory.allocate(256).unwrap();
    let mut values = vec![0; 256];
    ready.memory.read(ready.data, &mut values).unwrap();
    ready.memory.write(elsewhere, &values).unwrap();
    let parameters = elsewhere.to_le_bytes();
    let before = Scene::before(&ready.kernel, &ready.memory, &shape(&parameters, 64)).unwrap();
    launch(&ready.kernel, &ready.memory, &shape(&parameters, 64), &Options::default()).unwrap();
    let after = before.after(&ready.memory).unwrap();
    assert_eq!(after, scene());
    assert_eq!(unequal_words(&after), 0);
}

#[test]
fn a_changed_input_variable_or_result_changes_the_replay() {
    let mut other = scene();
    other.memory[0].contents[0] ^= 1;
    assert_eq!(unequal_words(&other), 1);
    let mut other = scene();
    other.variables[0].contents[0] = 3;
    assert_eq!(unequal_words(&other), 32);
    let mut other = scene();
    other.results[0].contents[4] ^= 1;
    assert_eq!(unequal_words(&other), 1);
}

#[test]
fn a_scene_that_does_not_fit_is_refused() {
    let mut far = scene();
    far.memory.push(Contents { address: 12, contents: vec![0] });
    assert!(far.set_up(1 << 20).is_err());
    assert!(scene().set_up(16).is_err());
    let unknown = Scene { entry: "other".into(), ..scene() };
    assert_eq!(unknown.set_up(1 << 20).unwrap_err().to_string(), "the module has no `other`");
}
