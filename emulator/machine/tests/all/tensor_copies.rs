//! Copies of boxes of tensors, in all layouts and partly outside of the tensor; and what is refused.

use crate::support::machine::{Machine, Shape, counting};
use crate::support::tensors::{module, multicast};
use emulator::{Dim3, Swizzle, TensorMap};

const SWIZZLES: [Swizzle; 4] = [Swizzle::None, Swizzle::Bytes32, Swizzle::Bytes64, Swizzle::Bytes128];

/// A tensor of halves with 40 x 21 x 5 elements. Rows are 96 bytes apart, slices 2304 bytes.
fn tensor(address: u64, dimensions: usize, swizzle: Swizzle) -> TensorMap {
    let columns = if swizzle == Swizzle::None { 24 } else { swizzle.bytes() as u32 / 2 };
    let mut map = TensorMap {
        address,
        element_bytes: 2,
        dimensions,
        sizes: [40, 21, 5],
        strides: [2, 96, 2304],
        box_sizes: [columns, 8, 2],
        swizzle,
    };
    map.sizes[dimensions..].fill(1);
    map.box_sizes[dimensions..].fill(1);
    map
}

/// The number of halves of the tensor's memory.
const HALVES: usize = 5 * 2304 / 2;

/// Returns the index in the tensor's memory of each half of a box, in the order of shared memory, or `None` outside.
fn places(map: &TensorMap, corner: [i32; 3]) -> Vec<Option<usize>> {
    let [columns, rows, slices] = map.box_sizes.map(|size| size as usize);
    let mut places = vec![None; columns * rows * slices];
    for (index, (slice, row, column)) in (0..slices)
        .flat_map(|slice| (0..rows).flat_map(move |row| (0..columns).map(move |column| (slice, row, column))))
        .enumerate()
    {
        let byte = 2 * index;
        let pattern = (map.swizzle.bytes() as usize / 16 - 1) << 7;
        let at = (byte ^ (byte & pattern) >> 3) / 2;
        let place = [column, row, slice].map(|part| part as i32);
        let place: [i32; 3] = std::array::from_fn(|axis| place[axis] + corner[axis]);
        let inside = (0..3).all(|axis| place[axis] >= 0 && (place[axis] as u64) < map.sizes[axis]);
        places[at] = inside.then(|| place[2] as usize * 1152 + place[1] as usize * 48 + place[0] as usize);
    }
    places
}

fn arguments(map: &TensorMap, image: u64, offset: u32, corner: [i32; 3]) -> Vec<Vec<u8>> {
    let bytes = map.box_sizes.iter().product::<u32>() * map.element_bytes;
    let numbers = [bytes, offset].into_iter().chain(corner.map(|place| place as u32));
    let first = [map.encode().to_vec(), image.to_le_bytes().to_vec()];
    first.into_iter().chain(numbers.map(|number| number.to_le_bytes().to_vec())).collect()
}

fn slices(arguments: &[Vec<u8>]) -> Vec<&[u8]> {
    arguments.iter().map(Vec::as_slice).collect()
}

/// Returns corners for a number of dimensions: inside, partly outside at both ends, and outside.
fn corners(dimensions: usize) -> Vec<[i32; 3]> {
    let corners = [[0, 0, 0], [8, 3, 1], [-5, -3, -1], [33, 17, 4], [100, 0, 0], [3, -20, 0]];
    let within = |corner: [i32; 3]| std::array::from_fn(|axis| if axis < dimensions { corner[axis] } else { 0 });
    corners.into_iter().map(within).collect()
}

#[test]
fn boxes_are_loaded_with_zeros_outside_of_the_tensor() {
    let machine = Machine::new(&module());
    let halves: Vec<u16> = (1..=HALVES as u16).collect();
    let address = machine.upload(&halves.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>());
    for (dimensions, swizzle) in (1..=3).flat_map(|dimensions| SWIZZLES.map(|swizzle| (dimensions, swizzle))) {
        let map = tensor(address, dimensions, swizzle);
        for corner in corners(dimensions) {
            let places = places(&map, corner);
            let image = machine.allocate(2 * places.len());
            let arguments = arguments(&map, image, 0, corner);
            let counters = machine.run(&format!("load{dimensions}"), Shape::threads(1), &slices(&arguments));
            let bytes = machine.download(image, 2 * places.len());
            let loaded: Vec<u16> = bytes.chunks_exact(2).map(|half| u16::from_le_bytes([half[0], half[1]])).collect();
            let expected: Vec<u16> = places.iter().map(|place| place.map_or(0, |place| halves[place])).collect();
            assert_eq!(loaded, expected, "{map:?} {corner:?}");
            assert_eq!((counters.bulk_copies, counters.bulk_copy_bytes), (1, 2 * places.len() as u64));
            let findings =
                machine.try_check(&format!("load{dimensions}"), Shape::threads(1), &slices(&arguments), &counting());
            assert_eq!(findings, Ok(Vec::new()), "{map:?} {corner:?}");
        }
    }
}

/// Each block brings the box that begins in its own row to both blocks.
#[test]
fn a_multicast_loads_a_box_to_all_blocks_of_a_cluster() {
    let machine = Machine::new(&multicast());
    let halves: Vec<u16> = (1..=HALVES as u16).collect();
    let address = machine.upload(&halves.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>());
    let map = tensor(address, 2, Swizzle::Bytes128);
    let of_first = places(&map, [0, 0, 0]);
    let of_second = places(&map, [0, 1, 0]);
    let bytes = 2 * of_first.len();
    let shape = Shape { grid: Dim3 { x: 2, y: 1, z: 1 }, ..Shape::threads(1) };
    let image = machine.allocate(4 * bytes);
    let arguments = arguments(&map, image, 0, [0; 3]);
    let counters = machine.run("multicast", shape, &slices(&arguments));
    let expected = of_first.iter().chain(&of_second).map(|place| place.map_or(0, |place| halves[place]));
    let expected: Vec<u16> = expected.collect();
    let image = machine.download(image, 4 * bytes);
    let loaded: Vec<u16> = image.chunks_exact(2).map(|half| u16::from_le_bytes([half[0], half[1]])).collect();
    assert_eq!(loaded, [expected.as_slice(), &expected].concat());
    assert_eq!((counters.bulk_copies, counters.bulk_copy_bytes), (2, 2 * bytes as u64));
    assert_eq!(machine.try_check("multicast", shape, &slices(&arguments), &counting()), Ok(Vec::new()));
}

#[test]
fn boxes_are_stored_inside_of_the_tensor_only() {
    let machine = Machine::new(&module());
    for (dimensions, swizzle) in (1..=3).flat_map(|dimensions| SWIZZLES.map(|swizzle| (dimensions, swizzle))) {
        for corner in corners(dimensions) {
            let address = machine.upload(&vec![0xFF; 2 * HALVES]);
            let map = tensor(address, dimensions, swizzle);
            let places = places(&map, corner);
            let halves: Vec<u16> = (1..=places.len() as u16).collect();
            let image = machine.upload(&halves.iter().flat_map(|half| half.to_le_bytes()).collect::<Vec<_>>());
            let arguments = arguments(&map, image, 0, corner);
            machine.run(&format!("store{dimensions}"), Shape::threads(1), &slices(&arguments));
            let mut expected = vec![0xFFFF; HALVES];
            for (place, half) in places.iter().zip(&halves) {
                if let Some(place) = *place {
                    expected[place] = *half;
                }
            }
            let bytes = machine.download(address, 2 * HALVES);
            let stored: Vec<u16> = bytes.chunks_exact(2).map(|half| u16::from_le_bytes([half[0], half[1]])).collect();
            assert!(stored == expected, "{map:?} {corner:?}");
            machine.memory.free(address).unwrap();
        }
    }
}

/// Runs `load2` and returns the error.
fn error(machine: &Machine, map: &TensorMap, offset: u32, change: impl Fn(&mut [Vec<u8>])) -> String {
    let mut arguments = arguments(map, machine.allocate(4096), offset, [0; 3]);
    change(&mut arguments);
    let run = machine.try_run("load2", Shape::threads(1), &slices(&arguments), &counting());
    run.expect_err("the copy is invalid").to_string()
}

#[test]
fn invalid_copies_are_faults() {
    let machine = Machine::new(&module());
    let map = tensor(machine.upload(&[0; 2 * HALVES]), 2, Swizzle::Bytes64);
    let clear = |arguments: &mut [Vec<u8>]| arguments[0].fill(0);
    let message = error(&machine, &map, 0, clear);
    assert!(message.contains("invalid tensor map in kernel `load2`"), "{message}");
    assert!(message.contains("are not from cuTensorMapEncodeTiled"), "{message}");
    let message = error(&machine, &TensorMap { dimensions: 3, ..map }, 0, |_| {});
    assert!(message.contains("a copy in 2 dimensions of a tensor that has 3"), "{message}");
    let message = error(&machine, &map, 16, |_| {});
    assert!(message.contains("the address of a box in shared memory, 0x10, is not a multiple of 128"), "{message}");
    let message = error(&machine, &TensorMap { sizes: [40, 500, 1], box_sizes: [32, 200, 1], ..map }, 0, |_| {});
    assert!(message.contains("out-of-bounds access in kernel `load2`"), "{message}");
}
