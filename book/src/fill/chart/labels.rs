//! Placement of the numbers of lines and points next to them, as far as there is room.

use super::{line, text};
use std::iter::repeat_n;

/// The height of a line of text and the width of a digit, in units of the picture.
const HEIGHT: f64 = 14.0;
const WIDTH: f64 = 9.0;

/// The distance from its point beyond which a label gets a line to it.
const FAR: f64 = 18.0;

/// The distances of places around a point, nearest first.
const RINGS: usize = 6;

/// A rectangle: left, top, right, bottom.
type Box = (f64, f64, f64, f64);

/// Returns the number of a line or point, from 1, at `x` on a baseline.
pub fn label(x: f64, baseline: f64, number: usize) -> String {
    text(x, baseline, "code number halo", &(number + 1).to_string())
}

/// Returns places that are at least `gap` apart and together as near to the wanted ones as they can be, from `low` to `high`.
/// The wanted places increase.
pub fn spread(wanted: &[f64], gap: f64, (low, high): (f64, f64)) -> Vec<f64> {
    // Labels that touch move together: the sum of the places that they want for the first label of all, and their number.
    let mut groups: Vec<(f64, usize)> = Vec::new();
    for (index, wanted) in wanted.iter().enumerate() {
        let mut group = (wanted - gap * index as f64, 1);
        while let Some((sum, count)) = groups.pop_if(|last| last.0 / last.1 as f64 > group.0 / group.1 as f64) {
            group = (group.0 + sum, group.1 + count);
        }
        groups.push(group);
    }
    let highest = (high - gap * wanted.len().saturating_sub(1) as f64).max(low);
    let firsts = groups.iter().flat_map(|(sum, count)| repeat_n((sum / *count as f64).clamp(low, highest), *count));
    firsts.enumerate().map(|(index, first)| first + gap * index as f64).collect()
}

/// The occupied rectangles.
#[derive(Default)]
pub struct Labels {
    taken: Vec<Box>,
}

impl Labels {
    /// Keeps the place of a mark free.
    pub fn keep_free(&mut self, x: f64, y: f64) {
        self.taken.push((x - 5.0, y - 5.0, x + 5.0, y + 5.0));
    }

    /// Returns the number of a point, with a line to it if it is far away.
    pub fn write(&mut self, x: f64, y: f64, number: usize) -> String {
        let width = WIDTH * (number + 1).to_string().len() as f64;
        let (left, baseline) = self.place(x, y, width);
        let middle_x = left + width / 2.0;
        let middle_y = baseline - 5.0;
        let distance = (middle_x - x).hypot(middle_y - y);
        let leader = if distance > FAR {
            line("leader", (x, y), (x + (middle_x - x) * 0.75, y + (middle_y - y) * 0.75))
        } else {
            String::new()
        };
        leader + &label(left, baseline, number)
    }

    /// Returns the left end of a label's baseline: to the right of the point if that is free, else above, below or to the left, and
    /// farther away if all of these are occupied.
    fn place(&mut self, x: f64, y: f64, width: f64) -> (f64, f64) {
        let around = |ring: usize| {
            let right = 8.0 + WIDTH * ring as f64;
            let far = 6.0 + HEIGHT * ring as f64;
            [(right, 5.0), (-width / 2.0, -far - 1.0), (-width / 2.0, far + HEIGHT - 3.0), (-right - width, 5.0)]
        };
        let mut places = (0..RINGS).flat_map(around).map(|(dx, dy)| (x + dx, y + dy));
        let place = places.find(|&place| self.is_free(extent(place, width))).unwrap_or((x + 8.0, y + 5.0));
        self.taken.push(extent(place, width));
        place
    }

    fn is_free(&self, (left, top, right, bottom): Box) -> bool {
        self.taken.iter().all(|taken| right <= taken.0 || taken.2 <= left || bottom <= taken.1 || taken.3 <= top)
    }
}

/// Returns the rectangle of a label on a baseline.
fn extent((x, y): (f64, f64), width: f64) -> Box {
    (x, y - HEIGHT + 4.0, x + width, y + 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_label_far_from_its_point_has_a_line_to_it() {
        let mut labels = Labels::default();
        let written: Vec<String> = (0..6).map(|number| labels.write(50.0, 50.0, number)).collect();
        assert!(!written[0].contains("<line") && written[5].contains("<line"), "{written:?}");
    }

    #[test]
    fn labels_that_would_overlap_are_spread_around_their_middle() {
        let spread = |wanted: &[f64]| spread(wanted, 10.0, (0.0, 100.0));
        assert_eq!(spread(&[20.0, 50.0]), [20.0, 50.0]);
        assert_eq!(spread(&[50.0, 50.0, 50.0]), [40.0, 50.0, 60.0]);
        assert_eq!(spread(&[20.0, 22.0, 80.0]), [16.0, 26.0, 80.0]);
        assert_eq!(spread(&[1.0, 2.0, 99.0, 99.0]), [0.0, 10.0, 90.0, 100.0]);
        assert!(spread(&[]).is_empty());
    }

    #[test]
    fn labels_of_one_point_do_not_overlap() {
        let mut labels = Labels::default();
        labels.keep_free(100.0, 100.0);
        let places: Vec<(f64, f64)> = (0..6).map(|_| labels.place(100.0, 100.0, WIDTH)).collect();
        for (index, place) in places.iter().enumerate() {
            let others = places.iter().enumerate().filter(|(other, _)| *other != index);
            for (_, other) in others {
                let one = extent(*place, WIDTH);
                let two = extent(*other, WIDTH);
                assert!(one.2 <= two.0 || two.2 <= one.0 || one.3 <= two.1 || two.3 <= one.1, "{places:?}");
            }
        }
        assert_eq!(places[0], (108.0, 105.0));
    }
}
