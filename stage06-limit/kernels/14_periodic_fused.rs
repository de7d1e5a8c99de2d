// periodicFused in Rust; 14_periodic_fused.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use core::slice::from_raw_parts;
use device::{
    ALL_LANES, Float2, Global, Shared, UInt2, block_idx, fast_rsqrt, launch_bounds, round_to_i64, shared, shuffle_xor,
    sync_threads, thread_idx, unroll,
};

const WARP: usize = device::WARP as usize;
const BLOCK: usize = 1024;
const WARPS: usize = BLOCK / WARP;
const EACH: usize = 4; // targets per thread
const ACROSS: usize = 8; // lanes with different targets
const OWN: usize = EACH * ACROSS; // targets per block
const GROUPS: usize = BLOCK / ACROSS; // groups of lanes with different sources
const CHUNK: usize = 4096; // sources in shared memory at a time
const UNITS: f32 = 4294967296.0; // units per side, 2^32
const _: () = assert!(WARPS == WARP && OWN == WARPS, "a warp has a target, and a lane a pull on it");

/// Returns a path in units of 2^-32 of the side, modulo the side. The path must be shorter than 2^31 sides.
fn fraction(path: f32) -> u32 {
    round_to_i64(UNITS * path) as u32
}

/// Returns the sum of `value` over every `apart`th lane, in all of these lanes.
#[inline(always)]
fn lane_sum(mut value: f32, apart: u32) -> f32 {
    let mut mask = apart;
    while mask < WARP as u32 {
        unroll(WARP);
        value += shuffle_xor(ALL_LANES, value, mask);
        mask *= 2;
    }
    value
}

/// Computes one partial sum per warp of the acceleration of the block's targets, which begin at `first`.
#[inline(always)]
fn add_pulls(position: &[UInt2], first: usize, chunk: Shared<UInt2>, pulls: Shared<Float2>) {
    // added to |r|^2, which is 0 for the body itself and at least 1 otherwise: too small to change its rounded value
    const TINY: f32 = 1e-9;
    let t = thread_idx().x as usize;
    let (target, group) = (t % ACROSS, t / ACROSS);
    let mut own = [UInt2::default(); EACH];
    let (mut ax, mut ay) = ([0.0; EACH], [0.0; EACH]);
    for e in 0..EACH {
        unroll(EACH);
        // a target past n is the last body; its sums are not used
        own[e] = position[(first + e * ACROSS + target).min(position.len() - 1)];
    }
    for sources in position.chunks(CHUNK) {
        // a fast warp must not overwrite the previous chunk, or the previous partial sums, while others still read them
        sync_threads();
        for k in (t..sources.len()).step_by(BLOCK) {
            chunk.set(k, sources[k]);
        }
        // the chunk must be complete before any thread reads it
        sync_threads();

        for k in (group..sources.len()).step_by(GROUPS) {
            unroll(4);
            let other = chunk.get(k);
            for e in 0..EACH {
                unroll(EACH);
                let dx = other.x.wrapping_sub(own[e].x).cast_signed() as f32;
                let dy = other.y.wrapping_sub(own[e].y).cast_signed() as f32;
                let inverse = fast_rsqrt(dx * dx + (dy * dy + TINY));
                let weight = inverse * inverse * inverse;
                ax[e] += weight * dx;
                ay[e] += weight * dy;
            }
        }
    }

    for e in 0..EACH {
        unroll(EACH);
        let pull = Float2::new(lane_sum(ax[e], ACROSS as u32), lane_sum(ay[e], ACROSS as u32));
        if t % WARP < ACROSS {
            pulls.set(t / WARP * OWN + e * ACROSS + target, pull);
        }
    }
    // each warp reads the partial sums of all warps
    sync_threads();
}

/// The inputs and outputs of a step, one element per body.
struct Step<'a> {
    position: &'a [UInt2],
    new_position: Global<UInt2>,
    velocity: Global<Float2>,
    acceleration: Global<Float2>,
    dt: f32,
}

impl Step<'_> {
    /// Adds up the partial sums of the block's targets, one target per warp, and moves the targets.
    #[inline(always)]
    fn move_targets(&self, first: usize, pulls: Shared<Float2>) {
        let (warp, lane) = (thread_idx().x as usize / WARP, thread_idx().x as usize % WARP);
        let i = first + warp;
        let pull = pulls.get(lane * OWN + warp);
        // converts 1 / |r|^2 to units of the side
        let (ax, ay) = (UNITS * UNITS * lane_sum(pull.x, 1), UNITS * UNITS * lane_sum(pull.y, 1));
        if lane == 0 && i < self.position.len() {
            let v = self.velocity.get(i);
            let faster = Float2::new(v.x + ax * self.dt, v.y + ay * self.dt);
            let x = self.position[i];
            let (dx, dy) = (fraction(faster.x * self.dt), fraction(faster.y * self.dt));
            self.acceleration.set(i, Float2::new(ax, ay));
            self.velocity.set(i, faster);
            self.new_position.set(i, UInt2::new(x.x.wrapping_add(dx), x.y.wrapping_add(dy)));
        }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn periodicFused(
    position: *const UInt2,
    new_position: *mut UInt2,
    velocity: *mut Float2,
    acceleration: *mut Float2,
    n: u32,
    dt: f32,
) {
    launch_bounds(BLOCK);
    let n = n as usize;
    // SAFETY: n >= 1
    unsafe { assert_unchecked(n >= 1) };
    // SAFETY: there are n elements, and no thread writes them
    let position = unsafe { from_raw_parts(position, n) };
    // SAFETY: there are n elements, and a thread uses those of one body only
    let [velocity, acceleration] = unsafe { [velocity, acceleration].map(|array| Global::new(array, n)) };
    let new_position = unsafe { Global::new(new_position, n) };
    // SAFETY: a barrier separates the write of an element from reads by other threads
    let (chunk, pulls) = unsafe { (shared!([UInt2; CHUNK]), shared!([Float2; WARPS * OWN])) };
    let first = block_idx().x as usize * OWN; // the block's first target
    if first >= n {
        return;
    }
    add_pulls(position, first, chunk, pulls);
    Step { position, new_position, velocity, acceleration, dt }.move_targets(first, pulls);
}
