//! A film of a galaxy as an animated GIF: the bodies seen from above, with brightness by density.

use crate::error::Error;
use gif::{Encoder, Frame, Repeat};
use std::borrow::Cow;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Pixels per side.
pub const SIDE: u16 = 480;
/// The most frames of a film, including the initial state.
pub const MAX_FRAMES: u32 = 200;
/// The picture shows x and y in [−EXTENT, EXTENT]; the radius of the galaxy is 1 at the start.
const EXTENT: f32 = 1.5;
/// Time between frames, in hundredths of a second.
const DELAY: u16 = 5;
/// A pixel with this many times the mean density of the first disc is white.
const BRIGHTEST: f32 = 100.0;

/// Returns the steps from one frame to the next, so that `steps` steps make at most [`MAX_FRAMES`].
#[must_use]
pub fn steps_between_frames(steps: u32) -> u32 {
    steps.div_ceil(MAX_FRAMES - 1).max(1)
}

/// A film that is being written.
pub struct Film {
    path: PathBuf,
    encoder: Encoder<BufWriter<File>>,
}

impl Film {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn create(path: &Path) -> Result<Self, Error> {
        let file = File::create(path).map_err(|error| Error::file(path, &error))?;
        let encoder = Encoder::new(BufWriter::new(file), SIDE, SIDE, &palette());
        let mut encoder = encoder.map_err(|error| Error::file(path, &error))?;
        encoder.set_repeat(Repeat::Infinite).map_err(|error| Error::file(path, &error))?;
        Ok(Self { path: path.to_owned(), encoder })
    }

    /// Adds a frame with bodies at x and y.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn add(&mut self, bodies: impl ExactSizeIterator<Item = [f32; 2]>) -> Result<(), Error> {
        let width = SIDE;
        let height = SIDE;
        let frame = Frame { width, height, delay: DELAY, buffer: Cow::Owned(shades(bodies)), ..Frame::default() };
        self.encoder.write_frame(&frame).map_err(|error| Error::file(&self.path, &error))
    }

    /// Writes the end.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn finish(self) -> Result<(), Error> {
        let Self { path, encoder } = self;
        let flush = |mut file: BufWriter<File>| file.flush().map_err(gif::EncodingError::from);
        let written = encoder.into_inner().and_then(flush);
        written.map_err(|error| Error::file(&path, &error))
    }
}

/// Returns the picture as indices of the palette: the logarithm of the density at each pixel.
fn shades(bodies: impl ExactSizeIterator<Item = [f32; 2]>) -> Vec<u8> {
    let side = usize::from(SIDE);
    let pixels_a_unit = f32::from(SIDE) / (2.0 * EXTENT);
    // Bodies per pixel, if they were spread evenly over a disc of radius 1.
    let mean = bodies.len() as f32 / (std::f32::consts::PI * pixels_a_unit * pixels_a_unit);
    let mut density = vec![0.0_f32; side * side];
    for [x, y] in bodies {
        spread(&mut density, (x + EXTENT) * pixels_a_unit - 0.5, (EXTENT - y) * pixels_a_unit - 0.5);
    }
    let shade =
        |density: f32| (255.0 * libm::logf(1.0 + density / mean) / libm::logf(1.0 + BRIGHTEST)).min(255.0) as u8;
    density.into_iter().map(shade).collect()
}

/// Spreads a body over the four pixels around it; bodies outside of the picture are skipped.
fn spread(density: &mut [f32], column: f32, row: f32) {
    let inside = 0.0..f32::from(SIDE - 1);
    if !inside.contains(&column) || !inside.contains(&row) {
        return;
    }
    let right = column.fract();
    let below = row.fract();
    let first = row as usize * usize::from(SIDE) + column as usize;
    density[first] += (1.0 - right) * (1.0 - below);
    density[first + 1] += right * (1.0 - below);
    density[first + usize::from(SIDE)] += (1.0 - right) * below;
    density[first + usize::from(SIDE) + 1] += right * below;
}

/// Returns the colors from black through blue and orange to white, as red, green, blue.
fn palette() -> Vec<u8> {
    let channel = |shade: u32, from: u32, to: u32| (255 * shade.saturating_sub(from) / (to - from)).min(255) as u8;
    let blue = |shade: u32| {
        if shade < 128 { channel(shade, 0, 160) } else { channel(shade, 0, 160).max(channel(shade, 96, 255)) }
    };
    (0..256).flat_map(|shade| [channel(shade, 48, 208), channel(shade, 80, 240), blue(shade)]).collect()
}

#[cfg(test)]
mod tests;
