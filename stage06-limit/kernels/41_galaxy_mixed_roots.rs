// galaxyMixedRoots in Rust; 41_galaxy_mixed_roots.cu has the card.
//
// launch    requires compute capability 9.0
#![no_std]
#![feature(abi_ptx)]

use core::slice::from_raw_parts;
use device::{
    ALL_LANES, Float4, Global, Shared, block_dim, block_idx, fast_exp2, fast_log2, fast_rsqrt, launch_bounds,
    resident_blocks, shared, shuffle, source_order, sync_warp, thread_fence, thread_idx, unroll,
};

const WARP: usize = device::WARP as usize;
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

/// Returns the factor from force to acceleration; 0 for a body of zero mass.
fn inverse_mass(mass: f32) -> f32 {
    if mass > 0.0 { 1.0 / mass } else { 0.0 }
}

/// The lane's bodies of a tile and their sums. For pairs of different tiles, bodies that use a power store the
/// logarithm of their mass, and the sums are forces; within a tile the sums are accelerations.
struct Bodies {
    body: [Float4; EACH],
    sum_x: [f32; EACH],
    sum_y: [f32; EACH],
    sum_z: [f32; EACH],
}

impl Bodies {
    /// Adds all interactions within the tile; each pair is computed twice, once for each of its bodies.
    #[inline(always)]
    fn add_own_tile(&mut self, tile: &[Float4; TILE], epsilon_squared: f32, lane: usize) {
        for part in (0..TILE).step_by(WARP) {
            let mut source = tile[part + lane];
            for _ in 0..WARP {
                unroll(1);
                for e in 0..EACH {
                    unroll(EACH);
                    let body = self.body[e];
                    let (dx, dy, dz) = (source.x - body.x, source.y - body.y, source.z - body.z);
                    let inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + epsilon_squared)));
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

    /// Adds the pairs of the tile with 32 bodies of another, one per lane; returns the acceleration of this lane's.
    #[inline(always)]
    fn add_pairs(&mut self, ring: Shared<Float4>, loaded: Float4, epsilon_squared: f32, lane: usize) -> Float4 {
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
                let squared = dx * dx + (dy * dy + (dz * dz + epsilon_squared));
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
        let scale = inverse_mass(loaded.w);
        Float4::new(scale * reaction_x, scale * reaction_y, scale * reaction_z, 0.0)
    }
}

/// The inputs and outputs of a step, one element per body.
struct Step<'a> {
    position: &'a [[Float4; TILE]],
    velocity: &'a [[Float4; TILE]],
    new_position: Global<Float4>,
    new_velocity: Global<Float4>,
    acceleration: Global<Float4>,
    dt: f32,
}

impl Step<'_> {
    /// Moves the bodies of a tile, whose accelerations are complete, and resets these to zero.
    #[inline(always)]
    fn move_tile(&self, tile: usize, lane: usize) {
        let (position, velocity) = (&self.position[tile], &self.velocity[tile]);
        let [new_position, new_velocity, acceleration] =
            [self.new_position, self.new_velocity, self.acceleration].map(|array| array.part(tile * TILE, TILE));
        let dt = self.dt;
        for i in (lane..TILE).step_by(WARP) {
            // from L2, where the atomic additions take place
            let a = acceleration.get_from_l2(i);
            let (p, v) = (position[i], velocity[i]);
            let half = 0.5 * dt * dt;
            let x = p.x + dt * v.x + half * a.x;
            let y = p.y + dt * v.y + half * a.y;
            let z = p.z + dt * v.z + half * a.z;
            new_position.set(i, Float4::new(x, y, z, p.w));
            new_velocity.set(i, Float4::new(v.x + dt * a.x, v.y + dt * a.y, v.z + dt * a.z, v.w));
            acceleration.set(i, Float4::default());
        }
    }
}

/// Returns whether the warp is the last of `all` to increment the counter of `tile`; it then sees their additions.
#[inline(always)]
fn is_last_warp(arrived: Global<u32>, tile: usize, all: usize, lane: usize) -> bool {
    // each lane's additions precede the increment: a warp that sees the increment sees the additions
    thread_fence();
    sync_warp(ALL_LANES);
    let mut is_last = false;
    if lane == 0 {
        is_last = arrived.fetch_add(tile, 1) == all as u32 - 1;
        if is_last {
            arrived.set(tile, 0); // for the next launch
        }
    }
    let is_last = shuffle(ALL_LANES, u32::from(is_last), 0) == 1;
    thread_fence();
    is_last
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn galaxyMixedRoots(
    position: *const Float4,
    velocity: *const Float4,
    new_position: *mut Float4,
    new_velocity: *mut Float4,
    acceleration: *mut Float4,
    arrived: *mut u32,
    n: u32,
    dt: f32,
    epsilon_squared: f32,
) {
    launch_bounds(BLOCK);
    // this allows the compiler 128 registers, which it needs
    resident_blocks(2);
    // in another order more values would be live than there are registers
    source_order();
    let n = n as usize;
    // SAFETY: each array has n elements, and no thread writes these
    let [position, velocity] = unsafe { [position, velocity].map(|array| from_raw_parts(array, n).as_chunks().0) };
    // SAFETY: there are n elements; the last warp of a tile writes its elements, after all atomic additions to them
    let [new_position, new_velocity, acceleration] =
        unsafe { [new_position, new_velocity, acceleration].map(|array| Global::new(array, n)) };
    // SAFETY: one counter per tile, which warps increment atomically and only the last of them resets
    let arrived = unsafe { Global::new(arrived, n / TILE) };
    // SAFETY: a warp uses only its own part, and a warp barrier separates the write of an element from reads by others
    let rings = unsafe { shared!([Float4; BLOCK / WARP * (2 * WARP)]) };
    let t = thread_idx().x as usize; // [0, BLOCK)
    let lane = t % WARP;
    let ring = rings.part(t / WARP * (2 * WARP), 2 * WARP);
    let tiles = n / TILE;
    let warp = (block_idx().x * block_dim().x + thread_idx().x) as usize / WARP;
    if warp >= tiles * (tiles + 1) / 2 {
        return;
    }
    // pairs of tiles in a ring, as in 05
    let apart = warp / tiles;
    let tile = warp % tiles;
    let other = (tile + apart) % tiles;

    let mut own =
        Bodies { body: [Float4::default(); EACH], sum_x: [0.0; EACH], sum_y: [0.0; EACH], sum_z: [0.0; EACH] };
    for e in 0..EACH {
        unroll(EACH);
        own.body[e] = position[tile][e * WARP + lane];
    }
    if apart == 0 {
        own.add_own_tile(&position[tile], epsilon_squared, lane);
    } else {
        for e in 0..EACH {
            unroll(EACH);
            if takes_power(e) {
                own.body[e].w = fast_log2(own.body[e].w);
            }
        }
        let reactions = acceleration.part(other * TILE, TILE);
        for part in (0..TILE).step_by(WARP) {
            unroll(1);
            let pull = own.add_pairs(ring, position[other][part + lane], epsilon_squared, lane);
            reactions.fetch_add(part + lane, pull);
        }
    }
    let reactions = acceleration.part(tile * TILE, TILE);
    for e in 0..EACH {
        unroll(EACH);
        let scale = if apart > 0 { inverse_mass(position[tile][e * WARP + lane].w) } else { 1.0 };
        let pull = Float4::new(scale * own.sum_x[e], scale * own.sum_y[e], scale * own.sum_z[e], 0.0);
        reactions.fetch_add(e * WARP + lane, pull);
    }

    // each tile is paired with every tile, itself included
    let step = Step { position, velocity, new_position, new_velocity, acceleration, dt };
    if is_last_warp(arrived, tile, tiles, lane) {
        step.move_tile(tile, lane);
    }
    if apart > 0 && is_last_warp(arrived, other, tiles, lane) {
        step.move_tile(other, lane);
    }
}
