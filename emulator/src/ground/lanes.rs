//! Lanes of a warp.

/// Lanes of a warp.
pub(crate) const LANES: usize = 32;

/// All lanes active.
pub(crate) const FULL: u32 = u32::MAX;

/// The numbers of the active lanes, ascending.
pub(crate) fn active(mask: u32) -> impl Iterator<Item = usize> {
    let mut rest = mask;
    std::iter::from_fn(move || {
        let lane = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
        rest &= rest - 1;
        Some(lane)
    })
}
