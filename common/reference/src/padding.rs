//! Matrices whose rows are longer on the device.

use std::borrow::Cow;

/// Returns a matrix with rows of `columns` elements as one of `rows` rows of `wide` elements, which is larger by elements `padding`.
#[must_use]
pub fn padded(elements: &[f32], columns: usize, [rows, wide]: [usize; 2], padding: f32) -> Cow<'_, [f32]> {
    if wide == columns && rows * wide == elements.len() {
        return elements.into();
    }
    let mut all = vec![padding; rows * wide];
    for (to, from) in all.chunks_exact_mut(wide).zip(elements.chunks_exact(columns)) {
        to[..columns].copy_from_slice(from);
    }
    all.into()
}

/// Returns the first `columns` elements of the first `rows` rows, of a matrix with rows of `wide` elements.
#[must_use]
pub fn cropped(mut elements: Vec<f32>, wide: usize, [rows, columns]: [usize; 2]) -> Vec<f32> {
    if wide == columns {
        elements.truncate(rows * columns);
        return elements;
    }
    elements.chunks_exact(wide).take(rows).flat_map(|row| &row[..columns]).copied().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cropping_undoes_padding() {
        let matrix = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let wider = padded(&matrix, 3, [3, 4], 9.0);
        assert_eq!(*wider, [1.0, 2.0, 3.0, 9.0, 4.0, 5.0, 6.0, 9.0, 9.0, 9.0, 9.0, 9.0]);
        assert_eq!(cropped(wider.into(), 4, [2, 3]), matrix);
        assert_eq!(cropped(padded(&matrix, 3, [3, 3], 9.0).into(), 3, [2, 3]), matrix);
        assert_eq!(*padded(&matrix, 3, [2, 3], 9.0), matrix);
    }
}
