//! The counts on the cards of the kernels of problems L and P, compared with the emulator's, and tiles that other blocks have taken.

use common::device::DeviceChoice;
use common::problem::histogram::SKEW;
use common::problem::sort::{Buffers, Sort};
use common::problem::{Launch, LaunchResult, Parameters, Size};
use common::session::Session;
use common::stage::{Plan, Rung, Shape};
use cudarc::driver::{DriverError, LaunchConfig};
use emulator::Counters;
use stage_tests::results::run;
use stage_tests::turn;
use stage_tests::twins::with_work;
use stage09_patterns::sort::{
    Counted, KEYS_EACH, SORT_DIGITS, SORT_LOCAL, SORT_ONE_SWEEP, SORT_PAIRS, SORT_SPLIT, Swept, SweptPairs, count,
    histograms, pass, sweep, sweep_pairs,
};

/// Keys: two tiles of the kernels that count before each pass.
const N: u64 = 8192;
const TILES: u64 = 2;
/// Rows of keys, each of one access of a warp.
const ROWS: u64 = N / 32;

/// Returns the counts of a run on one worker of the emulator, whose blocks run one after the other.
fn counts(rung: &Rung, n: u64, equal: u32, block: u32) -> Counters {
    let _turn = turn();
    let mut session = Session::open(DeviceChoice::Emulator, None).unwrap();
    session.device.set_emulator_threads(1);
    let size = Size { parameters: Parameters::default().with(SKEW, equal), ..Size::new(n as usize) };
    let outcome = session.run(&Plan::new(rung, size, Shape::block(block)).unwrap(), 1).unwrap();
    session.device.set_emulator_threads(0);
    assert!(outcome.report.passed(), "{}: {:?}", rung.kernel, outcome.report);
    outcome.counters.expect("the emulator counts")
}

#[test]
fn a_pass_reads_the_keys_twice_and_writes_them_once() {
    for (rung, passes, bins) in [(&SORT_SPLIT, 32, 2), (&SORT_DIGITS, 8, 16), (&SORT_LOCAL, 8, 16)] {
        let count = counts(rung, N, 0, 256);
        // In the scan, the first warp loads eight counts per lane, one by one; of a tile, all warps load two starts, or one that of digits.
        let scan = 8 * (bins * TILES).div_ceil(256);
        let starts = if bins == 2 { 2 * 8 } else { 1 };
        assert_eq!(count.global_load_requests, passes * (2 * ROWS + scan + TILES * starts), "{}", rung.kernel);
        assert_eq!(count.global_store_requests, passes * (ROWS + TILES + scan + 1), "{}", rung.kernel);
        assert_eq!(count.global_atomic_requests, passes * TILES);
    }
}

#[test]
fn digits_scatter_the_keys_of_a_row_and_a_sorted_tile_does_not() {
    let sectors = |rung: &Rung, passes: u64, equal: u32| {
        counts(rung, N, equal, 256).global_store_sectors as f64 / (passes * ROWS) as f64
    };
    let [split, digits, local] =
        [(&SORT_SPLIT, 32), (&SORT_DIGITS, 8), (&SORT_LOCAL, 8)].map(|(rung, passes)| sectors(rung, passes, 0));
    assert!((4.0..6.0).contains(&split) && digits > 1.8 * split && local < 6.0, "{split}, {digits}, {local}");
    // Equal keys stay where they are.
    assert!(sectors(&SORT_DIGITS, 8, 100) < 4.3);
}

#[test]
fn one_sweep_moves_36_bytes_per_key() {
    const TILE: u64 = 512 * KEYS_EACH as u64;
    let n = 2 * TILE;
    let rows = n / 32;
    let count = counts(&SORT_ONE_SWEEP, n, 0, 512);
    let local = counts(&SORT_LOCAL, n, 0, 256);
    // The starts of a digit are loaded once per pass, and the other tile looks once, with four loads.
    let of_digits = 256 / 32;
    let histograms = n / 128 + 4 * of_digits;
    assert_eq!(count.global_load_requests, histograms + 4 * (rows + of_digits + 4 * of_digits));
    // The first tile publishes once, and the second twice; each clears its states of the next pass.
    assert_eq!(count.global_store_requests, 4 * of_digits + 4 * (rows + 3 * of_digits + 2 * of_digits));
    let blocks = n.div_ceil(4 * 1024);
    assert_eq!(count.global_atomic_requests, blocks * (4 * of_digits + 1) + 4 * 2);
    let bytes = |count: Counters| (count.global_load_sectors + count.global_store_sectors) as f64 * 32.0 / n as f64;
    assert!((36.0..44.0).contains(&bytes(count)), "{}", bytes(count));
    assert!(bytes(local) > 2.3 * bytes(count), "{}", bytes(local));

    // As many requests for the values as for the keys.
    let [keys, pairs] = [&SORT_ONE_SWEEP, &SORT_PAIRS].map(|rung| counts(rung, n, 0, 384));
    assert_eq!(pairs.global_load_requests, keys.global_load_requests + 4 * rows);
    assert_eq!(pairs.global_store_requests, keys.global_store_requests + 4 * rows);
    assert!((68.0..88.0).contains(&bytes(pairs)), "{}", bytes(pairs));
}

/// The blocks that count, of which most have no keys: so many that the scan of the counts has several warps, and with 560 a second
/// round, which has that of the last digit. With 33, lanes 4, 8 and 16 of a warp have starts of the block with keys, and with 250, lane
/// 31 has one: that shows all steps of a warp's scan.
fn blocks_for(n: u32) -> Option<u32> {
    [(33, 33), (5, 560), (261, 250)].into_iter().find_map(|(of, blocks)| (of == n).then_some(blocks))
}

fn count_in_many_blocks(launch: &Launch, data: &mut Counted<4>, index: u32) -> LaunchResult {
    if let Some(blocks) = blocks_for(data.keys.n).filter(|&blocks| blocks > data.tiles) {
        data.tiles = blocks;
        data.starts = launch.stream.alloc_zeros((blocks as usize) << 4)?;
    }
    count(launch, data, index)
}

/// Returns the kernel with more blocks than tiles.
pub fn digits_in_many_blocks() -> Rung {
    let work = Sort { passes: 8, count: count_in_many_blocks, counts_once: false, pass: pass::<4> };
    with_work(&SORT_DIGITS, work)
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn counts_of_many_tiles_are_scanned_in_several_rounds() {
    let shapes = [Shape::block(256)];
    run(&digits_in_many_blocks(), &[33, 5, 261], &shapes, |what, report| {
        assert!(report.passed(), "{what}: {report:?}")
    });
}

/// The number of tiles that the blocks look back over.
const TAKEN: usize = 7;

/// Does what [`TAKEN`] blocks do, of which each publishes the number of its keys with each digit, and only the first one or two that
/// of all; returns the launch of the others. It is that of all blocks if there are not so many.
fn after_others(
    launch: &Launch,
    data: &mut Swept,
    values: Option<&mut Buffers>,
    pass: u32,
) -> Result<LaunchConfig, DriverError> {
    const STARTS: usize = 4 * 256;
    let (stream, config) = (launch.stream, launch.config);
    let tile = (KEYS_EACH * config.block_dim.0) as usize;
    let keys = stream.clone_dtoh(data.keys.of_pass(pass).0)?;
    if keys.len() <= TAKEN * tile {
        return Ok(config);
    }
    let digit = |key: i32| (key.cast_unsigned() >> (8 * pass) & 0xff) as usize;
    let mut words = stream.clone_dtoh(&data.words)?;
    let mut places = words[pass as usize * 256..][..256].to_vec();
    let mut states = stream.clone_dtoh(&data.states)?;
    let mut moves = Vec::new();
    for (index, part) in keys.chunks(tile).take(TAKEN).enumerate() {
        let before = places.clone();
        for &key in part {
            moves.push(places[digit(key)] as usize);
            places[digit(key)] = places[digit(key)].wrapping_add(1);
        }
        for value in 0..256 {
            // So many looks later the places are known, and for odd digits one look earlier.
            let published = if index <= value % 2 {
                2 << 30 | places[value]
            } else {
                1 << 30 | places[value].wrapping_sub(before[value])
            };
            states[(2 * index + pass as usize % 2) * 256 + value] = published;
            states[(2 * index + (pass as usize + 1) % 2) * 256 + value] = 0;
        }
    }
    words[STARTS + pass as usize] = TAKEN as u32;
    stream.memcpy_htod(&words, &mut data.words)?;
    stream.memcpy_htod(&states, &mut data.states)?;
    for items in [&mut data.keys].into_iter().chain(values) {
        let (from, to) = items.of_pass(pass);
        let (from, mut moved) = (stream.clone_dtoh(from)?, stream.clone_dtoh(to)?);
        for (&item, &place) in from.iter().zip(&moves) {
            // A mutant's starts may be anything.
            moved.get_mut(place).into_iter().for_each(|to| *to = item);
        }
        stream.memcpy_htod(&moved, to)?;
    }
    Ok(LaunchConfig { grid_dim: (config.grid_dim.0 - TAKEN as u32, 1, 1), ..config })
}

fn keys_after_others(launch: &Launch, data: &mut Swept, pass: u32) -> LaunchResult {
    let config = after_others(launch, data, None, pass)?;
    sweep(&Launch { config, ..*launch }, data, pass)
}

fn pairs_after_others(launch: &Launch, data: &mut SweptPairs, pass: u32) -> LaunchResult {
    let config = after_others(launch, &mut data.keys, Some(&mut data.values), pass)?;
    sweep_pairs(&Launch { config, ..*launch }, data, pass)
}

/// Counts the keys of so many tiles by one block, whose threads then load several times.
fn histograms_of_many_keys(launch: &Launch, data: &mut Swept, index: u32) -> LaunchResult {
    let grid_dim = if data.keys.n > 20_000 { (1, 1, 1) } else { launch.config.grid_dim };
    histograms(&Launch { config: LaunchConfig { grid_dim, ..launch.config }, ..*launch }, data, index)
}

fn histograms_of_many_pairs(launch: &Launch, data: &mut SweptPairs, index: u32) -> LaunchResult {
    histograms_of_many_keys(launch, &mut data.keys, index)
}

/// Returns the kernels of one launch per pass after others.
pub fn one_sweep_after_others() -> [Rung; 2] {
    let keys = Sort { passes: 4, count: histograms_of_many_keys, counts_once: true, pass: keys_after_others };
    let pairs = Sort { passes: 4, count: histograms_of_many_pairs, counts_once: true, pass: pairs_after_others };
    [with_work(&SORT_ONE_SWEEP, keys), with_work(&SORT_PAIRS, pairs)]
}

#[test]
fn a_block_looks_back_to_the_first_tile_whose_places_are_known() {
    let tile = KEYS_EACH as usize * 256;
    let sizes = [TAKEN * tile, TAKEN * tile + 1, (TAKEN + 2) * tile - 1];
    for rung in one_sweep_after_others() {
        run(&rung, &sizes, &[Shape::block(256)], |what, report| assert!(report.passed(), "{what}: {report:?}"));
    }
}
