//! Textures. `hardware/textures.txt` has the bits that an NVIDIA GPU reads in all address modes and filters.

use crate::support::machine::{Machine, Shape, counting};
use crate::support::texture_reads;
use crate::support::textures::{READS, module};
use emulator::{AddressMode, Arrangement, Channel, TextureDescriptor};

const MODES: [AddressMode; 4] = [AddressMode::Wrap, AddressMode::Clamp, AddressMode::Mirror, AddressMode::Border];

/// Returns a texture of elements that follow each other, for reads of the nearest element.
fn plain(address: u64, channel: Channel, channels: u32, sizes: [u32; 3]) -> TextureDescriptor {
    let row = u64::from(sizes[0]) * channel.bytes() * u64::from(channels);
    TextureDescriptor {
        address,
        channel,
        channels,
        arrangement: if sizes[2] > 1 { Arrangement::Volume } else { Arrangement::Linear },
        sizes,
        pitches: [row, row * u64::from(sizes[1])],
        modes: [AddressMode::Clamp; 3],
        linear: false,
        normalized_coordinates: false,
        normalized_values: false,
        border: [0.0; 4],
    }
}

/// Runs a kernel with a thread for each list of coordinates, and returns its first words of each thread.
fn run(
    machine: &Machine,
    kernel: &str,
    object: &TextureDescriptor,
    coordinates: &[[u32; 4]],
    values: &[u8],
) -> Vec<u8> {
    let object = machine.upload(&object.encode());
    let bytes: Vec<u8> = coordinates.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
    let coordinates_at = machine.upload(&bytes);
    let values_at = machine.upload(values);
    let arguments = [object, coordinates_at, values_at].map(u64::to_le_bytes);
    let shape = Shape::threads(coordinates.len() as u32);
    let run = machine.try_run(kernel, shape, &arguments.each_ref().map(|bytes| bytes.as_slice()), &counting());
    run.unwrap_or_else(|error| panic!("{error}"));
    machine.download(values_at, values.len())
}

fn words(bytes: &[u8]) -> Vec<[u32; 4]> {
    let word = |bytes: &[u8]| u32::from_le_bytes(bytes.try_into().unwrap());
    bytes.chunks_exact(32).map(|thread| std::array::from_fn(|at| word(&thread[4 * at..4 * at + 4]))).collect()
}

/// Returns what the kernel with this instruction reads.
fn read(machine: &Machine, opcode: &str, object: &TextureDescriptor, coordinates: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let number = READS.iter().position(|known| *known == opcode).unwrap();
    words(&run(machine, &format!("read{number}"), object, coordinates, &vec![0; 32 * coordinates.len()]))
}

#[test]
fn integer_coordinates_select_elements() {
    let machine = Machine::new(&module());
    let bytes: Vec<u8> = (0..2 * 60_u16).flat_map(|value| value.to_le_bytes()).collect();
    let object = plain(machine.upload(&bytes), Channel::Unsigned16, 2, [5, 4, 3]);
    // Channels that are missing are 0.
    let at = |x: u32, y: u32, z: u32| [2 * (x + 5 * y + 20 * z), 2 * (x + 5 * y + 20 * z) + 1, 0, 0];
    let zeros = [0; 4];
    assert_eq!(read(&machine, "tex.1d.v4.s32.s32", &object, &[[3, 0, 0, 0], [9, 0, 0, 0]]), [at(3, 0, 0), zeros]);
    let outside = [[1, 2, 0, 0], [-1_i32 as u32, 3, 0, 0]];
    assert_eq!(read(&machine, "tex.2d.v4.u32.s32", &object, &outside), [at(1, 2, 0), zeros]);
    let row = TextureDescriptor { arrangement: Arrangement::Row, ..object };
    assert_eq!(read(&machine, "tex.1d.v4.s32.s32", &row, &[[3, 0, 0, 0]]), [zeros]);
    let [one, two] = [1.7_f32, 2.2].map(f32::to_bits);
    assert_eq!(read(&machine, "tex.3d.v4.u32.f32", &object, &[[one, two, one, one]]), [at(1, 2, 1)]);
}

#[test]
fn values_of_all_types_become_registers() {
    let machine = Machine::new(&module());
    let value = |channel, bytes: &[u8], normalized_values| {
        let object = plain(machine.upload(bytes), channel, 1, [1, 1, 1]);
        read(&machine, "tex.1d.v4.s32.s32", &TextureDescriptor { normalized_values, ..object }, &[[0; 4]])[0][0]
    };
    assert_eq!(value(Channel::Unsigned8, &[200], false), 200);
    assert_eq!(value(Channel::Unsigned8, &[51], true), 0.2_f32.to_bits());
    assert_eq!(value(Channel::Signed8, &[0x80], false), -128_i32 as u32);
    assert_eq!(value(Channel::Signed8, &[0x80], true), (-1_f32).to_bits());
    assert_eq!(value(Channel::Signed16, &[0xFF, 0x7F], true), 1_f32.to_bits());
    assert_eq!(value(Channel::Signed32, &[1, 2, 3, 4], true), 0x0403_0201);
    assert_eq!(value(Channel::Half, &[0x00, 0x3E], false), 1.5_f32.to_bits());
    assert_eq!(value(Channel::Unsigned32, &[1, 2, 3, 0xFF], false), 0xFF03_0201);
}

/// Returns the texture of a line of the recording, and its elements.
fn recorded(machine: &Machine, name: &str, dimensions: usize, case: u32) -> TextureDescriptor {
    let numbers = (0..60).map(|index| index * 37 % 101);
    let (channel, bytes): (_, Vec<u8>) = match name {
        "f32" => (
            Channel::Single,
            numbers.flat_map(|number| ((f64::from(number - 50) + 0.3) as f32).to_le_bytes()).collect(),
        ),
        "u8" => (Channel::Unsigned8, numbers.map(|number| number as u8).collect()),
        _ => (Channel::Signed16, numbers.flat_map(|number| (number as i16).to_le_bytes()).collect()),
    };
    let sizes = [5, if dimensions > 1 { 4 } else { 1 }, if dimensions > 2 { 3 } else { 1 }];
    TextureDescriptor {
        arrangement: [Arrangement::Row, Arrangement::Plane, Arrangement::Volume][dimensions - 1],
        modes: [MODES[case as usize & 3]; 3],
        linear: case & 4 != 0,
        normalized_coordinates: case & 8 != 0,
        normalized_values: name != "f32",
        ..plain(machine.upload(&bytes), channel, 1, sizes)
    }
}

/// Reads of the nearest element, and floats filtered along one axis, have the same bits, and most others, too. The kernel of the recording computes
/// coordinates with fused multiply-adds; the first channel and the last of each thread were recorded.
#[test]
fn reads_are_those_of_a_gpu() {
    let machine = Machine::new(&module());
    let text = std::fs::read_to_string(crate::support::folder("hardware").join("textures.txt")).unwrap();
    let (mut cases, mut different, mut same_bits) = (0, Vec::new(), [(0, 0); 4]);
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let fields: Vec<&str> = line.split(' ').collect();
        let (dimensions, case): (usize, u32) = (fields[1].parse().unwrap(), fields[2].parse().unwrap());
        let object = recorded(&machine, fields[0], dimensions, case);
        let step = if case & 8 != 0 { 0.0517_f32 } else { 0.1531 };
        let at =
            |thread: f32| [thread.mul_add(step, -1.7), thread.mul_add(0.113, 0.37), thread.mul_add(0.071, 0.2), 0.0];
        let coordinates: Vec<[u32; 4]> = (0..64).map(|thread| at(thread as f32).map(f32::to_bits)).collect();
        let found = read(&machine, READS[dimensions - 1], &object, &coordinates);
        let axes = if case & 3 == 3 { dimensions.max(2) } else { dimensions };
        let exact = case & 4 == 0 || fields[0] == "f32" && axes == 1;
        // Along three axes, each of eight weights is a multiple of 2^-8 that may be off by one. Sums of floats differ in their last
        // bits; results of integers have 15 bits behind the point.
        let largest = if fields[0] == "f32" { 50.3 } else { 100.0 / if fields[0] == "u8" { 255.0 } else { 32767.0 } };
        let of_weights = if axes == 3 { 2.0_f32.powi(-5) * largest } else { 0.0 };
        let of_values = if fields[0] == "f32" { 2.0_f32.powi(-23) * largest } else { 2.0_f32.powi(-15) };
        let tolerance = of_weights + of_values;
        for (thread, (values, recorded)) in found.iter().zip(fields[4..].chunks_exact(2)).enumerate() {
            let expected = [0, 1].map(|at| u32::from_str_radix(recorded[at], 16).unwrap());
            let [found, of_gpu] = [values[0], expected[0]].map(f32::from_bits);
            if case & 4 != 0 && fields[0] == "f32" {
                let (same, all) = &mut same_bits[axes];
                (*same, *all) = (*same + usize::from(values[0] == expected[0]), *all + 1);
            }
            let same = if exact { values[0] == expected[0] } else { (found - of_gpu).abs() <= tolerance };
            if !same || values[3] != 0 && case & 3 != 3 {
                different.push(format!(
                    "{} {dimensions}D case {case} thread {thread}: {found} ({:x}), not {of_gpu} ({:x})",
                    fields[0], values[0], expected[0]
                ));
            }
        }
        cases += 1;
    }
    assert_eq!(cases, 3 * 3 * 16);
    // Along two axes and three, 99 and 95 percent have the same bits.
    assert!(same_bits[1] == (384, 384) && same_bits[2] >= (638, 640) && same_bits[3] >= (488, 512), "{same_bits:?}");
    assert!(
        different.is_empty(),
        "{} of {}:\n{}",
        different.len(),
        64 * cases,
        different[..different.len().min(40)].join("\n")
    );
}

#[test]
fn reads_of_integers_and_borders_are_those_of_a_gpu() {
    let machine = Machine::new(&module());
    let recording = texture_reads::recording();
    let mut wrong = Vec::new();
    for recorded in &recording {
        let object = recorded.texture(machine.upload(&recorded.elements()));
        let found = read(&machine, &recorded.opcode, &object, &recorded.coordinates());
        for (thread, (found, expected)) in found.iter().zip(&recorded.values).enumerate() {
            let is_same = if recorded.is_interpolated() {
                // The last bits of the sum.
                (f32::from_bits(found[0]) - f32::from_bits(*expected)).abs() <= 2.0_f32.powi(-23) * 50.3
            } else {
                found[0] == *expected
            };
            if !is_same {
                wrong.push(format!("{} of case {}, thread {thread}: {found:x?}", recorded.opcode, recorded.case));
            }
        }
    }
    assert!(recording.len() == 38 && wrong.is_empty(), "{}:\n{}", wrong.len(), wrong[..wrong.len().min(40)].join("\n"));
}

#[test]
fn what_is_no_texture_is_a_fault() {
    let machine = Machine::new(&module());
    let fault = |handle: u64| {
        let data = machine.upload(&[0; 64]);
        let arguments = [handle, data, data].map(u64::to_le_bytes);
        let arguments = arguments.each_ref().map(|bytes| bytes.as_slice());
        machine.try_run("read0", Shape::threads(1), &arguments, &counting()).unwrap_err().to_string()
    };
    assert!(fault(0).contains("0x0 is not the handle of a texture"));
    let nowhere = plain(64, Channel::Single, 1, [4, 1, 1]);
    let error = fault(machine.upload(&nowhere.encode()));
    assert!(error.contains("a texture at 0x40, not in any allocation"), "{error}");
}
