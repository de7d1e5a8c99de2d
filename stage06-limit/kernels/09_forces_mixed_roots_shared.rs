// forcesMixedRootsShared in Rust; 09_forces_mixed_roots_shared.cu has the card.
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
const BLOCK: usize = 256; // threads per block, at most
const EACH: usize = 8; // bodies per lane in a tile
const POWERS: usize = 6; // the number of them whose pairs use a logarithm and a power
const TILE: usize = WARP * EACH; // bodies per tile

/// Returns whether the pairs of a lane's body use a power: 6 of the 8, spread evenly.
const fn takes_power(e: usize) -> bool {
    e * POWERS / EACH != (e + 1) * POWERS / EACH
}

/// Returns the value of the next lane; the last lane receives the value of the first.
fn from_next(value: f32, lane: usize) -> f32 {
    shuffle(ALL_LANES, value, lane as u32 + 1)
}

/// The lane's bodies of a tile and the forces on them. For pairs of different tiles, bodies that use a power store the
/// logarithm of their mass, and all sums lack only the factor G; within a tile they lack G and the body's own mass.
struct Bodies {
    body: [Float4; EACH],
    sum_x: [f32; EACH],
    sum_y: [f32; EACH],
    sum_z: [f32; EACH],
}

impl Bodies {
    /// Adds all interactions within the tile; each pair is computed twice, once for each of its bodies.
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
                    // at most 1 / sqrt(SOFTENING) = 31623: its cube is finite, and the term j = i is exactly zero
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

    /// Adds the pairs of the tile with 32 bodies of another, one per lane; returns the force on this lane's.
    #[inline(always)]
    fn add_pairs(&mut self, ring: Shared<Float4>, loaded: Float4, lane: usize) -> Float4 {
        // a fast lane must not overwrite the previous partners while slower lanes still read them
        sync_warp(ALL_LANES);
        ring.set(lane, loaded);
        ring.set(lane + WARP, loaded);
        // the bodies must be complete before any lane reads them
        sync_warp(ALL_LANES);
        let (mut reaction_x, mut reaction_y, mut reaction_z) = (0.0, 0.0, 0.0);
        for k in 0..WARP {
            unroll(8);
            let partner = ring.get(lane + k);
            let logarithm = fast_log2(partner.w);
            for e in 0..EACH {
                unroll(EACH);
                let body = self.body[e];
                let (dx, dy, dz) = (partner.x - body.x, partner.y - body.y, partner.z - body.z);
                let squared = dx * dx + (dy * dy + (dz * dz + SOFTENING));
                let factor = if takes_power(e) {
                    fast_exp2(body.w + logarithm - 1.5 * fast_log2(squared))
                } else {
                    let inverse = fast_rsqrt(squared);
                    body.w * inverse * (partner.w * inverse * inverse)
                };
                self.sum_x[e] += factor * dx;
                self.sum_y[e] += factor * dy;
                self.sum_z[e] += factor * dz;
                reaction_x -= factor * dx;
                reaction_y -= factor * dy;
                reaction_z -= factor * dz;
            }
            // rotate to the previous lane, which reads that partner next: 32 iterations return every sum to its lane
            reaction_x = from_next(reaction_x, lane);
            reaction_y = from_next(reaction_y, lane);
            reaction_z = from_next(reaction_z, lane);
        }
        Float4::new(GRAVITY * reaction_x, GRAVITY * reaction_y, GRAVITY * reaction_z, 0.0)
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn forcesMixedRootsShared(bodies: *const Float4, forces: *mut Float4, n: u32) {
    launch_bounds(BLOCK);
    // this allows the compiler 128 registers, which it needs
    resident_blocks(2);
    // in another order more values would be live than there are registers
    source_order();
    // SAFETY: there are n bodies, and no thread writes them
    let (tiles, _) = unsafe { from_raw_parts(bodies, n as usize) }.as_chunks::<TILE>();
    // SAFETY: there are n elements, to which all threads add atomically
    let forces = unsafe { Global::new(forces, n as usize) };
    // SAFETY: a warp uses only its own part, and a warp barrier separates the write of an element from reads by others
    let rings = unsafe { shared!([Float4; BLOCK / WARP * (2 * WARP)]) };
    let t = thread_idx().x as usize; // [0, BLOCK)
    let lane = t % WARP;
    let ring = rings.part(t / WARP * (2 * WARP), 2 * WARP);
    let warp = (block_idx().x * block_dim().x + thread_idx().x) as usize / WARP;
    if warp >= tiles.len() * (tiles.len() + 1) / 2 {
        return;
    }
    // the tiles form a ring, and the tiles of a pair are `apart` places from each other: warps handle each tile with
    // itself first, then with its neighbor, and so on, up to half the ring, beyond which each pair would recur
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
        let reactions = forces.part(other * TILE, TILE);
        for part in (0..TILE).step_by(WARP) {
            unroll(1);
            let force = own.add_pairs(ring, tiles[other][part + lane], lane);
            reactions.fetch_add(part + lane, force);
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
