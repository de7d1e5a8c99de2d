//! The functions on the host, where a launch has one thread.

pub const fn thread_idx() -> [u32; 3] {
    [0; 3]
}

pub const fn block_idx() -> [u32; 3] {
    [0; 3]
}

pub const fn block_dim() -> [u32; 3] {
    [1; 3]
}

pub const fn grid_dim() -> [u32; 3] {
    [1; 3]
}

pub const fn sync_threads() {}

pub const fn sync_warp(_lanes: u32) {}

pub fn out_of_bounds(index: usize, len: usize) -> ! {
    panic!("index {index} is out of bounds of {len} elements")
}

pub const fn shuffle(_lanes: u32, value: u32, _lane: u32) -> u32 {
    value
}

pub const fn shuffle_down(_lanes: u32, value: u32, _delta: u32) -> u32 {
    value
}

pub const fn shuffle_xor(_lanes: u32, value: u32, _mask: u32) -> u32 {
    value
}

pub const fn ballot(lanes: u32, condition: bool) -> u32 {
    if condition { lanes & 1 } else { 0 }
}

pub const fn any(_lanes: u32, condition: bool) -> bool {
    condition
}

pub const fn all(_lanes: u32, condition: bool) -> bool {
    condition
}

pub const fn thread_fence() {}

pub fn rsqrt(x: f32) -> f32 {
    1.0 / x.sqrt()
}

/// Returns x, or a zero with its sign if x is subnormal.
fn flush(x: f32) -> f32 {
    if x.is_subnormal() { 0.0_f32.copysign(x) } else { x }
}

pub fn fast_rsqrt(x: f32) -> f32 {
    rsqrt(flush(x))
}

pub fn fast_log2(x: f32) -> f32 {
    flush(x).log2()
}

pub fn fast_exp2(x: f32) -> f32 {
    flush(x.exp2())
}

pub fn mul_add(x: f32, y: f32, z: f32) -> f32 {
    x.mul_add(y, z)
}

pub fn floor(x: f32) -> f32 {
    x.floor()
}

pub fn round_to_i64(x: f32) -> i64 {
    x.round_ties_even() as i64
}

pub const unsafe fn atomic_add(address: *mut f32, value: f32) {
    // SAFETY: the caller guarantees that the address is of a float; there is only one thread.
    unsafe { *address += value }
}

pub const unsafe fn atomic_add_4(address: *mut [f32; 4], values: [f32; 4]) {
    let mut k = 0;
    while k < values.len() {
        // SAFETY: the caller guarantees that the address is of four floats; there is only one thread.
        unsafe { (*address)[k] += values[k] };
        k += 1;
    }
}

pub const unsafe fn load_from_l2<T: Copy>(address: *const T) -> T {
    // SAFETY: the caller guarantees that the address is valid.
    unsafe { *address }
}

pub const unsafe fn load_streaming<T: Copy>(address: *const T) -> T {
    // SAFETY: the caller guarantees that the address is valid.
    unsafe { *address }
}

pub const fn unroll(_count: usize) {}

pub const fn launch_bounds(_threads: usize) {}

pub const fn resident_blocks(_blocks: usize) {}

pub const fn source_order() {}

/// Allocates zeroed memory for the only block and never frees it.
fn array(bytes: usize) -> *mut u8 {
    Box::leak(vec![0_u128; bytes.div_ceil(size_of::<u128>())].into_boxed_slice()).as_mut_ptr().cast()
}

#[allow(clippy::extra_unused_type_parameters, reason = "the device has one array for each place")]
pub fn shared_array<Place, T, const N: usize>() -> *mut T {
    array(size_of::<[T; N]>()).cast()
}

pub fn dynamic_shared<T>(len: usize) -> *mut T {
    array(len * size_of::<T>()).cast()
}

pub fn constant_address(bytes: usize, _align: usize) -> *const u8 {
    array(bytes)
}
