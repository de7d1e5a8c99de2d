//! Occupancy, compared with the answers of an H200 (driver 580) in `hardware/occupancy.txt`.

use emulator::Resources;

/// The recorded answers. The file describes its columns.
const READINGS: &str = include_str!("../hardware/occupancy.txt");

/// Returns the readings of one kind: the kernel's resources, and the other columns.
fn readings(kind: &str) -> impl Iterator<Item = (Resources, Vec<u32>)> {
    READINGS.lines().filter_map(move |line| {
        let row = line.strip_prefix(kind)?;
        let numbers: Vec<u32> = row.split_whitespace().map(|word| word.parse().unwrap()).collect();
        let [registers, static_shared_bytes, max_threads, max_dynamic_shared_bytes] = numbers[..4] else {
            panic!("{row}")
        };
        let kernel = Resources { registers, static_shared_bytes, max_threads, max_dynamic_shared_bytes };
        Some((kernel, numbers[4..].to_vec()))
    })
}

#[test]
fn blocks_per_multiprocessor_match_the_hardware() {
    let mut rows = 0;
    for (resources, row) in readings("blocks ") {
        let [threads, dynamic, blocks] = row[..] else { panic!("{row:?}") };
        let ours = resources.blocks_per_multiprocessor(threads, dynamic as usize);
        assert_eq!(ours, blocks, "{resources:?}, {threads} threads, {dynamic} bytes");
        rows += 1;
    }
    assert!(rows > 500, "{rows} readings");
}

#[test]
fn best_block_sizes_match_the_hardware() {
    let mut rows = 0;
    for (resources, row) in readings("best ") {
        let [limit, dynamic, threads, blocks] = row[..] else { panic!("{row:?}") };
        assert_eq!(resources.best_block(limit, |_| dynamic as usize), (threads, blocks), "{resources:?}, {row:?}");
        rows += 1;
    }
    assert!(rows > 30, "{rows} readings");
}

#[test]
fn available_dynamic_bytes_match_the_hardware() {
    let mut rows = 0;
    for (resources, row) in readings("available ") {
        let [blocks, threads, fits, bytes] = row[..] else { panic!("{row:?}") };
        let expected = (fits == 1).then_some(bytes as usize);
        assert_eq!(resources.available_dynamic_bytes(blocks, threads), expected, "{resources:?}, {row:?}");
        rows += 1;
    }
    assert!(rows > 100, "{rows} readings");
}

#[test]
fn largest_blocks_match_the_hardware() {
    for (registers, threads) in [(8, 1024), (40, 1024), (72, 896), (96, 640), (128, 512), (215, 256)] {
        let (static_shared_bytes, max_dynamic_shared_bytes) = (0, 0);
        let kernel = Resources { registers, static_shared_bytes, max_threads: 1024, max_dynamic_shared_bytes };
        assert_eq!(kernel.max_threads_per_block(), threads);
    }
}
