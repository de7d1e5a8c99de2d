//! The layout of atoms and potential on the device.

use crate::error::Error;
use crate::problem::{Layout, Rougher, Setup, as_i32};
use cudarc::driver::CudaSlice;
use reference::coulomb::Points;
use reference::coulomb::{Atom, Atoms};

/// A layout of atoms and of the potential at the points of a plane, row by row.
pub trait Plane: Layout<Inputs = Atoms, Results = Vec<f32>> {
    /// Returns the potential.
    fn potential(&mut self) -> &mut CudaSlice<f32>;
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
}

impl Layout for Buffers {
    type Inputs = Atoms;
    type Results = Vec<f32>;

    fn prepare(setup: &Setup, atoms: &Atoms) -> Result<Self, Error> {
        let Points { width, height, spacing } = atoms.points;
        Ok(Self {
            atoms: setup.upload(&atoms.atoms)?,
            potential: setup.room(atoms.points.count())?,
            n: as_i32(atoms.atoms.len()),
            width: as_i32(width as usize),
            height: as_i32(height as usize),
            spacing,
        })
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        setup.poison(&mut self.potential)
    }

    fn results(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        setup.download(&self.potential)
    }
}

impl Plane for Buffers {
    fn potential(&mut self) -> &mut CudaSlice<f32> {
        &mut self.potential
    }
}

impl<L: Plane, const MORE: u32> Plane for Rougher<L, MORE> {
    fn potential(&mut self) -> &mut CudaSlice<f32> {
        self.0.potential()
    }
}
