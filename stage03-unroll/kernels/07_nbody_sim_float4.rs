// nbody_sim_float4 in Rust; 07_nbody_sim_float4.cu has the card.
#![no_std]
#![feature(abi_ptx)]

use core::hint::assert_unchecked;
use core::ops::{Add, Mul, Sub};
use device::{Float4, Global, Input, block_dim, block_idx, dynamic_shared, rsqrt, sync_threads, thread_idx, unroll};

#[derive(Clone, Copy)]
struct Float3 {
    x: f32,
    y: f32,
    z: f32,
}

impl Float3 {
    const ZERO: Self = Self { x: 0.0, y: 0.0, z: 0.0 };

    fn dot(self, other: Self) -> f32 {
        self.x * other.x + self.y * other.y + self.z * other.z
    }
}

impl From<Float4> for Float3 {
    fn from(Float4 { x, y, z, .. }: Float4) -> Self {
        Self { x, y, z }
    }
}

impl Add for Float3 {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { x: self.x + other.x, y: self.y + other.y, z: self.z + other.z }
    }
}

impl Sub for Float3 {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        Self { x: self.x - other.x, y: self.y - other.y, z: self.z - other.z }
    }
}

impl Mul<Float3> for f32 {
    type Output = Float3;

    fn mul(self, v: Float3) -> Float3 {
        Float3 { x: self * v.x, y: self * v.y, z: self * v.z }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn nbody_sim_float4(
    position: *const Float4,
    velocity: *const Float4,
    new_position: *mut Float4,
    new_velocity: *mut Float4,
    n: u32,
    dt: f32,
    epsilon_squared: f32,
) {
    // SAFETY: n >= 1
    unsafe { assert_unchecked(n >= 1) };
    let block = block_dim().x;
    // SAFETY: each array has n elements, and no thread writes these
    let [position, velocity] = unsafe { [position, velocity].map(|array| Input::new(array, n)) };
    // SAFETY: each array has n elements, and only this thread writes element i
    let [new_position, new_velocity] = unsafe { [new_position, new_velocity].map(|array| Global::new(array, n)) };
    // SAFETY: the launch provides 16 * block bytes; a barrier separates the write of an element from reads by others
    let tile = unsafe { dynamic_shared::<Float4>(block) };
    let t = thread_idx().x; // [0, block)
    let i = block_idx().x * block + t; // body, [0, grid * block)

    // a thread past n still loads and must reach the barriers; it recomputes the last body and stores nothing
    let p = position[i.min(n - 1)];
    let mut a = Float3::ZERO;
    let mut first = 0;
    while first < n {
        let loaded = position[(first + t).min(n - 1)]; // past n: the last body, with zero mass
        let mass = if first + t < n { loaded.w } else { 0.0 };
        tile.set(t, Float4 { w: mass, ..loaded });
        // the tile must be complete before any thread reads it
        sync_threads();

        for k in 0..block {
            unroll(4);
            let source = tile.get(k);
            let r = Float3::from(source) - p.into();
            let inverse = rsqrt(r.dot(r) + epsilon_squared);
            let weight = source.w * inverse * inverse * inverse;
            a = a + weight * r;
        }
        // a fast warp must not overwrite the tile while slower warps still read it
        sync_threads();
        first += block;
    }

    if i < n {
        let v = velocity[i];
        let moved = Float3::from(p) + dt * Float3::from(v) + (0.5 * dt * dt) * a;
        let faster = Float3::from(v) + dt * a;
        new_position.set(i, Float4::new(moved.x, moved.y, moved.z, p.w));
        new_velocity.set(i, Float4::new(faster.x, faster.y, faster.z, v.w));
    }
}
