// forces_within and forces_between in Rust; 02_forces_between.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use device::{
    ALL_LANES, Float4, Global, Input, block_dim, block_idx, fast_rsqrt, launch_bounds, resident_blocks, shuffle,
    source_order, thread_idx, unroll,
};

const WARP: u32 = device::WARP;
const GRAVITY: f32 = 6.67e-11; // m^3 kg^-1 s^-2
const SOFTENING: f32 = 1e-9; // m^2
const BLOCK: usize = 256; // threads per block, at most
const EACH: usize = 8; // bodies per lane in a tile
const TILE: u32 = WARP * EACH as u32; // bodies per tile

/// Returns the value of the next lane; the last lane receives the value of the first.
fn from_next(value: f32, lane: u32) -> f32 {
    shuffle(ALL_LANES, value, lane + 1)
}

/// Bodies with the forces on them.
#[derive(Clone, Copy)]
struct Side<'a> {
    bodies: Input<'a, Float4>,
    count: u32,
    forces: Global<f32>,
    stride: u32,
}

impl Side<'_> {
    /// # Safety
    /// There must be `count` >= 1 bodies, which no thread writes, and three rows of `stride` >= `count` forces.
    #[inline(always)]
    unsafe fn new(bodies: *const Float4, count: u32, forces: *mut f32, stride: u32) -> Self {
        // SAFETY: guaranteed by the caller
        unsafe { assert_unchecked(count >= 1) };
        // SAFETY: guaranteed by the caller; all threads add to the forces atomically
        let (bodies, forces) = unsafe { (Input::new(bodies, count), Global::new(forces, 3 * stride)) };
        Self { bodies, count, forces, stride }
    }

    fn tiles(self) -> u32 {
        self.count.div_ceil(TILE)
    }

    /// Returns body i; past the count the last one, with zero mass.
    #[inline(always)]
    fn body(self, i: u32) -> Float4 {
        let body = self.bodies[i.min(self.count - 1)];
        Float4 { w: if i < self.count { body.w } else { 0.0 }, ..body }
    }

    /// Adds to the force on body i, unless it is past the count.
    #[inline(always)]
    fn add_force(self, i: u32, scale: f32, [x, y, z]: [f32; 3]) {
        if i < self.count {
            self.forces.fetch_add(i, scale * x);
            self.forces.fetch_add(self.stride + i, scale * y);
            self.forces.fetch_add(2 * self.stride + i, scale * z);
        }
    }

    /// Loads the lane's bodies of the tile that begins at `first`.
    #[inline(always)]
    fn load_tile(self, first: u32, lane: u32) -> Bodies {
        let mut own =
            Bodies { body: [Float4::default(); EACH], sum_x: [0.0; EACH], sum_y: [0.0; EACH], sum_z: [0.0; EACH] };
        for e in 0..EACH {
            unroll(EACH);
            own.body[e] = self.body(first + e as u32 * WARP + lane);
        }
        own
    }

    /// Adds the sums of the lane's bodies to their forces.
    #[inline(always)]
    fn store_tile(self, own: &Bodies, first: u32, lane: u32) {
        for e in 0..EACH {
            unroll(EACH);
            let sums = [own.sum_x[e], own.sum_y[e], own.sum_z[e]];
            self.add_force(first + e as u32 * WARP + lane, GRAVITY * own.body[e].w, sums);
        }
    }

    /// Adds the pairs of the lane's bodies with those of a tile of this side, each computed once.
    #[inline(always)]
    fn visit(self, own: &mut Bodies, tile: u32, lane: u32) {
        for part in (0..TILE).step_by(WARP as usize) {
            unroll(1);
            let j = tile * TILE + part + lane;
            let partner = self.body(j);
            let reactions = own.add_pairs(partner, lane);
            self.add_force(j, GRAVITY * partner.w, reactions);
        }
    }
}

/// The lane's bodies of a tile and the forces on them, without the factors G and their own mass.
struct Bodies {
    body: [Float4; EACH],
    sum_x: [f32; EACH],
    sum_y: [f32; EACH],
    sum_z: [f32; EACH],
}

impl Bodies {
    /// Adds all interactions within the tile; each pair is computed twice, once for each of its bodies.
    #[inline(always)]
    fn add_own_tile(&mut self, side: Side, first: u32, lane: u32) {
        for part in (0..TILE).step_by(WARP as usize) {
            unroll(1);
            let mut source = side.body(first + part + lane);
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

    /// Adds the pairs of the tile with 32 bodies of another, one per lane; returns the force on this lane's, without
    /// the factors G and its mass.
    #[inline(always)]
    fn add_pairs(&mut self, mut partner: Float4, lane: u32) -> [f32; 3] {
        let (mut reaction_x, mut reaction_y, mut reaction_z) = (0.0, 0.0, 0.0);
        for _ in 0..WARP {
            unroll(8);
            for e in 0..EACH {
                unroll(EACH);
                let body = self.body[e];
                let (dx, dy, dz) = (partner.x - body.x, partner.y - body.y, partner.z - body.z);
                let inverse = fast_rsqrt(dx * dx + (dy * dy + (dz * dz + SOFTENING)));
                let cube = inverse * inverse * inverse;
                let (weight, reaction) = (partner.w * cube, body.w * cube);
                self.sum_x[e] += weight * dx;
                self.sum_y[e] += weight * dy;
                self.sum_z[e] += weight * dz;
                reaction_x -= reaction * dx;
                reaction_y -= reaction * dy;
                reaction_z -= reaction * dz;
            }
            // rotate to the previous lane: after 32 iterations every partner is back in its own lane
            partner.x = from_next(partner.x, lane);
            partner.y = from_next(partner.y, lane);
            partner.z = from_next(partner.z, lane);
            partner.w = from_next(partner.w, lane);
            reaction_x = from_next(reaction_x, lane);
            reaction_y = from_next(reaction_y, lane);
            reaction_z = from_next(reaction_z, lane);
        }
        [reaction_x, reaction_y, reaction_z]
    }
}

fn warp_and_lane() -> (u32, u32) {
    let t = thread_idx().x; // [0, BLOCK)
    ((block_idx().x * block_dim().x + t) / WARP, t % WARP)
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn forces_within(bodies: *const Float4, count: u32, forces: *mut f32, stride: u32) {
    launch_bounds(BLOCK);
    // this allows the compiler 128 registers, which it needs
    resident_blocks(2);
    // in another order more values would be live than there are registers
    source_order();
    // SAFETY: the launch meets the requirements of the card
    let side = unsafe { Side::new(bodies, count, forces, stride) };
    let (warp, lane) = warp_and_lane();
    let tiles = side.tiles();
    if warp >= tiles * (tiles + 1) / 2 {
        return;
    }
    // the tiles form a ring, and the tiles of a pair are `apart` places from each other: warps handle each tile with
    // itself first, then with its neighbor, and so on, up to half the ring, beyond which each pair would recur
    let apart = warp / tiles;
    let tile = warp % tiles;

    let mut own = side.load_tile(tile * TILE, lane);
    if apart == 0 {
        own.add_own_tile(side, tile * TILE, lane);
    } else {
        side.visit(&mut own, (tile + apart) % tiles, lane);
    }
    side.store_tile(&own, tile * TILE, lane);
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn forces_between(
    left: *const Float4,
    left_count: u32,
    left_forces: *mut f32,
    right: *const Float4,
    right_count: u32,
    right_forces: *mut f32,
    stride: u32,
) {
    launch_bounds(BLOCK);
    resident_blocks(2);
    source_order();
    // SAFETY: the launch meets the requirements of the card
    let (left, right) = unsafe {
        (Side::new(left, left_count, left_forces, stride), Side::new(right, right_count, right_forces, stride))
    };
    let (warp, lane) = warp_and_lane();
    let across = left.tiles(); // tiles
    if warp >= across * right.tiles() {
        return;
    }
    // neighboring warps have different tiles on both sides, so that fewer add to the same forces at a time
    let tile = warp % across;
    let other = (warp / across + tile) % right.tiles();

    let mut own = left.load_tile(tile * TILE, lane);
    right.visit(&mut own, other, lane);
    left.store_tile(&own, tile * TILE, lane);
}
