//! Launches beyond a limit, and queries of functions.

use super::{Case, HUGE, MINUS_ONE};
use crate::hostile::driver::{Driver, text, to};

fn shaped(driver: &Driver, grid: [u32; 3], block: [u32; 3], shared: u32) -> u32 {
    let kernel = driver.kernel();
    driver.launch(kernel, grid, block, shared, 0)
}

pub const CASES: &[Case] = &[
    ("launch: a grid of 0 along x", |d| shaped(d, [0, 1, 1], [1; 3], 0)),
    ("launch: a grid of 0 along z", |d| shaped(d, [1, 1, 0], [1; 3], 0)),
    ("launch: a grid of 2^31 along x", |d| shaped(d, [1 << 31, 1, 1], [1; 3], 0)),
    ("launch: a grid of 65536 along y", |d| shaped(d, [1, 65536, 1], [1; 3], 0)),
    ("launch: a grid of 65536 along z", |d| shaped(d, [1, 1, 65536], [1; 3], 0)),
    ("launch: a grid of 2^32 - 1 along all", |d| shaped(d, [u32::MAX; 3], [1; 3], 0)),
    ("launch: a block of 0", |d| shaped(d, [1; 3], [0, 1, 1], 0)),
    ("launch: a block of 1025 along x", |d| shaped(d, [1; 3], [1025, 1, 1], 0)),
    ("launch: a block of 1025 along y", |d| shaped(d, [1; 3], [1, 1025, 1], 0)),
    ("launch: a block of 65 along z", |d| shaped(d, [1; 3], [1, 1, 65], 0)),
    ("launch: a block of 32 x 33", |d| shaped(d, [1; 3], [32, 33, 1], 0)),
    ("launch: a block of 2^32 - 1 along all", |d| shaped(d, [1; 3], [u32::MAX; 3], 0)),
    ("launch: more shared memory than without asking", |d| shaped(d, [1; 3], [1; 3], (48 << 10) + 1)),
    ("launch: 2^32 - 1 bytes of shared memory", |d| shaped(d, [1; 3], [1; 3], u32::MAX)),
    ("launch: more threads than .maxntid", |d| {
        let m = d.module();
        let k = d.make("cuModuleGetFunction", &[m, text(c"bounded")]);
        d.launch(k, [1; 3], [65, 1, 1], 0, 0)
    }),
    ("launch: a null pointer to a parameter", |d| {
        let k = d.kernel();
        let mut values = [0_usize; 1];
        d.call("cuLaunchKernel", &[k, 1, 1, 1, 1, 1, 1, 0, 0, to(&mut values), 0])
    }),
    ("launch: a parameter buffer too small", |d| extra(d, 4, 0)),
    ("launch: a parameter buffer too large", |d| extra(d, 16, 0)),
    ("launch: a parameter buffer beside parameters", |d| extra(d, 8, 1)),
    ("launch: cuFuncSetAttribute of more shared memory than there is", |d| {
        let k = d.kernel();
        d.call("cuFuncSetAttribute", &[k, 8, (227 << 10) + 1])
    }),
    ("launch: cuFuncSetAttribute of -1 bytes of shared memory", |d| {
        let k = d.kernel();
        d.call("cuFuncSetAttribute", &[k, 8, MINUS_ONE])
    }),
    ("launch: cuFuncSetAttribute of what cannot be set", |d| {
        let k = d.kernel();
        d.call("cuFuncSetAttribute", &[k, 0, 1])
    }),
    ("launch: cuFuncSetAttribute of 101 percent", |d| {
        let k = d.kernel();
        d.call("cuFuncSetAttribute", &[k, 9, 101])
    }),
    ("launch: cuFuncGetAttribute 1000", |d| {
        let k = d.kernel();
        d.call("cuFuncGetAttribute", &[to(&mut 0_u64), 1000, k])
    }),
    ("launch: cuFuncGetAttribute -1", |d| {
        let k = d.kernel();
        d.call("cuFuncGetAttribute", &[to(&mut 0_u64), MINUS_ONE, k])
    }),
    ("launch: cuFuncGetParamInfo 1", |d| {
        let k = d.kernel();
        d.call("cuFuncGetParamInfo", &[k, 1, to(&mut 0_u64), to(&mut 0_u64)])
    }),
    ("launch: cuOccupancyMaxActiveBlocks of 0 threads", |d| {
        let k = d.kernel();
        d.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &[to(&mut 0_u64), k, 0, 0])
    }),
    ("launch: cuOccupancyMaxActiveBlocks of -1 threads", |d| {
        let k = d.kernel();
        d.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &[to(&mut 0_u64), k, MINUS_ONE, 0])
    }),
    ("launch: cuOccupancyMaxActiveBlocks of 2^64 - 1 bytes", |d| {
        let k = d.kernel();
        d.call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &[to(&mut 0_u64), k, 32, HUGE])
    }),
    ("launch: cuOccupancyMaxPotentialBlockSize of limit -1", |d| {
        let k = d.kernel();
        d.call("cuOccupancyMaxPotentialBlockSize", &[to(&mut 0_u64), to(&mut 0_u64), k, 0, 0, MINUS_ONE])
    }),
    ("launch: cuOccupancyAvailableDynamicSMem of -1 blocks", |d| {
        let k = d.kernel();
        d.call("cuOccupancyAvailableDynamicSMemPerBlock", &[to(&mut 0_u64), k, MINUS_ONE, 32])
    }),
];

/// Launches `store` with its parameter in a buffer of `bytes` bytes, and with `values` pointers in addition.
fn extra(driver: &Driver, bytes: usize, values: usize) -> u32 {
    let kernel = driver.kernel();
    let mut buffer = [0_u64; 2];
    let mut bytes = bytes;
    buffer[0] = driver.make("cuMemAlloc_v2", &[64]) as u64;
    let mut list = [1, to(&mut buffer), 2, to(&mut bytes), 0];
    let mut pointers = [to(&mut buffer)];
    let pointers = if values == 0 { 0 } else { to(&mut pointers) };
    driver.call("cuLaunchKernel", &[kernel, 1, 1, 1, 1, 1, 1, 0, 0, pointers, to(&mut list)])
}
