//! Puts short texts beside points, where nothing else stands.

use super::{line, text};

/// Height of a line of text, and width of a letter, in the picture's units.
const HEIGHT: f64 = 14.0;
const WIDTH: f64 = 9.0;

/// A letter that is farther than this from its point gets a line to it.
const FAR: f64 = 18.0;

/// Rings of places that are tried around a point, nearest first.
const RINGS: usize = 6;

/// Left, top, right, bottom.
type Box = (f64, f64, f64, f64);

/// What is taken already.
#[derive(Default)]
pub struct Labels {
    taken: Vec<Box>,
}

impl Labels {
    /// Keeps the place of a mark free.
    pub fn keep_free(&mut self, x: f64, y: f64) {
        self.taken.push((x - 5.0, y - 5.0, x + 5.0, y + 5.0));
    }

    /// A letter for the point, with a line to it where it has to stand far away.
    pub fn write(&mut self, x: f64, y: f64, letter: char) -> String {
        let (left, baseline) = self.place(x, y);
        let (middle_x, middle_y) = (left + WIDTH / 2.0, baseline - 5.0);
        let distance = (middle_x - x).hypot(middle_y - y);
        let leader = match distance > FAR {
            true => line("leader", (x, y), (x + (middle_x - x) * 0.75, y + (middle_y - y) * 0.75)),
            false => String::new(),
        };
        leader + &text(left, baseline, "code", &letter.to_string())
    }

    /// Where to write one letter for the point, its left end on the baseline: to the right if that is free, else above,
    /// below or to the left, and farther out where all of these are taken.
    fn place(&mut self, x: f64, y: f64) -> (f64, f64) {
        let around = |ring: usize| {
            let (right, far) = (8.0 + WIDTH * ring as f64, 6.0 + HEIGHT * ring as f64);
            [(right, 5.0), (-WIDTH / 2.0, -far - 1.0), (-WIDTH / 2.0, far + HEIGHT - 3.0), (-right - WIDTH, 5.0)]
        };
        let mut places = (0..RINGS).flat_map(around).map(|(dx, dy)| (x + dx, y + dy));
        let place = places.find(|&place| self.is_free(extent(place))).unwrap_or((x + 8.0, y + 5.0));
        self.taken.push(extent(place));
        place
    }

    fn is_free(&self, (left, top, right, bottom): Box) -> bool {
        self.taken.iter().all(|taken| right <= taken.0 || taken.2 <= left || bottom <= taken.1 || taken.3 <= top)
    }
}

/// The room of a letter on its baseline.
fn extent((x, y): (f64, f64)) -> Box {
    (x, y - HEIGHT + 4.0, x + WIDTH, y + 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_far_from_its_point_has_a_line_to_it() {
        let mut labels = Labels::default();
        let written: Vec<String> = (b'a'..=b'f').map(|letter| labels.write(50.0, 50.0, letter.into())).collect();
        assert!(!written[0].contains("<line") && written[5].contains("<line"), "{written:?}");
    }

    #[test]
    fn labels_of_one_point_stand_apart() {
        let mut labels = Labels::default();
        labels.keep_free(100.0, 100.0);
        let places: Vec<(f64, f64)> = (0..6).map(|_| labels.place(100.0, 100.0)).collect();
        for (index, place) in places.iter().enumerate() {
            let others = places.iter().enumerate().filter(|(other, _)| *other != index);
            for (_, other) in others {
                let (one, two) = (extent(*place), extent(*other));
                assert!(one.2 <= two.0 || two.2 <= one.0 || one.3 <= two.1 || two.3 <= one.1, "{places:?}");
            }
        }
        assert_eq!(places[0], (108.0, 105.0));
    }
}
