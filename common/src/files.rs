//! The files that the problems' own options name.

use crate::error::Error;
use crate::options::Options;
use crate::session::{Outcome, Session};

/// Writes the files that the options name, each by the first kernel of its problem, outside of the timed runs.
///
/// # Errors
/// Those of [`Session::write`].
pub(crate) fn write_files(
    options: &Options,
    session: &mut Session,
    outcome: &mut Outcome,
    earlier: &[Outcome],
) -> Result<(), Error> {
    let facts = outcome.plan.facts();
    if earlier.iter().any(|other| other.plan.facts() == facts) {
        return Ok(());
    }
    for (file, path) in options.files.iter().filter(|(file, _)| facts.has_file(file.name)) {
        let mut written = session.write(&outcome.plan, file.name, path)?;
        outcome.report.add(std::mem::take(&mut written.report));
        outcome.written.push(written);
    }
    Ok(())
}
