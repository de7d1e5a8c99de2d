//! How ranks come to be: this program starts them itself, or torchrun, mpirun or srun does.
//!
//! A rank needs environment variables that must be there when its process begins: the folder with NCCL for the loader, and
//! where ranks meet. So the parent gives them to its children, and a rank that a launcher has started executes this program
//! once more in its own place.

pub mod parent;
pub mod plan;

use crate::options::Options;
use crate::process::place::Place;
use crate::process::{nccl, program};
use common::Error;
use common::device::{Driver, choose};

/// What this process is to do.
#[derive(Debug)]
pub enum Role {
    /// Start ranks, and end when they do.
    Parent,
    /// Say which devices there are: a parent loads no driver.
    Probe,
    /// Be a rank.
    Rank(Place),
}

/// The variable by which the parent asks a child for [`Role::Probe`].
const PROBE: &str = "COALESCED_PROBE";

/// What this process is to do, from its environment.
///
/// # Errors
/// [`Error::Usage`], when a launcher's variables make no sense or NCCL is missing.
pub fn role(options: &Options) -> Result<Role, Error> {
    let get = |name: &str| std::env::var(name).ok();
    if get(PROBE).is_some() {
        return Ok(Role::Probe);
    }
    if let Some(place) = Place::prepared(get)? {
        return Ok(Role::Rank(place));
    }
    match Place::of_launcher(get)? {
        Some(place) => Err(again(&place, options)?),
        None => Ok(Role::Parent),
    }
}

/// Executes this program again in the environment of a rank; comes back only with an error.
fn again(place: &Place, options: &Options) -> Result<Error, Error> {
    let is_emulated = matches!(choose(options.device)?, Driver::Emulator { .. });
    let mut command = std::process::Command::new(program()?);
    command
        .args(std::env::args_os().skip(1))
        .envs(nccl::environment(is_emulated)?)
        .envs(nccl::address(&place.root))
        .envs(place.environment());
    #[cfg(unix)]
    {
        let error = std::os::unix::process::CommandExt::exec(&mut command);
        Ok(Error::Open(format!("cannot execute this program again: {error}")))
    }
    #[cfg(not(unix))]
    Ok(Error::Open("launchers are for Linux; let the program start its ranks itself".into()))
}

/// Prints the number of GPUs, or 0 for the emulator.
///
/// # Errors
/// [`Error::Open`].
pub fn probe(options: &Options) -> Result<bool, Error> {
    let count = match choose(options.device)? {
        Driver::Emulator { .. } => 0,
        Driver::Cuda { .. } => cudarc::driver::CudaContext::device_count().unwrap_or(0),
    };
    println!("{count}");
    Ok(true)
}

/// `rank 2: ` in a rank but the first, so that messages say who speaks.
#[must_use]
pub fn prefix() -> String {
    let place = Place::prepared(|name| std::env::var(name).ok()).ok().flatten();
    place.filter(|place| place.rank > 0).map_or(String::new(), |place| format!("rank {}: ", place.rank))
}
