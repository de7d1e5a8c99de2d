//! Samples of a launch's blocks: what they run, and how many values they write.

use super::definition::{Definition, Prepared};
use super::layout::Layout;
use super::setup::Setup;
use crate::error::Error;
use crate::verify::Report;
use emulator::Sample;

impl<D: Definition> Prepared<'_, D> {
    /// Runs and compares as [`Definition::verify_sample`] does, without restoring before.
    ///
    /// # Errors
    /// As [`Definition::verify`].
    pub fn run_sample(&mut self) -> Result<Option<Report>, Error> {
        if D::launches(self) > 1 {
            return self.sample_counts();
        }
        let ran = self.sample(|case| D::run(case).and_then(|()| case.setup.finish_and_count()))?;
        let Some(sample) = ran else { return Ok(None) };
        match sample {
            Sample { adds: true, .. } => Ok(None),
            sample if sample.blocks.len() as u64 == sample.of => D::check(self).map(Some),
            sample => D::check_written(self, &sample),
        }
    }

    /// Runs samples of the blocks of all launches, for their counts alone.
    ///
    /// # Errors
    /// As [`Definition::verify`].
    pub fn sample_counts(&mut self) -> Result<Option<Report>, Error> {
        self.sample(Prepared::count_launches)?;
        Ok(None)
    }

    /// Runs samples of the blocks of launches, and returns what [`Setup::take_sample`] does.
    ///
    /// # Errors
    /// Those of the launches, and [`Error::Counters`].
    fn sample(&mut self, run: impl FnOnce(&mut Self) -> Result<(), Error>) -> Result<Option<Sample>, Error> {
        self.setup.device.set_samples(true);
        let ran = run(self);
        self.setup.device.set_samples(false);
        ran?;
        self.setup.take_sample()
    }
}

impl<D: Definition<Layout: Layout<Results = Vec<f32>>>> Prepared<'_, D> {
    /// Returns what `check` reports about the results of the last run.
    ///
    /// # Errors
    /// [`Error::Driver`].
    pub fn check_results(
        &self,
        check: impl FnOnce(&<D::Layout as Layout>::Inputs, &[f32]) -> Report,
    ) -> Result<Report, Error> {
        let results = self.results()?;
        let report = check(&self.inputs, &results);
        self.setup.discard(results);
        Ok(report)
    }
}

impl Setup<'_> {
    /// Returns the sample of the launches since the last call, which it keeps: of one kernel, the same blocks in each launch. Returns
    /// `None` if a launch has none, or if several kernels ran, of which one needs all results of another. Of several samples, it keeps
    /// one whose blocks differ if there is any, as the counts are then not exact.
    ///
    /// # Errors
    /// [`Error::Counters`].
    pub fn take_sample(&self) -> Result<Option<Sample>, Error> {
        let samples = self.device.take_samples()?;
        let all: Option<Vec<&Sample>> = samples.iter().map(|(_, sample)| sample.as_ref()).collect();
        let counted =
            all.and_then(|all| all.iter().find(|sample| !sample.is_uniform).or(all.last()).map(|&one| one.clone()));
        self.sample.replace(counted.clone());
        if counted.is_none() {
            self.counters.set(None);
        }
        Ok(counted.filter(|_| samples.windows(2).all(|two| two[0] == two[1])))
    }

    /// Returns how many of an output's values the blocks of a sample write, if each thread writes as many; `None` if some blocks may
    /// write more than others.
    ///
    /// In a grid-stride loop, blocks write equally many only if that is a multiple of their threads.
    #[must_use]
    pub fn values_of(&self, sample: &Sample, values: usize) -> Option<usize> {
        if let Some(each) = self.elements_per_block {
            let of_block = |block: &u64| values.saturating_sub(*block as usize * each).min(each);
            return Some(sample.blocks.iter().map(of_block).sum());
        }
        let (x, y, z) = self.config.block_dim;
        let threads = sample.blocks.len() * (x * y * z) as usize;
        self.values_of_tiles(sample, values).filter(|written| written.is_multiple_of(threads))
    }

    /// Returns how many of an output's values the blocks of a sample write, if each block writes a tile of a matrix; `None` if some
    /// tiles may be smaller.
    ///
    /// The sides of all tiles are powers of two. If several tiles cover n rows, and the last is smaller than the others, then n divided
    /// by their number is no power of two.
    #[must_use]
    pub fn values_of_tiles(&self, sample: &Sample, values: usize) -> Option<usize> {
        let blocks = sample.of as usize;
        let each = values / blocks;
        (values.is_multiple_of(blocks) && each.is_power_of_two()).then(|| each * sample.blocks.len())
    }
}
