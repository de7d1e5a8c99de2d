//! Findings and faults, with the launch in which they were found.

use emulator::{Diagnosis, Dim3, Fault, Finding, MemorySpace};
use serde::{Deserialize, Serialize};

/// A finding of the checks, or a fault.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Found {
    /// The mistake and the threads involved.
    pub diagnosis: Diagnosis,
    /// The memory and the address in it, if it concerns one.
    pub address: Option<(MemorySpace, u64)>,
    /// The number of launches before this one, in all cases.
    pub launch: usize,
    /// The number of blocks of the launch.
    pub grid: Dim3,
}

impl Found {
    /// Returns a finding in a launch.
    #[must_use]
    pub fn finding(finding: &Finding, launch: usize, grid: Dim3) -> Self {
        Self { diagnosis: finding.into(), address: finding.kind.memory().zip(finding.address), launch, grid }
    }

    /// Returns a fault in a launch.
    #[must_use]
    pub fn fault(fault: &Fault, launch: usize, grid: Dim3) -> Self {
        let diagnosis = Diagnosis::from(fault);
        let address = global_address(&diagnosis.title).map(|address| (MemorySpace::Global, address));
        Self { diagnosis, address, launch, grid }
    }

    /// Returns whether it is the fault of a launch that executes more instructions than allowed.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        self.diagnosis.title.starts_with("instruction budget")
    }

    /// Returns the address in global memory, if it concerns one.
    #[must_use]
    pub fn global_address(&self) -> Option<u64> {
        self.address_in(MemorySpace::Global)
    }

    /// Returns the address in shared memory, if it concerns one.
    pub(crate) fn shared_address(&self) -> Option<u64> {
        self.address_in(MemorySpace::Shared)
    }

    fn address_in(&self, wanted: MemorySpace) -> Option<u64> {
        self.address.filter(|(memory, _)| *memory == wanted).map(|(_, address)| address)
    }
}

/// Returns the address in the title of a fault.
fn global_address(title: &str) -> Option<u64> {
    let (_, rest) = title.split_once("global memory at 0x")?;
    let digits = rest.split(|c: char| !c.is_ascii_hexdigit()).next()?;
    u64::from_str_radix(digits, 16).ok()
}
