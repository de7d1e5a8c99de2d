//! What a run leaves beside its table: the track of a body, and the film of a galaxy. Each is of the first chosen
//! kernel of its tutorial, and outside of the timed runs.

use super::{Outcome, Row, Session};
use crate::Error;
use crate::options::Options;
use crate::workload::Tutorial;
use std::path::Path;

/// The files that are still to be made.
#[derive(Debug)]
pub(super) struct Extras<'o> {
    track: Option<&'o Path>,
    film: Option<&'o Path>,
}

impl<'o> Extras<'o> {
    /// What the options ask for.
    pub fn new(options: &'o Options) -> Self {
        Self { track: options.track.as_deref(), film: options.render.as_deref() }
    }

    /// Makes the files that are due after this outcome.
    pub fn make(&mut self, session: &mut Session, outcome: &mut Outcome) -> Result<(), Error> {
        match outcome.plan.row.work.tutorial() {
            Tutorial::B => {
                let Some(path) = self.track.take() else { return Ok(()) };
                let Some(track) = session.track(&outcome.plan)? else { return Ok(()) };
                outcome.report.add(track.check());
                track.write(path)
            }
            Tutorial::D => {
                let Some(path) = self.film.take() else { return Ok(()) };
                outcome.energy = session.film(&outcome.plan, path)?;
                Ok(())
            }
            Tutorial::A | Tutorial::C | Tutorial::E => Ok(()),
        }
    }
}

/// Refuses files that no chosen kernel makes, and those that cannot be made.
pub(super) fn require_makeable(rows: &[&Row], options: &Options) -> Result<(), Error> {
    let has = |tutorial| rows.iter().any(|row| row.work.tutorial() == tutorial);
    let usage =
        |option: &str, path: &Path, reason: &str| Err(Error::Usage(format!("{option} {}: {reason}", path.display())));
    if let Some(path) = &options.track {
        if !has(Tutorial::B) {
            return usage("--track", path, "no chosen kernel moves bodies through a periodic box");
        }
        require_folder("--track", path)?;
    }
    if let Some(path) = &options.render {
        if !has(Tutorial::D) {
            return usage("--render", path, "no chosen kernel moves a galaxy");
        }
        if !path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("gif")) {
            return usage("--render", path, "a film is an animated GIF; name a file that ends in .gif");
        }
        require_folder("--render", path)?;
    }
    Ok(())
}

/// A file goes into a folder that is there, and does not take the place of one.
fn require_folder(option: &str, path: &Path) -> Result<(), Error> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let reason = if !folder.is_dir() {
        format!("there is no folder {}", folder.display())
    } else if path.is_dir() {
        "this is a folder; name a file".into()
    } else {
        return Ok(());
    };
    Err(Error::Usage(format!("{option} {}: {reason}", path.display())))
}
