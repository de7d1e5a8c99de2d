//! Translation, progress, digests, downloads, and questions for the emulator.

use crate::asked;
use editor_web::unpack::Unpacker;
use serde_json::json;

#[test]
fn unsupported_ir_is_refused_with_its_line() {
    let ir = "target triple = \"nvptx64-nvidia-cuda\"\ndefine ptx_kernel void @f(ptr %x) {\n  %a = load x86_fp80, ptr %x\n  ret void\n}\n";
    let answer = asked(&json!({ "ask": "translate", "ir": ir }));
    assert_eq!(answer["refused"][0]["ir_line"], 3, "{answer:#}");
    assert!(answer["text"].as_str().is_some_and(|text| text.contains("line 3 of the IR")), "{answer:#}");
}

#[test]
fn a_progress_is_read_as_it_was_written() {
    let progress = json!({
        "language": "cuda",
        "files": { "12_guard.cu": { "solved": "ab", "hints": 1, "revealed": false }, "13_x.cu": { "hints": 0, "revealed": true } },
    });
    let written = asked(&json!({ "ask": "progress", "write": progress }));
    let toml = written["toml"].as_str().expect("a text");
    assert!(toml.starts_with("# Written by `cargo learn`"), "{toml}");
    assert_eq!(asked(&json!({ "ask": "progress", "read": toml })), progress);
}

#[test]
fn a_damaged_progress_is_an_error_with_its_line() {
    let answer = asked(&json!({ "ask": "progress", "read": "language = \"cuda\"\nhints = 1" }));
    assert!(answer["error"].as_str().is_some_and(|error| error.starts_with("line 2: ")), "{answer}");
    let other = json!({ "language": "fortran", "files": {} });
    let answer = asked(&json!({ "ask": "progress", "write": other }));
    assert_eq!(answer["error"], "the language must be cuda or rust, not \"fortran\"");
}

#[test]
fn a_digest_is_the_sha_256_of_the_text() {
    let of_abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(asked(&json!({ "ask": "digest", "text": "abc" }))["sha256"], of_abc);
}

#[test]
fn questions_for_the_emulator_are_passed_on() {
    let addresses: Vec<u64> = (0..32).map(|lane| 4 * lane).collect();
    let question = json!({ "ask": "global", "addresses": addresses, "active": u32::MAX, "bytes": 4 });
    assert_eq!(asked(&question)["sectors"], 4);
    assert!(asked(&json!({ "ask": "nothing" }))["error"].is_string());
}

/// `A warp has 32 lanes. ` 20,000 times and `End.`, compressed by brotli.
const PACKED: &str =
    "5ba36886dfeac076b38315666956318ff235485091db62bbab19b40c9321cb3939b70671298353a25c18245c1198417a8250645f";

fn packed() -> Vec<u8> {
    let digits = |at: usize| u8::from_str_radix(&PACKED[at..at + 2], 16).expect("hexadecimal");
    (0..PACKED.len()).step_by(2).map(digits).collect()
}

#[test]
fn a_download_is_decompressed_in_chunks_of_any_size() {
    let text = "A warp has 32 lanes. ".repeat(20_000) + "End.";
    for bytes in [1, 7, 52] {
        let mut unpacker = Unpacker::default();
        let mut unpacked = Vec::new();
        for chunk in packed().chunks(bytes) {
            unpacked.extend(unpacker.unpack(chunk).expect("not damaged"));
        }
        assert!(unpacked == text.as_bytes(), "{} bytes from chunks of {bytes}", unpacked.len());
        assert!(unpacker.is_complete());
    }
}

#[test]
fn a_damaged_or_cut_download_is_noticed() {
    let mut unpacker = Unpacker::default();
    assert!(unpacker.unpack(&packed()[..40]).is_some());
    assert!(!unpacker.is_complete());
    let mut damaged = packed();
    damaged[5] ^= 0xFF;
    let mut unpacker = Unpacker::default();
    assert!(unpacker.unpack(&damaged).is_none() || !unpacker.is_complete());
}
