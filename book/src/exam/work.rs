//! Questions about work in flight, shuffles and limits: sessions 3 to 5.

use super::{Kind, Question, Random, WARP};
use common::format;
use emulator::{Resources, ShuffleMode, capability, shuffle_sources};

pub(super) static KINDS: [Kind; 12] = [
    Kind { name: "chains", session: 3, is_long: false, range: 16..=100, make: chains },
    Kind { name: "starts", session: 3, is_long: false, range: 40..=1800, make: starts },
    Kind { name: "in flight", session: 3, is_long: true, range: 400_000..=3_200_000, make: in_flight },
    Kind { name: "occupancy", session: 3, is_long: true, range: 8..=64, make: occupancy },
    Kind { name: "down", session: 4, is_long: false, range: 100..=230, make: down },
    Kind { name: "levels", session: 4, is_long: false, range: 1..=5, make: levels },
    Kind { name: "xor", session: 4, is_long: true, range: 6..=118, make: xor },
    Kind { name: "divergence", session: 4, is_long: true, range: 10..=80, make: divergence },
    Kind { name: "coarsening", session: 5, is_long: false, range: 16..=2048, make: coarsening },
    Kind { name: "gather", session: 5, is_long: false, range: 1..=50, make: gather },
    Kind { name: "units", session: 5, is_long: true, range: 375..=1000, make: units },
    Kind { name: "bytes or operations", session: 5, is_long: true, range: 4..=39, make: bytes_or_operations },
];

const ALL_LANES: usize = 32;

fn chains(random: &mut Random) -> Question {
    let latency = random.pick(&[8, 10, 12, 16, 20, 24]);
    let warps = random.within(2..=4);
    let chains = random.within(2..=4);
    let in_flight = warps * chains;
    let percent = (100 * in_flight / latency).min(100);
    Question {
        text: format!(
            "The result of an addition can be used {latency} clocks after it started. A scheduler has {warps} warps, and each of them executes \
             {chains} independent chains of additions. In what percentage of the clocks, rounded down, does the scheduler start an instruction? How many \
             independent additions would be needed for 100 %?"
        ),
        answer: vec![(percent, "%"), (latency, "additions")],
        derivation: format!(
            "Little's law: {warps} × {chains} = {in_flight} in flight, of rate × latency = 1 × {latency}."
        ),
    }
}

fn starts(random: &mut Random) -> Question {
    let block = random.pick(&[64, 128, 256]);
    let rate = random.pick(&[1, 2, 5]);
    let thousands = random.within(1..=9) * 200;
    let each = random.pick(&[2, 4]);
    let n = thousands * 1000 * block;
    Question {
        text: format!(
            "A chip starts {rate} blocks per nanosecond. How many microseconds does it take at least to launch one thread for each of {} elements, \
             in blocks of {block} threads? And how many, if a thread has {each} elements?",
            format::thousands(n)
        ),
        answer: vec![(thousands / rate, "µs"), (thousands / rate / each, "µs")],
        derivation: format!(
            "{} ÷ {block} = {} blocks, ÷ {rate},000 blocks per µs; then ÷ {each}.",
            format::thousands(n),
            format::thousands(thousands * 1000)
        ),
    }
}

fn in_flight(random: &mut Random) -> Question {
    let rate = random.within(1..=4);
    let latency = random.pick(&[400, 500, 600, 800]);
    let bytes = rate * 1000 * latency;
    let lanes = bytes / 16;
    let warps = lanes.div_ceil(WARP);
    Question {
        text: format!(
            "A chip moves {rate} TB/s, and a load takes {latency} ns. How many bytes must be in flight? How many loads of 16 bytes is that, in \
             lanes and in warps, rounded up?"
        ),
        answer: vec![(bytes, "bytes"), (lanes, "loads of lanes"), (warps, "loads of warps")],
        derivation: format!("Rate × latency: {},000 bytes per ns × {latency} ns; ÷ 16; ÷ 32.", rate),
    }
}

fn occupancy(random: &mut Random) -> Question {
    // Blocks of 64 are left out: each scheduler has its own registers, and a division of all of them is then wrong.
    let registers = random.pick(&[32, 40, 48, 64, 80, 96, 128, 160]);
    let block = random.pick(&[128, 256, 512]);
    let kernel = Resources {
        registers,
        static_shared_bytes: 0,
        max_threads: capability::MAX_THREADS_PER_BLOCK,
        max_dynamic_shared_bytes: 0,
    };
    let blocks = kernel.blocks_per_multiprocessor(block, 0);
    let warps = blocks * block / capability::WARP_THREADS;
    let most = capability::MAX_THREADS_PER_MULTIPROCESSOR / capability::WARP_THREADS;
    Question {
        text: format!(
            "A multiprocessor has 65,536 registers, and room for {most} warps and 32 blocks. A kernel needs {registers} registers per thread and \
             no shared memory, and is launched in blocks of {block} threads. How many of its warps are resident? What is its occupancy in percent, \
             rounded down?"
        ),
        answer: vec![(warps.into(), "warps"), ((100 * warps / most).into(), "%")],
        derivation: format!(
            "A block needs {} registers: {blocks} blocks fit, of {} warps each.",
            registers * block,
            block / capability::WARP_THREADS
        ),
    }
}

fn down(random: &mut Random) -> Question {
    let distance = random.pick(&[2, 4, 8, 16]);
    let base = random.within(10..=19) * 10;
    let lane = random.within(1..=31) as usize;
    let (source, in_range) = shuffle_sources(ShuffleMode::Down, distance, 32)[lane];
    let received = base + source as u64;
    let why = if in_range { "in range" } else { "its source is past lane 31, so it keeps its own value" };
    Question {
        text: format!(
            "Each lane t of a warp holds {base} + t, and all lanes execute `__shfl_down_sync(0xffffffff, value, {distance})`. Which value does lane \
             {lane} get? How many lanes get their own value?"
        ),
        answer: vec![(received, "is the value"), (distance.into(), "lanes")],
        derivation: format!(
            "Lane {lane} reads lane {lane} + {distance}: {why}. The last {distance} lanes have no source."
        ),
    }
}

fn levels(random: &mut Random) -> Question {
    let block = random.pick(&[64, 128, 256, 512, 1024_u64]);
    let parts = random.within(2..=4);
    let all = u64::from(block.ilog2());
    let left = u64::from((block / WARP).ilog2());
    Question {
        text: format!(
            "{block} threads first add {parts} elements each. Then the block halves its {block} partial sums in shared memory until one is left, with \
             a barrier after each level. How many of these barriers are left, if the levels from 32 partial sums on are done by shuffles? How many \
             shuffles does the last warp execute?"
        ),
        answer: vec![(left, "barriers"), (5, "shuffles")],
        derivation: format!(
            "{all} levels, of which the last log₂ 32 = 5 are inside a warp: {all} − 5 = {left}. The {parts} elements do not matter."
        ),
    }
}

fn xor(random: &mut Random) -> Question {
    let steps = [random.pick(&[16, 8]), random.pick(&[4, 2, 1])];
    let lane = random.within(0..=31) as usize;
    let mut values: [u64; ALL_LANES] = std::array::from_fn(|lane| lane as u64);
    for step in steps {
        let sources = shuffle_sources(ShuffleMode::Butterfly, step, 32);
        let before = values;
        values = std::array::from_fn(|lane| before[lane] + before[sources[lane].0]);
    }
    let [first, second] = steps.map(|step| step as usize);
    let lanes = [lane, lane ^ first, lane ^ second, lane ^ first ^ second];
    Question {
        text: format!(
            "Each lane t of a warp has `value = t`. All lanes execute `value += __shfl_xor_sync(0xffffffff, value, {first})`, and then the same with \
             {second}. Which value has lane {lane} then?"
        ),
        answer: vec![(values[lane], "is the value")],
        derivation: format!(
            "The sum of the lanes that differ from {lane} in these bits or in none: {} + {} + {} + {}.",
            lanes[0], lanes[1], lanes[2], lanes[3]
        ),
    }
}

fn divergence(random: &mut Random) -> Question {
    let every = random.pick(&[2, 4, 8]);
    let one = random.within(1..=8) * 5;
    let other = random.within(1..=8) * 5;
    let warp = one + other;
    let lanes = one * (WARP / every) + other * (WARP - WARP / every);
    Question {
        text: format!(
            "In `if (threadIdx.x % {every} == 0) {{ … }} else {{ … }}` the first branch has {one} instructions and the second one {other}. How many \
             instructions does a warp execute in the two branches? How many instructions of lanes is that, with only the active lanes counted?"
        ),
        answer: vec![(warp, "instructions of the warp"), (lanes, "instructions of lanes")],
        derivation: format!(
            "Both branches: {one} + {other}; {} lanes × {one} + {} lanes × {other}.",
            WARP / every,
            WARP - WARP / every
        ),
    }
}

fn coarsening(random: &mut Random) -> Question {
    let side = random.pick(&[256, 512, 1024_u64]);
    let each = random.pick(&[2, 4, 8]);
    let block = random.pick(&[128, 256, 512]);
    let points = side * side;
    let atoms = random.within(1..=8) * 1000;
    let threads = points / each;
    let blocks = (points / each).div_ceil(block);
    let loads = threads / WARP * atoms;
    Question {
        text: format!(
            "Each thread computes {each} of {side} × {side} points, and loads each of {} atoms once for all of them. Blocks have {block} threads. How \
             many blocks are launched? How many loads of atoms do all warps execute together?",
            format::thousands(atoms)
        ),
        answer: vec![(blocks, "blocks"), (loads, "loads")],
        derivation: format!("{points} ÷ {each} = {threads} threads, ÷ {block}; {} warps × {atoms}.", threads / WARP),
    }
}

fn gather(random: &mut Random) -> Question {
    let points = random.pick(&[1, 2, 5]);
    let atoms = random.within(1..=10);
    let warps = atoms * 1000 / WARP;
    let rest = atoms * 1000 % WARP;
    let warps = warps + u64::from(rest > 0);
    Question {
        text: format!(
            "The potential of {},000 atoms is needed at {points} million points. With a thread per atom, how many billion (10⁹) atomic additions are \
             executed, counted per lane? How many warps are there? And how many atomic additions with a thread per point?",
            atoms
        ),
        answer: vec![(points * atoms, "× 10⁹ additions"), (warps, "warps"), (0, "additions")],
        derivation: format!(
            "{atoms},000 × {points},000,000; {atoms},000 ÷ 32, rounded up; a thread per point owns its sum."
        ),
    }
}

fn units(random: &mut Random) -> Question {
    // Either the roots are the limit or all instructions, and never by little.
    let (roots, others) = random.pick(&[
        (12, 52),
        (8, 24),
        (10, 22),
        (4, 92),
        (2, 62),
        (4, 60),
        (6, 26),
        (2, 126),
        (6, 90),
        (14, 50),
        (4, 76),
        (8, 40),
    ]);
    let all = roots + others;
    let [of_roots, of_all] = [1000 * roots / 16, 1000 * all / 128];
    let (limit, most) = if of_roots > of_all { ("The roots", of_roots) } else { ("The instructions", of_all) };
    Question {
        text: format!(
            "A kernel needs {roots} roots and {others} other instructions per element. A multiprocessor starts 128 lanes of an instruction per clock, \
             and 16 lanes of a root. Which is the limit, and how many thousandths of a clock does an element take?"
        ),
        answer: vec![(most, "thousandths of a clock")],
        derivation: format!(
            "Roots: {roots} ÷ 16 = {of_roots} thousandths; all instructions: {all} ÷ 128 = {of_all} thousandths. {limit} are the limit."
        ),
    }
}

fn bytes_or_operations(random: &mut Random) -> Question {
    let rate = random.pick(&[1, 2, 4]);
    let speed = random.pick(&[20, 40, 60]);
    // The longer time is at least twice the shorter one, so that the limit is clear.
    let short = random.within(2..=13);
    let long = short * random.within(2..=3);
    let (moving, computing) = random.pick(&[(short, long), (long, short)]);
    let bytes = rate * moving;
    let operations = speed * computing;
    let most = moving.max(computing);
    let limit = if moving > computing { "memory" } else { "arithmetic" };
    Question {
        text: format!(
            "A kernel moves {bytes} GB and executes {operations} × 10⁹ operations on a chip of {rate} TB/s and {speed} × 10¹² operations per second. \
             How many milliseconds does it take at least, and which is the limit? How many operations per byte would be the limit of both?"
        ),
        answer: vec![(most, "ms"), (speed / rate, "operations per byte")],
        derivation: format!(
            "{bytes} GB ÷ {rate} TB/s = {moving} ms; {operations} ÷ {speed},000 s = {computing} ms: {limit}. {speed} ÷ {rate} for both."
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Random;
    use super::*;

    #[test]
    fn a_warp_is_added_as_its_lanes_would() {
        for seed in 0..1000 {
            let question = xor(&mut Random(seed));
            let terms = question.derivation.split_once(": ").unwrap().1.trim_end_matches('.');
            let sum: u64 = terms.split(" + ").map(|term| term.parse::<u64>().unwrap()).sum();
            assert_eq!(sum, question.answer[0].0, "{}", question.text);
        }
    }

    #[test]
    fn occupancy_is_the_division_that_a_learner_does() {
        for seed in 0..1000 {
            let question = occupancy(&mut Random(seed));
            let numbers: Vec<u64> =
                question.text.split(|c: char| !c.is_ascii_digit()).filter_map(|part| part.parse().ok()).collect();
            let [_, _, _, _, registers, block] = numbers[..] else { panic!("{}", question.text) };
            let blocks = (65_536 / (registers * block)).min(2048 / block).min(32);
            assert_eq!(question.answer[0].0, blocks * block / 32, "{}", question.text);
        }
    }

    #[test]
    fn either_unit_is_the_limit_and_never_by_little() {
        let limits: Vec<bool> =
            (0..1000).map(|seed| units(&mut Random(seed)).derivation.contains("The roots are")).collect();
        assert!(limits.contains(&true) && limits.contains(&false));
    }
}
