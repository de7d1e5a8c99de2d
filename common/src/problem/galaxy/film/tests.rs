//! Tests of the contents of a film.

use super::*;

#[test]
fn films_have_at_most_their_number_of_frames_and_short_ones_show_every_step() {
    for steps in [1, 2, 199, 200, 201, 1000, 100_000] {
        let frames = 1 + steps / steps_between_frames(steps);
        assert!(frames <= MAX_FRAMES, "{steps}");
    }
    assert_eq!([1, 199, 200, 398].map(steps_between_frames), [1, 1, 2, 2]);
}

#[test]
fn a_body_is_bright_where_it_is_and_nowhere_else() {
    let shades = shades([[0.0, 0.0]].into_iter());
    let side = usize::from(SIDE);
    let center = usize::from(SIDE) / 2;
    let lit: Vec<usize> = (0..shades.len()).filter(|&pixel| shades[pixel] > 0).collect();
    let above = (center - 1) * side + center;
    let below = center * side + center;
    assert_eq!(lit, [above - 1, above, below - 1, below]);
}

#[test]
fn up_is_up_and_bodies_outside_or_nowhere_are_left_out() {
    let shades = shades([[0.0, 1.0], [9.0, 0.0], [f32::NAN, 0.0]].into_iter());
    let bright = shades.iter().position(|&shade| shade > 0).expect("one body is inside");
    assert!(bright < shades.len() / 4, "{bright}");
    assert_eq!(shades.iter().filter(|&&shade| shade > 0).count(), 4);
}

#[test]
fn crowded_pixels_do_not_overflow() {
    assert_eq!(shades(vec![[0.0, 0.0]; 100_000].into_iter()).iter().max(), Some(&255));
}

#[test]
fn the_palette_begins_black_ends_white_and_grows_brighter() {
    let palette = palette();
    assert_eq!((&palette[..3], &palette[765..]), (&[0, 0, 0][..], &[255, 255, 255][..]));
    let sum = |shade: usize| palette[3 * shade..][..3].iter().map(|&value| u32::from(value)).sum::<u32>();
    assert!((1..256).all(|shade| sum(shade) >= sum(shade - 1)));
}
