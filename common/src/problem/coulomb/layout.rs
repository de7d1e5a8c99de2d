//! The layout of atoms and potential on the device.

use crate::error::Error;
use crate::problem::{Setup, as_i32};
use crate::verify::poison_f32;
use cudarc::driver::CudaSlice;
use reference::coulomb::Points;
use reference::coulomb::{Atom, Atoms};

/// The way a rung stores atoms and potential on the device.
pub trait Layout: std::fmt::Debug + Sized + 'static {
    /// The largest relative error of an approximation in a term, in units of 2⁻²⁴, in addition to the tutorial's roundings.
    const MORE_ROUNDINGS: f64 = 0.0;

    /// Copies atoms to the device. Not timed. `adds` means that the kernel adds to the points, which must be zero before.
    ///
    /// # Errors
    /// [`Error::Driver`], if the device has no room or refuses a copy.
    fn prepare(setup: &Setup, atoms: &Atoms, adds: bool) -> Result<Self, Error>;

    /// Poisons the points, or zeroes them. Not timed.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn restore(&mut self, setup: &Setup) -> Result<(), Error>;

    /// Returns the potential at the points, row by row.
    ///
    /// # Errors
    /// [`Error::Driver`].
    fn potential(&self, setup: &Setup) -> Result<Vec<f32>, Error>;
}

/// The tutorial's layout.
#[derive(Debug)]
pub struct Buffers {
    /// The n atoms.
    pub atoms: CudaSlice<Atom>,
    /// Output: the potential of each point, row by row.
    pub potential: CudaSlice<f32>,
    /// Number of atoms.
    pub n: i32,
    /// Points per row.
    pub width: i32,
    /// Rows.
    pub height: i32,
    /// The distance of neighboring points.
    pub spacing: f32,
    /// The values of the points before a run.
    before: CudaSlice<f32>,
}

impl Layout for Buffers {
    fn prepare(setup: &Setup, atoms: &Atoms, adds: bool) -> Result<Self, Error> {
        let Points { width, height, spacing } = atoms.points;
        let before = vec![if adds { 0.0 } else { poison_f32() }; atoms.points.count()];
        Ok(Self {
            atoms: setup.upload(&atoms.atoms)?,
            potential: setup.upload(&before)?,
            n: as_i32(atoms.atoms.len()),
            width: as_i32(width as usize),
            height: as_i32(height as usize),
            spacing,
            before: setup.upload(&before)?,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.copy(&self.before, &mut self.potential)
    }

    fn potential(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download(&self.potential)
    }
}
