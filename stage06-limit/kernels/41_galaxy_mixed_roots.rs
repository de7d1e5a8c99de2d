// galaxyMixedRoots of 41_galaxy_mixed_roots.cu, whose card it has, in Rust.
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

/// From a force to an acceleration; a body of no mass has none.
fn inverse_mass(mass: f32) -> f32 {
    if mass > 0.0 { 1.0 / mass } else { 0.0 }
}

/// The lane's bodies of a tile, and what they feel. In pairs of different tiles, bodies that take a power have the
/// logarithm of their mass in its place, and the sums are forces; within a tile they are accelerations.
struct Bodies {
    body: [Float4; EACH],
    sum_x: [f32; EACH],
    sum_y: [f32; EACH],
    sum_z: [f32; EACH],
}

impl Bodies {
    /// All interactions of the tile with itself, each computed for both of its bodies.
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

    /// The pairs of the tile with 32 bodies of another, one per lane, of which this lane has `guest`; its acceleration.
    #[inline(always)]
    fn add_visitors(&mut self, ring: Shared<Float4>, guest: Float4, epsilon_squared: f32, lane: usize) -> Float4 {
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
                let squared = dx * dx + (dy * dy + (dz * dz + epsilon_squared));
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
        let scale = inverse_mass(guest.w);
        Float4::new(scale * felt_x, scale * felt_y, scale * felt_z, 0.0)
    }
}

/// What a step has and makes, by body.
struct Step<'a> {
    position: &'a [[Float4; TILE]],
    velocity: &'a [[Float4; TILE]],
    new_position: Global<Float4>,
    new_velocity: Global<Float4>,
    acceleration: Global<Float4>,
    dt: f32,
}

impl Step<'_> {
    /// Moves the bodies of a tile, whose accelerations are whole, and makes those zero again.
    #[inline(always)]
    fn move_tile(&self, tile: usize, lane: usize) {
        let (position, velocity) = (&self.position[tile], &self.velocity[tile]);
        let [new_position, new_velocity, acceleration] =
            [self.new_position, self.new_velocity, self.acceleration].map(|array| array.part(tile * TILE, TILE));
        let dt = self.dt;
        for i in (lane..TILE).step_by(WARP) {
            // from L2, where the additions are
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

/// Whether the warp is the last of `all` to come to counter `tile`; what the others have added before is then to be seen.
#[inline(always)]
fn is_last_warp(arrived: Global<u32>, tile: usize, all: usize, lane: usize) -> bool {
    // each lane's additions before the count: who sees the count sees the additions
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
    // the compiler may take 128 registers, and needs them
    resident_blocks(2);
    // in another order there are more values at a time than registers
    source_order();
    let n = n as usize;
    // SAFETY: each array has n elements; nobody writes these
    let [position, velocity] = unsafe { [position, velocity].map(|array| from_raw_parts(array, n).as_chunks().0) };
    // SAFETY: likewise; the last warp of a tile writes its elements, after all have added to them atomically
    let [new_position, new_velocity, acceleration] =
        unsafe { [new_position, new_velocity, acceleration].map(|array| Global::new(array, n)) };
    // SAFETY: a counter for each tile, to which warps add atomically, and which the last of them writes
    let arrived = unsafe { Global::new(arrived, n / TILE) };
    // SAFETY: a warp uses its own part, and its lanes meet between writing an element and reading it
    let rings = unsafe { shared!([Float4; BLOCK / WARP * (2 * WARP)]) };
    let t = thread_idx().x as usize; // [0, BLOCK)
    let lane = t % WARP;
    let ring = rings.part(t / WARP * (2 * WARP), 2 * WARP);
    let tiles = n / TILE;
    let warp = (block_idx().x * block_dim().x + thread_idx().x) as usize / WARP;
    if warp >= tiles * (tiles + 1) / 2 {
        return;
    }
    // pairs of tiles on a ring, as in 05
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
        let felt = acceleration.part(other * TILE, TILE);
        for part in (0..TILE).step_by(WARP) {
            unroll(1);
            let pull = own.add_visitors(ring, position[other][part + lane], epsilon_squared, lane);
            felt.fetch_add(part + lane, pull);
        }
    }
    let felt = acceleration.part(tile * TILE, TILE);
    for e in 0..EACH {
        unroll(EACH);
        let scale = if apart > 0 { inverse_mass(position[tile][e * WARP + lane].w) } else { 1.0 };
        let pull = Float4::new(scale * own.sum_x[e], scale * own.sum_y[e], scale * own.sum_z[e], 0.0);
        felt.fetch_add(e * WARP + lane, pull);
    }

    // a tile is in a pair with each tile, itself included
    let step = Step { position, velocity, new_position, new_velocity, acceleration, dt };
    if is_last_warp(arrived, tile, tiles, lane) {
        step.move_tile(tile, lane);
    }
    if apart > 0 && is_last_warp(arrived, other, tiles, lane) {
        step.move_tile(other, lane);
    }
}
