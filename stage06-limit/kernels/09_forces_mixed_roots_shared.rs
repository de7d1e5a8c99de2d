// forcesMixedRootsShared of 09_forces_mixed_roots_shared.cu, whose card it has, in Rust.
//
// launch    requires compute capability 9.0
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{
    ALL_LANES, Float4, Global, Shared, block_dim, block_idx, fast_exp2, fast_log2, fast_rsqrt, launch_bounds,
    resident_blocks, shared, shuffle, source_order, sync_warp, thread_idx, unroll,
};

const WARP: usize = device::WARP as usize;
const GRAVITY: f32 = 6.67e-11; // m^3 kg^-1 s^-2
const SOFTENING: f32 = 1e-9; // m^2
const BLOCK: usize = 256; // threads of a block, at most
const EACH: usize = 8; // bodies of a tile per lane
const POWERS: usize = 6; // of them, those whose pairs take a logarithm and a power
const TILE: usize = WARP * EACH; // bodies of a tile

/// Whether the pairs of a lane's body take a power: 6 of the 8, spread evenly.
const fn takes_power(e: usize) -> bool {
    e * POWERS / EACH != (e + 1) * POWERS / EACH
}

/// The value of the next lane; the last lane gets that of the first.
fn from_next(value: f32, lane: usize) -> f32 {
    shuffle(ALL_LANES, value, lane as u32 + 1)
}

/// The lane's bodies of a tile, and what they feel. In pairs of different tiles, bodies that take a power have the
/// logarithm of their mass in its place, and all sums lack G alone; within a tile they lack G and the body's own mass.
struct Bodies {
    body: [Float4; EACH],
    sum_x: [f32; EACH],
    sum_y: [f32; EACH],
    sum_z: [f32; EACH],
}

impl Bodies {
    /// All interactions of the tile with itself, each computed for both of its bodies.
    #[inline(always)]
    fn add_own_tile(&mut self, tile: &[Float4; TILE], lane: usize) {
        for part in (0..TILE).step_by(WARP) {
            let mut source = tile[part + lane];
            for _ in 0..WARP {
                unroll(1);
                for e in 0..EACH {
                    unroll(EACH);
                    let body = self.body[e];
                    let (dx, dy, dz) = (source.x - body.x, source.y - body.y, source.z - body.z);
                    // at most 1 / sqrt(SOFTENING) = 31623, so that its cube is finite and j = i adds exactly zero
                    let inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
                    let weight = source.w * inverse * inverse * inverse;
                    self.sum_x[e] += weight * dx;
                    self.sum_y[e] += weight * dy;
                    self.sum_z[e] += weight * dz;
                }
                source.x = from_next(source.x, lane);
                source.y = from_next(source.y, lane);
                source.z = from_next(source.z, lane);
                source.w = from_next(source.w, lane);
            }
        }
    }

    /// The pairs of the tile with 32 bodies of another, one per lane, of which this lane has `guest`; what that one feels.
    #[inline(always)]
    fn add_visitors(&mut self, ring: Shared<Float4>, guest: Float4, lane: usize) -> Float4 {
        // the warp has read the visitors before
        sync_warp(ALL_LANES);
        ring.set(lane, guest);
        ring.set(lane + WARP, guest);
        // the warp reads what each lane has stored
        sync_warp(ALL_LANES);
        let (mut felt_x, mut felt_y, mut felt_z) = (0.0, 0.0, 0.0);
        for k in 0..WARP {
            unroll(8);
            let visitor = ring.get(lane + k);
            let logarithm = fast_log2(visitor.w);
            for e in 0..EACH {
                unroll(EACH);
                let body = self.body[e];
                let (dx, dy, dz) = (visitor.x - body.x, visitor.y - body.y, visitor.z - body.z);
                let squared = dx * dx + (dy * dy + (dz * dz + SOFTENING));
                let factor = if takes_power(e) {
                    fast_exp2(body.w + logarithm - 1.5 * fast_log2(squared))
                } else {
                    let inverse = fast_rsqrt(squared);
                    body.w * inverse * (visitor.w * inverse * inverse)
                };
                self.sum_x[e] += factor * dx;
                self.sum_y[e] += factor * dy;
                self.sum_z[e] += factor * dz;
                felt_x -= factor * dx;
                felt_y -= factor * dy;
                felt_z -= factor * dz;
            }
            // to the lane before, which has that visitor next: after 32 rounds every sum is in its visitor's own lane
            felt_x = from_next(felt_x, lane);
            felt_y = from_next(felt_y, lane);
            felt_z = from_next(felt_z, lane);
        }
        Float4::new(GRAVITY * felt_x, GRAVITY * felt_y, GRAVITY * felt_z, 0.0)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn forcesMixedRootsShared(bodies: *const Float4, forces: *mut Float4, n: u32) {
    launch_bounds(BLOCK);
    // the compiler may take 128 registers, and needs them
    resident_blocks(2);
    // in another order there are more values at a time than registers
    source_order();
    // SAFETY: n bodies; nobody writes them
    let (tiles, _) = unsafe { from_raw_parts(bodies, n as usize) }.as_chunks::<TILE>();
    // SAFETY: n elements, to which all threads add atomically
    let forces = unsafe { Global::new(forces, n as usize) };
    // SAFETY: a warp uses its own part, and its lanes meet between writing an element and reading it
    let rings = unsafe { shared!([Float4; BLOCK / WARP * (2 * WARP)]) };
    let t = thread_idx().x as usize; // [0, BLOCK)
    let lane = t % WARP;
    let ring = rings.part(t / WARP * (2 * WARP), 2 * WARP);
    let warp = (block_idx().x * block_dim().x + thread_idx().x) as usize / WARP;
    if warp >= tiles.len() * (tiles.len() + 1) / 2 {
        return;
    }
    // the tiles lie in a ring, and the first of a pair is `apart` places before the second: first each tile with itself,
    // then with its neighbor, and so on; halfway round, where each pair would come twice, the warps end
    let apart = warp / tiles.len();
    let tile = warp % tiles.len();
    let other = (tile + apart) % tiles.len();

    let mut own =
        Bodies { body: [Float4::default(); EACH], sum_x: [0.0; EACH], sum_y: [0.0; EACH], sum_z: [0.0; EACH] };
    for e in 0..EACH {
        unroll(EACH);
        own.body[e] = tiles[tile][e * WARP + lane];
    }
    if apart == 0 {
        own.add_own_tile(&tiles[tile], lane);
    } else {
        for e in 0..EACH {
            unroll(EACH);
            if takes_power(e) {
                own.body[e].w = fast_log2(own.body[e].w);
            }
        }
        let felt = forces.part(other * TILE, TILE);
        for part in (0..TILE).step_by(WARP) {
            unroll(1);
            let force = own.add_visitors(ring, tiles[other][part + lane], lane);
            felt.fetch_add(part + lane, force);
        }
    }

    let forces = forces.part(tile * TILE, TILE);
    for e in 0..EACH {
        unroll(EACH);
        let scale = if apart > 0 { GRAVITY } else { GRAVITY * own.body[e].w };
        let force = Float4::new(scale * own.sum_x[e], scale * own.sum_y[e], scale * own.sum_z[e], 0.0);
        forces.fetch_add(e * WARP + lane, force);
    }
}
