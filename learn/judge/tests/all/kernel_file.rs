//! Arguments written as text, parameter blocks and languages.

use clap::{Args, FromArgMatches};
use judge::kernel_file::{Argument, Buffer, Language, Request, parameter_block};
use std::path::Path;

fn value(text: &str) -> Result<Vec<u8>, String> {
    match text.parse()? {
        Argument::Value { bytes, .. } => Ok(bytes),
        other => Err(format!("{text} is no value: {other:?}")),
    }
}

fn buffer(text: &str) -> Buffer {
    match text.parse() {
        Ok(Argument::Buffer(buffer)) => buffer,
        other => panic!("{text}: {other:?}"),
    }
}

fn error(text: &str) -> String {
    text.parse::<Argument>().expect_err("it is not an argument")
}

#[test]
fn values_have_the_width_of_their_type() {
    assert_eq!(value("i32=-2"), Ok(vec![0xFE, 0xFF, 0xFF, 0xFF]));
    assert_eq!(value("f32=1.5"), Ok(1.5_f32.to_le_bytes().into()));
    assert_eq!(value("u64=0x7f"), Ok(0x7F_u64.to_le_bytes().into()));
    assert_eq!(value("u8=1,2,3"), Ok(vec![1, 2, 3]), "a structure");
}

#[test]
fn values_out_of_range_are_refused() {
    assert!(value("u8=255").is_ok() && value("i8=-128").is_ok());
    assert_eq!(error("u8=256"), "`256` is not a value of type u8");
    assert_eq!(error("i8=128"), "`128` is not a value of type i8");
    assert_eq!(error("u32=1.5"), "`1.5` is not a value of type u32");
}

#[test]
fn buffers_have_the_written_contents() {
    assert_eq!((buffer("f32[8]").bytes(), buffer("f32[8]").contents(1)), (32, None));
    assert_eq!(buffer("u16[3]=7").contents(1), Some(vec![7, 0, 7, 0, 7, 0]));
    assert_eq!(buffer("u8[3]=1,2,3").contents(1), Some(vec![1, 2, 3]));
    assert_eq!(buffer("f32[2]=index").contents(1), Some([0_f32.to_le_bytes(), 1_f32.to_le_bytes()].concat()));
    assert!(buffer("f32[2]=freed").is_freed() && !buffer("f32[2]").is_freed());
}

#[test]
fn elements_are_formatted_as_they_are_written() {
    for (text, elements) in [("i8[2]=-1,127", "-1 127"), ("u8[1]=255", "255"), ("f32[2]=1.5,-3", "1.5 -3")] {
        assert_eq!(buffer(text).text_of(&buffer(text).contents(1).expect("contents")), elements);
    }
}

#[test]
fn elements_as_numbers_keep_their_sign() {
    for (text, numbers) in [
        ("i16[2]=-1,7", [-1.0, 7.0]),
        ("u16[2]=65535,7", [65535.0, 7.0]),
        ("f64[2]=0.5,-3", [0.5, -3.0]),
        ("f16[2]=0.1,-65504", [0.099_975_585_937_5, -65504.0]),
        ("bf16[2]=0.1,3", [0.100_097_656_25, 3.0]),
    ] {
        assert_eq!(buffer(text).numbers(&buffer(text).contents(1).expect("contents")), numbers);
    }
}

#[test]
fn random_contents_depend_only_on_the_seed_and_floats_are_below_one() {
    let random = buffer("f32[1000]=random");
    assert_eq!(random.contents(1), random.contents(1));
    assert_ne!(random.contents(1), random.contents(2));
    let bytes = random.contents(1).expect("contents");
    let mut floats = bytes.chunks_exact(4).map(|word| f32::from_le_bytes(word.try_into().expect("4 bytes")));
    assert!(floats.all(|value| (0.0..1.0).contains(&value)));
    for halves in ["f16[100000]=random", "bf16[100000]=random"] {
        let numbers = buffer(halves).numbers(&buffer(halves).contents(1).expect("contents"));
        assert!(numbers.iter().all(|value| (0.0..1.0).contains(value)) && numbers.iter().any(|value| *value > 0.9));
    }
}

#[test]
fn malformed_arguments_are_explained() {
    assert!(error("int=5").starts_with("`int` is not a type; the types are i8"));
    assert_eq!(error("f32"), "the value is missing; write f32=VALUE, or f32[COUNT] for a buffer");
    assert_eq!(error("f32[0]"), "`[0]` is not a number of elements in brackets");
    assert_eq!(error("f32[8"), "`[8` is not a number of elements in brackets");
    assert_eq!(error("f32[8]=1,2"), "2 values for 8 elements; give one value, or one per element");
}

#[test]
fn arguments_are_placed_at_the_offsets_of_their_parameters() {
    let block = parameter_block("k", &[(0, 4), (8, 8)], &[vec![1; 4], vec![2; 8]]).expect("the sizes match");
    assert_eq!(block, [1, 1, 1, 1, 0, 0, 0, 0, 2, 2, 2, 2, 2, 2, 2, 2]);
}

#[test]
fn arguments_of_other_sizes_are_listed_with_the_parameters() {
    let error = parameter_block("k", &[(0, 8), (8, 4)], &[vec![0; 8]]).unwrap_err();
    assert!(
        error.starts_with(
            "`k` takes these parameters: 2 (8, 4 bytes); these arguments are given: 1 (8 bytes). A pointer has"
        ),
        "{error}"
    );
    assert!(parameter_block("k", &[], &[vec![0; 8]]).unwrap_err().contains("parameters: none;"));
    assert!(parameter_block("k", &[(0, 8)], &[vec![0; 4]]).is_err());
}

#[test]
fn the_extension_decides_the_language() {
    assert_eq!(Language::from_file(Path::new("a/b.rs")), Some(Language::Rust));
    assert_eq!(Language::from_file(Path::new("a/b.ptx")), None);
}

#[test]
fn missing_axes_of_a_launch_have_extent_1() {
    let grid = |text: &str| {
        let command = Request::augment_args(clap::Command::new("launch"));
        let words = ["launch", "k.ptx", "--kernel", "k", "--block", "1", "--grid", text];
        let matches = command.try_get_matches_from(words).map_err(|error| error.to_string())?;
        Request::from_arg_matches(&matches).map(|request| request.grid).map_err(|error| error.to_string())
    };
    assert_eq!(grid("8"), Ok([8, 1, 1]));
    assert_eq!(grid("8,4,2"), Ok([8, 4, 2]));
    assert!(grid("8,").unwrap_err().contains(": ``: "));
    assert!(grid("1,2,3,4").unwrap_err().contains("at most three axes are possible"));
}
