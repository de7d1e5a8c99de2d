//! A wrapper for the layout of any rung that keeps the outputs for [`take_outputs`](crate::twins::take_outputs).

use crate::twins::keep;
use common::Error;
use common::problem::coulomb::Atoms;
use common::problem::forces::Bodies;
use common::problem::galaxy::{Disc, State};
use common::problem::matmul::MatricesOf;
use common::problem::periodic::{BodiesInABox, Found};
use common::problem::reduction::Values;
use common::problem::{Setup, coulomb, forces, galaxy, matmul, periodic, reduction};

/// The wrapper, which contains the layout of the launch function.
#[derive(Debug)]
pub struct Kept<L>(pub L);

impl<L: forces::Layout> forces::Layout for Kept<L> {
    const MORE_ROUNDINGS: f64 = L::MORE_ROUNDINGS;

    fn prepare(setup: &Setup, bodies: &Bodies) -> Result<Self, Error> {
        L::prepare(setup, bodies).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn forces(&self, setup: &Setup) -> Result<[Vec<f32>; 3], Error> {
        let forces = self.0.forces(setup)?;
        keep(forces.iter().flatten().copied().map(f32::to_bits));
        Ok(forces)
    }
}

impl<L: periodic::Layout> periodic::Layout for Kept<L> {
    fn prepare(setup: &Setup, inputs: &BodiesInABox) -> Result<Self, Error> {
        L::prepare(setup, inputs).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn bodies(&self, setup: &Setup) -> Result<Vec<Found>, Error> {
        let bodies = self.0.bodies(setup)?;
        // A position may have 32 significant bits, which need an f64.
        keep(bodies.iter().flatten().flat_map(|value| [value.to_bits() as u32, (value.to_bits() >> 32) as u32]));
        Ok(bodies)
    }
}

impl<L: reduction::Layout> reduction::Layout for Kept<L> {
    fn prepare(setup: &Setup, values: &Values) -> Result<Self, Error> {
        L::prepare(setup, values).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn partials(&self, setup: &Setup) -> Result<Vec<i32>, Error> {
        let partials = self.0.partials(setup)?;
        keep(partials.iter().copied().map(i32::cast_unsigned));
        Ok(partials)
    }

    fn values_per_partial(&self, setup: &Setup) -> Option<usize> {
        self.0.values_per_partial(setup)
    }
}

impl<L: galaxy::Layout> galaxy::Layout for Kept<L> {
    const MORE_ROUNDINGS: f64 = L::MORE_ROUNDINGS;

    fn prepare(setup: &Setup, disc: &Disc) -> Result<Self, Error> {
        L::prepare(setup, disc).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn poison(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.poison(setup)
    }

    fn swap(&mut self) {
        self.0.swap();
    }

    fn before(&self, setup: &Setup) -> Result<State, Error> {
        self.0.before(setup)
    }

    fn after(&self, setup: &Setup) -> Result<State, Error> {
        let state = self.0.after(setup)?;
        keep(state.position.iter().chain(&state.velocity).flatten().copied().map(f32::to_bits));
        Ok(state)
    }
}

impl<L: coulomb::Layout> coulomb::Layout for Kept<L> {
    const MORE_ROUNDINGS: f64 = L::MORE_ROUNDINGS;

    fn prepare(setup: &Setup, atoms: &Atoms, adds: bool) -> Result<Self, Error> {
        L::prepare(setup, atoms, adds).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn potential(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        let potential = self.0.potential(setup)?;
        keep(potential.iter().copied().map(f32::to_bits));
        Ok(potential)
    }
}

impl<L: matmul::Layout> matmul::Layout for Kept<L> {
    type Entry = L::Entry;

    fn prepare(setup: &Setup, matrices: &MatricesOf<L>) -> Result<Self, Error> {
        L::prepare(setup, matrices).map(Self)
    }

    fn restore(&mut self, setup: &Setup) -> Result<(), Error> {
        self.0.restore(setup)
    }

    fn product(&self, setup: &Setup) -> Result<Vec<f32>, Error> {
        let product = self.0.product(setup)?;
        keep(product.iter().copied().map(f32::to_bits));
        Ok(product)
    }
}
