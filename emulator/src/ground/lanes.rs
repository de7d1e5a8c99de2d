//! The lanes of a warp, and masks of them.

/// The number of lanes in a warp.
pub(crate) const LANES: usize = 32;

/// The mask with all lanes active.
pub(crate) const FULL: u32 = u32::MAX;

/// Returns the indices of the active lanes in ascending order.
pub(crate) fn active(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(lane)
    })
}
