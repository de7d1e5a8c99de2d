//! The lanes of a warp, and masks of them.

pub use ::simd::WARP_SIZE;
pub(crate) use ::simd::{select, select_wide};

/// The mask with all lanes active.
pub(crate) const FULL: u32 = u32::MAX;

/// Returns the number of active lanes, which are often all: the instruction that counts bits is not on all processors.
#[inline(always)]
pub(crate) fn count(mask: u32) -> u32 {
    #[inline(never)]
    fn count_some(mask: u32) -> u32 {
        mask.count_ones()
    }
    if mask == FULL { WARP_SIZE as u32 } else { count_some(mask) }
}

/// Returns the indices of the active lanes in ascending order.
pub(crate) fn active(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(lane)
    })
}
