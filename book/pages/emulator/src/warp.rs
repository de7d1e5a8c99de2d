//! The answers to questions about one warp instruction, and about occupancy.

use crate::question::Access;
use emulator::{Resources, ShuffleMode, WarpAccess, capability, shuffle_sources};
use serde_json::{Value, json};

fn check(access: &Access) -> Result<WarpAccess<'_>, String> {
    let Access { addresses, active, bytes } = access;
    if !matches!(bytes, 1 | 2 | 4 | 8 | 16) {
        return Err(format!("an access of {bytes} bytes per lane; the size must be 1, 2, 4, 8 or 16"));
    }
    let accessing = addresses.iter().enumerate().filter(|(lane, _)| active >> lane & 1 != 0);
    if let Some((lane, address)) = accessing.into_iter().find(|(_, address)| *address % u64::from(*bytes) != 0) {
        return Err(format!("lane {lane}'s address {address} is not a multiple of {bytes}, the size of the access"));
    }
    Ok(WarpAccess { addresses, active: *active, bytes: *bytes })
}

pub(crate) fn sectors(access: &Access) -> Result<Value, String> {
    let asked = access.active.count_ones() * access.bytes;
    Ok(json!({ "sectors": check(access)?.sectors(), "bytes_asked": asked }))
}

pub(crate) fn wavefronts(access: &Access, store: bool) -> Result<Value, String> {
    let (wavefronts, conflicts) = check(access)?.wavefronts(!store);
    Ok(json!({ "wavefronts": wavefronts, "conflicts": conflicts }))
}

pub(crate) fn shuffle(mode: ShuffleMode, operand: u32, width: u32, active: u32) -> Result<Value, String> {
    if !width.is_power_of_two() || width > 32 {
        return Err(format!("a width of {width}; it must be 1, 2, 4, 8, 16 or 32"));
    }
    let lane = |(lane, (source, in_range)): (usize, (usize, bool))| {
        let is_active = active >> lane & 1 != 0;
        json!({ "source": is_active.then_some(source), "in_range": is_active && in_range })
    };
    let lanes = shuffle_sources(mode, operand, width).into_iter().enumerate().map(lane);
    Ok(json!({ "lanes": lanes.collect::<Vec<_>>() }))
}

pub(crate) fn occupancy(registers: u32, shared_bytes: u32, block: u32) -> Result<Value, String> {
    let most = [
        ("registers per thread", registers, 1, capability::MAX_REGISTERS_PER_THREAD),
        ("threads per block", block, 1, capability::MAX_THREADS_PER_BLOCK),
        ("bytes of shared memory per block", shared_bytes, 0, emulator::MAX_SHARED_BYTES),
    ];
    if let Some((what, value, least, most)) =
        most.into_iter().find(|&(_, value, least, most)| value < least || value > most)
    {
        return Err(format!("{value} {what}; there must be {least} to {most}"));
    }
    let resources = Resources {
        registers,
        static_shared_bytes: shared_bytes,
        max_threads: capability::MAX_THREADS_PER_BLOCK,
        max_dynamic_shared_bytes: 0,
    };
    let each = resources.limits(block, 0);
    let blocks = resources.blocks_per_multiprocessor(block, 0);
    // The first of several, because a programmer can change registers and shared memory most easily.
    let limiter = each.into_iter().min_by_key(|(_, blocks)| *blocks).map(|(limit, _)| limit);
    Ok(json!({
        "blocks": blocks,
        "warps": blocks * block.div_ceil(capability::WARP_THREADS),
        "most_warps": capability::MAX_THREADS_PER_MULTIPROCESSOR / capability::WARP_THREADS,
        "limits": each.map(|(limit, blocks)| json!({ "resource": limit, "blocks": blocks })),
        "limiter": limiter,
    }))
}
