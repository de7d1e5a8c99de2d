//! Questions as a page asks them, valid and invalid.

use chacha20::ChaCha8Rng;
use emulator::{Contents, Dim3, Launch, Memory, Module, Options, Scene, launch};
use emulator_web::answer;
use rand::{RngExt, SeedableRng};
use serde_json::{Value, json};
use std::sync::Arc;

const PTX: &str = ".version 8.1
.target sm_75
.address_size 64
.visible .entry double(.param .u64 data) {
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [data];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    ld.global.u32 %r2, [%rd3];
    add.u32 %r3, %r2, %r2;
    st.global.u32 [%rd3], %r3;
    ret;
}
";

fn asked(question: &Value) -> Value {
    serde_json::from_str(&answer(&question.to_string())).unwrap()
}

fn error(question: &str) -> String {
    let answer: Value = serde_json::from_str(&answer(question)).unwrap();
    answer["error"].as_str().unwrap_or_else(|| panic!("no error in {answer}")).to_owned()
}

fn scene() -> Scene {
    let memory = Arc::new(Memory::new(1 << 16));
    let data = memory.allocate(128).unwrap();
    memory.write(data, &[1; 128]).unwrap();
    let module = Module::load(PTX, &memory).unwrap();
    let one = Dim3 { x: 1, y: 1, z: 1 };
    let parameters = data.to_le_bytes();
    let shape = Launch {
        grid: one,
        block: Dim3 { x: 32, ..one },
        dynamic_shared_bytes: 0,
        parameters: &parameters,
        cooperative: false,
        cluster: None,
    };
    let before = Scene::before(&module.kernels()[0], &memory, &shape).unwrap();
    launch(&module.kernels()[0], &memory, &shape, &Options::default()).unwrap();
    before.after(&memory).unwrap()
}

#[test]
fn accesses_cost_as_much_as_the_counters_count() {
    let lanes = |stride: u64| (0..32).map(|lane| lane * stride).collect::<Vec<u64>>();
    let global = |stride, bytes| {
        asked(&json!({ "ask": "global", "addresses": lanes(stride), "active": u32::MAX, "bytes": bytes }))
    };
    assert_eq!(global(4, 4), json!({ "sectors": 4, "bytes_asked": 128 }));
    assert_eq!(global(16, 16), json!({ "sectors": 16, "bytes_asked": 512 }));
    let shared = |stride| {
        asked(&json!({ "ask": "shared", "addresses": lanes(stride), "active": u32::MAX, "bytes": 4, "store": false }))
    };
    assert_eq!(shared(128), json!({ "wavefronts": 32, "conflicts": 31 }));
    assert_eq!(shared(132), json!({ "wavefronts": 1, "conflicts": 0 }));
}

#[test]
fn shuffles_give_the_source_lane_of_each_lane() {
    let answer = asked(&json!({ "ask": "shuffle", "mode": "up", "operand": 1, "width": 32, "active": 3 }));
    assert_eq!(answer["lanes"][0], json!({ "source": 0, "in_range": false }));
    assert_eq!(answer["lanes"][1], json!({ "source": 0, "in_range": true }));
    assert_eq!(answer["lanes"][2], json!({ "source": null, "in_range": false }));
}

#[test]
fn occupancy_gives_the_limiting_resource() {
    let answer = asked(&json!({ "ask": "occupancy", "registers": 32, "shared_bytes": 100_000, "block": 256 }));
    assert_eq!((&answer["blocks"], &answer["warps"]), (&json!(2), &json!(16)));
    assert_eq!((&answer["limiter"], &answer["most_warps"]), (&json!("shared memory"), &json!(64)));
}

#[test]
fn a_run_counts_and_compares() {
    let answer = asked(&json!({ "ask": "run", "scene": scene() }));
    assert_eq!((&answer["same_bits"], &answer["fault"]), (&json!(true), &Value::Null));
    assert_eq!(answer["counters"]["global_load_sectors"], 4);
    let mut other = scene();
    other.results[0].contents[0] ^= 1;
    let answer = asked(&json!({ "ask": "run", "scene": other }));
    assert_eq!((&answer["same_bits"], &answer["unequal_words"]), (&json!(false), &json!(1)));
}

#[test]
fn a_trace_lists_each_instruction_and_equal_values_once() {
    let answer = asked(&json!({ "ask": "trace", "scene": scene(), "block": 0, "most_steps": 100 }));
    let steps = answer["steps"].as_array().unwrap();
    let loads: Vec<&Value> = steps.iter().filter(|step| step["accesses"][0]["kind"] == "load").collect();
    assert_eq!((loads.len(), &loads[0]["line"], &loads[0]["active"]), (1, &json!(11), &json!(u32::MAX)));
    assert_eq!(loads[0]["written"], json!([{ "register": "%r2", "kind": "b32", "values": [0x0101_0101] }]));
    assert_eq!(loads[0]["accesses"][0]["sectors"], 4);
    assert!(loads[0]["accesses"][0].get("wavefronts").is_none());
    let cut = asked(&json!({ "ask": "trace", "scene": scene(), "block": 0, "most_steps": 2 }));
    assert_eq!((cut["steps"].as_array().unwrap().len(), &cut["cut"]), (2, &json!(true)));
}

#[test]
fn a_fault_of_the_kernel_is_part_of_the_answer() {
    let mut short = scene();
    short.memory[0].contents.truncate(64);
    let answer = asked(&json!({ "ask": "run", "scene": short }));
    assert!(answer["fault"].as_str().unwrap().contains("out-of-bounds"), "{answer}");
    let answer = asked(&json!({ "ask": "trace", "scene": short, "block": 0, "most_steps": 100 }));
    assert!(answer["fault"].as_str().unwrap().contains("out-of-bounds"), "{answer}");
}

#[test]
fn invalid_questions_give_an_error() {
    assert!(error("").contains("EOF"));
    assert!(error(r#"{"ask":"weather"}"#).contains("unknown variant `weather`"));
    assert!(error(r#"{"ask":"global","addresses":[1],"active":1,"bytes":4}"#).contains("invalid length 1"));
    let access = |bytes| json!({ "ask": "global", "addresses": vec![2; 32], "active": 4, "bytes": bytes }).to_string();
    assert!(error(&access(4)).contains("lane 2's address 2 is not a multiple of 4"));
    assert!(error(&access(3)).contains("an access of 3 bytes"));
    let shuffle = json!({ "ask": "shuffle", "mode": "idx", "operand": 0, "width": 3, "active": 1 });
    assert!(error(&shuffle.to_string()).contains("a width of 3"));
    let occupancy = json!({ "ask": "occupancy", "registers": 300, "shared_bytes": 0, "block": 1 });
    assert!(error(&occupancy.to_string()).contains("300 registers per thread; there must be 1 to 255"));
    let other = Scene { ptx: "nonsense".into(), ..scene() };
    assert!(error(&json!({ "ask": "run", "scene": other }).to_string()).contains("PTX line 1"));
    let far = Scene { memory: vec![Contents { address: 1, contents: vec![0] }], ..scene() };
    assert!(error(&json!({ "ask": "run", "scene": far }).to_string()).contains("not inside one allocation"));
    let beyond = json!({ "ask": "trace", "scene": scene(), "block": 9, "most_steps": 1 });
    assert!(error(&beyond.to_string()).contains("no block 9"));
}

/// A question with some characters replaced must not panic.
#[test]
fn damaged_questions_are_answered() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let question = json!({ "ask": "run", "scene": scene() }).to_string().into_bytes();
    for _ in 0..2000 {
        let mut damaged = question.clone();
        for _ in 0..random.random_range(1..4) {
            let place = random.random_range(0..damaged.len());
            damaged[place] = random.random_range(0x20..0x7f);
        }
        let answer: Value = serde_json::from_str(&answer(&String::from_utf8(damaged).unwrap())).unwrap();
        assert!(answer.is_object());
    }
}
