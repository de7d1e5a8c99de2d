//! Starting ranks: by this program itself, or by torchrun, mpirun or srun.
//!
//! A rank needs environment variables that must be set when its process starts: the folder of NCCL, for the loader, and
//! the ranks' meeting point. A parent therefore passes them to its children, and a rank started by a launcher replaces
//! itself by executing this program again.

mod parent;
mod plan;

use crate::ranks::job;
use crate::ranks::options::Options;
use crate::ranks::process::place::Place;
use crate::ranks::process::{nccl, program};
use common::Error;
use common::device::{Driver, choose};

/// The environment variable by which the parent asks a child to report the devices, so that the parent need not load a driver.
const PROBE: &str = "COALESCED_PROBE";

/// Does what this process is for, by its environment: starts ranks, works as a rank, or reports the devices. Returns whether all
/// results were correct.
///
/// # Errors
/// [`Error::Usage`] if a launcher's variables are inconsistent or NCCL is missing; errors of the ranks.
pub fn run(options: &Options) -> Result<bool, Error> {
    let get = |name: &str| std::env::var(name).ok();
    if get(PROBE).is_some() {
        return probe(options);
    }
    if let Some(place) = Place::from_prepared(get)? {
        return job::run(options, &place);
    }
    match Place::from_launcher(get)? {
        Some(place) => Err(again(&place, options)?),
        None => parent::run(options),
    }
}

/// Executes this program again with the environment of a rank; returns only on failure.
fn again(place: &Place, options: &Options) -> Result<Error, Error> {
    let is_emulated = matches!(choose(options.device)?, Driver::Emulator { .. });
    let mut command = std::process::Command::new(program()?);
    command.args(std::env::args_os().skip(1)).envs(nccl::environment(is_emulated)?).envs(place.environment());
    #[cfg(unix)]
    {
        let error = std::os::unix::process::CommandExt::exec(&mut command);
        Ok(Error::Open(format!("cannot execute this program again: {error}")))
    }
    #[cfg(not(unix))]
    Ok(Error::Open("launchers are supported only on Linux; start the program without one".into()))
}

/// Prints the number of GPUs, or 0 for the emulator.
fn probe(options: &Options) -> Result<bool, Error> {
    let count = match choose(options.device)? {
        Driver::Emulator { .. } => 0,
        Driver::Cuda { .. } => cudarc::driver::CudaContext::device_count().unwrap_or(0),
    };
    println!("{count}");
    Ok(true)
}

/// Returns `rank 2: ` in ranks other than the first, as a prefix of messages.
#[must_use]
pub fn prefix() -> String {
    let place = Place::from_prepared(|name| std::env::var(name).ok()).ok().flatten();
    place.filter(|place| place.rank > 0).map_or(String::new(), |place| format!("rank {}: ", place.rank))
}
