//! The host's: a launch of one thread.

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

pub const fn shuffle(_lanes: u32, value: u32, _lane: u32) -> u32 {
    value
}

pub const fn shuffle_down(_lanes: u32, value: u32, _delta: u32) -> u32 {
    value
}

pub fn rsqrt(x: f32) -> f32 {
    1.0 / x.sqrt()
}

pub fn floor(x: f32) -> f32 {
    x.floor()
}

pub const unsafe fn atomic_add(address: *mut f32, value: f32) {
    // SAFETY: as the caller says, the address is of a float; there is one thread.
    unsafe { *address += value }
}

pub const fn unroll(_count: usize) {}

pub const fn launch_bounds(_threads: usize) {}

/// Memory of the one block, which stays, and is zero.
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
