//! The track of a body through the box of problem B, as a file of comma-separated values.

use crate::error::Error;
use crate::verify::{Failure, Report};
use reference::periodic::TIME_STEP;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// The positions of a body before the first step and after each.
#[derive(Clone, Debug, PartialEq)]
pub struct Track(pub Vec<[f32; 2]>);

impl Track {
    /// Checks that every position is in the box, [0, 1).
    #[must_use]
    pub fn check(&self) -> Report {
        let mut report = Report { compared: self.0.len(), ..Report::default() };
        let outside = self.0.iter().position(|place| !place.iter().all(|value| (0.0..1.0).contains(value)));
        if let Some(step) = outside {
            let law = "the box: x and y of body 0's track must be in [0, 1)".into();
            report.fail(Failure::Law { law, found: format!("{:?} after step {step}", self.0[step]) });
        }
        report
    }

    /// Writes a line with step, t, x and y for each position.
    ///
    /// # Errors
    /// [`Error::File`].
    pub fn write(&self, path: &Path) -> Result<(), Error> {
        let write = || {
            let mut file = BufWriter::new(File::create(path)?);
            writeln!(file, "step,t,x,y")?;
            for (step, [x, y]) in self.0.iter().enumerate() {
                let t = step as f64 * f64::from(TIME_STEP);
                writeln!(file, "{step},{t:.6},{x},{y}")?;
            }
            file.flush()
        };
        write().map_err(|error: std::io::Error| Error::file(path, &error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_in_the_box_passes_and_one_that_leaves_it_fails() {
        assert!(Track(vec![[0.0, 0.999_999_94]]).check().passed());
        for outside in [[1.0, 0.5], [0.5, -1e-9], [f32::NAN, 0.5]] {
            let report = Track(vec![[0.5, 0.5], outside]).check();
            assert_eq!(report.failed, 1, "{outside:?}");
            assert!(report.examples[0].to_string().contains("after step 1"), "{report:?}");
        }
    }

    #[test]
    fn a_folder_that_is_not_there_is_named() {
        let error = Track(Vec::new()).write(Path::new("/nowhere/track.csv")).unwrap_err().to_string();
        assert!(error.contains("/nowhere/track.csv"), "{error}");
    }
}
