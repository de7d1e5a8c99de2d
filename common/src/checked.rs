//! Runs under the emulator's checks.

use crate::error::Error;
use crate::session::Session;
use crate::stage::Plan;
use crate::verify::Report;
use emulator::Diagnosis;

/// The results of checks, and of the comparison with the reference.
#[derive(Debug)]
pub struct Checked {
    /// The kernel's mistakes, last the fault that ended it; empty for a clean kernel.
    pub findings: Vec<Diagnosis>,
    /// The comparison of its results; `None` after a fault.
    pub report: Option<Report>,
}

impl Checked {
    /// Returns whether the kernel is free of findings and wrong results.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.findings.is_empty() && self.report.as_ref().is_some_and(Report::passed)
    }
}

impl Session {
    /// Runs a kernel once under the emulator's checks and compares its results. A fault ends the session's context: use a
    /// new session for each kernel.
    ///
    /// # Errors
    /// [`Error::Kernel`], [`Error::Driver`]. Findings and wrong results are not errors.
    pub fn check(&mut self, plan: &Plan) -> Result<Checked, Error> {
        self.device.set_checks(true);
        let ran = self.verify(plan);
        self.device.set_checks(false);
        let findings = self.device.take_findings()?;
        match ran {
            Ok(report) => Ok(Checked { findings, report: Some(report) }),
            Err(Error::Driver { .. }) if !findings.is_empty() => Ok(Checked { findings, report: None }),
            Err(error) => Err(error),
        }
    }
}
