//! Structures and addresses as arguments, values of variables, and contents of large buffers.

use half::{bf16, f16};
use judge::kernel_file::{Argument, Buffer, Part, Setting};

/// Returns the bytes of argument 1, with the number of a part as its address: 1003 of `1.3`.
fn bytes(text: &str) -> Result<Vec<u8>, String> {
    let address = |part: &Part| Ok(part.0.iter().fold(0, |address, number| 1000 * address + *number as u64));
    text.parse::<Argument>()?.bytes(&address, &Part::argument(0))
}

fn of_words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

#[test]
fn members_are_aligned_as_in_c() {
    let size = |text: &str| bytes(text).map(|bytes| bytes.len());
    for (text, expected) in [
        ("{i32=8,i32=4}", 8),
        ("{i32=8,f32[4]}", 16),
        ("{i32=8,i32=4,f32[4]=index}", 16),
        ("{f32[4],i32=8}", 16),
        ("{i8=1,i16=2,i8=3}", 6),
        ("{i8=1,f64=2}", 16),
        ("{u8=1,2,3}", 3),
        ("{f32=1,2,3,i32=4}", 16),
        ("{i32=1,{f64=2,i8=3},i8=4}", 32),
        ("{i8=1,@2}", 16),
    ] {
        assert_eq!(size(text), Ok(expected), "{text}");
    }
}

#[test]
fn members_have_their_values_and_buffers_their_addresses() {
    assert_eq!(bytes("{i32=8,4}"), Ok(of_words(&[8, 4])));
    assert_eq!(bytes("{i32=8, i32=4, f32[32]=index}"), Ok(of_words(&[8, 4, 1003, 0])));
    assert_eq!(bytes("{i32=-1,{u64=2,f32[3]=1,2,3}}"), Ok(of_words(&[u32::MAX, 0, 2, 0, 1_002_002, 0])));
    assert_eq!(bytes("{@2,@3.1}"), Ok(of_words(&[2, 0, 3001, 0])));
    assert_eq!(bytes("@2"), Ok(of_words(&[2, 0])));
}

#[test]
fn malformed_structures_are_explained() {
    for (text, error) in [
        ("{i32=8", "`{i32=8` has no `}` at its end"),
        ("{}", "`` is not a type; the types are i8"),
        ("{8,i32=4}", "`8` is not a type; the types are i8"),
        ("{f32}", "the value is missing; write f32=VALUE, or f32[COUNT] for a buffer"),
        ("{i32=8,x}", "`x` is not a value of type i32"),
        ("@", "`` is not the number of an argument; the first is 1"),
        ("@0", "`0` is not the number of an argument; the first is 1"),
        ("{{{{{{{{{i32=1}}}}}}}}}", "more than 8 structures in each other"),
    ] {
        assert!(bytes(text).is_err_and(|found| found.starts_with(error)), "{text}: {:?}", bytes(text));
    }
}

#[test]
fn buffers_of_members_have_random_contents_of_their_own() {
    let argument: Argument = "{u64[4]=random,u64[4]=random}".parse().expect("a structure");
    let contents: Vec<_> =
        argument.buffers(&Part::argument(0)).iter().map(|(part, buffer)| buffer.contents(part.seed())).collect();
    assert_ne!(contents[0], contents[1]);
    assert_eq!((Part::argument(0).seed(), Part::argument(3).seed()), (0, 3));
}

#[test]
fn variables_are_set_to_values_arrays_structures_and_addresses() {
    let value = |text: &str| text.parse::<Setting>()?.bytes(&|part| Ok(part.0[0] as u64));
    assert_eq!(value("size=i32=5"), Ok(of_words(&[5])));
    assert_eq!(value("mask=i32[3]=1,2,1"), Ok(of_words(&[1, 2, 1])));
    assert_eq!(value("mask=i32[3]=7"), Ok(of_words(&[7, 7, 7])));
    assert_eq!(value("data={i32=3,@2}"), Ok(of_words(&[3, 0, 2, 0])));
    assert_eq!(value("data=@4"), Ok(of_words(&[4, 0])));
    assert!(value("mask").is_err_and(|error| error.starts_with("`mask` has no value; write NAME=TYPE=VALUE")));
    assert!(value("mask=5").is_err_and(|error| error.starts_with("`5` is not a type")));
    assert_eq!(value("mask=f32[3]"), Err("--set mask: the values are missing; write mask=f32[3]=VALUES".to_owned()));
    assert!(value("data={i32=3,f32[4]}").is_err_and(|error| error.contains("write @2 for the address of argument 2")));
}

/// Returns the elements of a buffer of 16-bit numbers.
fn shorts(text: &str) -> Vec<u16> {
    let buffer: Buffer = text.parse().expect("a buffer");
    let bytes = buffer.contents(7).expect("contents");
    bytes.chunks_exact(2).map(|bytes| u16::from_le_bytes([bytes[0], bytes[1]])).collect()
}

/// Runs of equal numbers are written at once.
#[test]
fn indices_are_rounded_once_in_short_floats() {
    const COUNT: u64 = 300_000;
    for (index, bits) in (0..COUNT).zip(shorts(&format!("bf16[{COUNT}]=index"))) {
        assert_eq!(bits, bf16::from_f64(index as f64).to_bits(), "{index}");
    }
    for (index, bits) in (0..COUNT).zip(shorts(&format!("f16[{COUNT}]=index"))) {
        assert_eq!(bits, f16::from_f64(index as f64).to_bits(), "{index}");
    }
    assert_eq!(shorts("u16[70000]=index")[65_537], 1, "integers wrap");
}

/// The bits of SplitMix64 with seed 7, from its authors' program.
#[test]
fn random_contents_are_those_of_the_generator() {
    let contents = |text: &str| text.parse::<Buffer>().expect("a buffer").contents(7).expect("contents");
    let words: Vec<u64> = contents("u64[3]=random")
        .chunks_exact(8)
        .map(|word| u64::from_le_bytes(word.try_into().expect("8 bytes")))
        .collect();
    assert_eq!(words, SPLIT_MIX_OF_7);
    let bytes: Vec<u8> = SPLIT_MIX_OF_7.iter().map(|word| *word as u8).collect();
    assert_eq!(contents("u8[3]=random"), bytes);
    let floats: Vec<u8> =
        SPLIT_MIX_OF_7.iter().flat_map(|word| ((word >> 40) as f32 / 16_777_216.0).to_le_bytes()).collect();
    assert_eq!(contents("f32[3]=random"), floats);
    let halves: Vec<u16> =
        SPLIT_MIX_OF_7.iter().map(|word| f16::from_f64((word >> 53) as f64 / 2048.0).to_bits()).collect();
    assert_eq!(shorts("f16[3]=random"), halves);
}

const SPLIT_MIX_OF_7: [u64; 3] = [0x63CB_E1E4_5932_0DD7, 0x044C_3CD7_F43C_661C, 0xE698_4080_BAB1_2A02];
