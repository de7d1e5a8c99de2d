//! The place of a process among the ranks, read from its environment.

use common::Error;

/// A rank's place among the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The rank, from 0.
    pub rank: usize,
    /// The number of ranks.
    pub world: usize,
    /// The rank on its machine, which is the number of its GPU.
    pub local_rank: usize,
    /// The number of ranks on each machine.
    pub local_world: usize,
    /// The meeting point, `host:port`: NCCL_COMM_ID on rank 0's machine.
    pub root: String,
}

/// The environment variable with the numbers of a prepared rank.
const PREPARED: &str = "COALESCED_RANK";

/// The environment variable with NCCL's meeting point.
pub const MEETING: &str = "NCCL_COMM_ID";

/// A launcher's variables for rank, world size, local rank, and local world size.
struct Launcher {
    name: &'static str,
    /// The variable that identifies the launcher.
    mark: &'static str,
    rank: &'static str,
    world: &'static str,
    local_rank: &'static str,
    local_world: &'static str,
}

const LAUNCHERS: [Launcher; 4] = [
    Launcher {
        name: "torchrun",
        mark: "TORCHELASTIC_RUN_ID",
        rank: "RANK",
        world: "WORLD_SIZE",
        local_rank: "LOCAL_RANK",
        local_world: "LOCAL_WORLD_SIZE",
    },
    Launcher {
        name: "Open MPI's mpirun",
        mark: "OMPI_COMM_WORLD_RANK",
        rank: "OMPI_COMM_WORLD_RANK",
        world: "OMPI_COMM_WORLD_SIZE",
        local_rank: "OMPI_COMM_WORLD_LOCAL_RANK",
        local_world: "OMPI_COMM_WORLD_LOCAL_SIZE",
    },
    // Precedes Hydra, whose variables srun also sets through its PMI-1.
    Launcher {
        name: "srun",
        // Set only for the tasks of a step, not for the batch script.
        mark: "SLURM_STEP_ID",
        rank: "SLURM_PROCID",
        world: "SLURM_STEP_NUM_TASKS",
        local_rank: "SLURM_LOCALID",
        local_world: "SLURM_STEP_TASKS_PER_NODE",
    },
    Launcher {
        name: "MPICH's mpirun",
        mark: "PMI_RANK",
        rank: "PMI_RANK",
        world: "PMI_SIZE",
        local_rank: "MPI_LOCALRANKID",
        local_world: "MPI_LOCALNRANKS",
    },
];

impl Place {
    /// Returns the place of a rank whose environment has been prepared; `None` in other processes.
    ///
    /// # Errors
    /// [`Error::Usage`] if the variable does not have this program's format.
    pub fn from_prepared(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Error> {
        let Some(text) = get(PREPARED) else { return Ok(None) };
        let numbers: Vec<usize> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [rank, world, local_rank, local_world] = numbers[..] else {
            return Err(Error::Usage(format!(
                "{PREPARED}={text}: this variable is reserved for the program; unset it"
            )));
        };
        let root = get(MEETING).unwrap_or_default();
        Ok(Some(Self { rank, world, local_rank, local_world, root }))
    }

    /// Returns the place that a launcher has assigned to this process; `None` if there is no launcher.
    ///
    /// # Errors
    /// [`Error::Usage`], naming the variable that is missing or wrong.
    pub fn from_launcher(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Error> {
        let plain = Launcher { mark: "WORLD_SIZE", ..LAUNCHERS[0] };
        let known = LAUNCHERS.iter().chain([&plain]);
        let Some(launcher) = known.into_iter().find(|launcher| get(launcher.mark).is_some()) else { return Ok(None) };
        let number = |name: &str| -> Result<usize, Error> {
            let text = get(name).ok_or_else(|| wrong(launcher, name, "is not set"))?;
            // Slurm writes 4(x2) for two machines with 4 each.
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().map_err(|_| wrong(launcher, name, &format!("is {text}, which is not a number")))
        };
        let rank = number(launcher.rank)?;
        let world = number(launcher.world)?;
        let local_rank = number(launcher.local_rank)?;
        let local_world = number(launcher.local_world).unwrap_or(world);
        if rank >= world {
            return Err(wrong(launcher, launcher.rank, &format!("is {rank}, but there are {world} ranks")));
        }
        let root = root(launcher, &get, local_world < world)?;
        Ok(Some(Self { rank, world, local_rank, local_world, root }))
    }

    /// Returns the variables that [`Place::from_prepared`] reads.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, String); 2] {
        let Self { rank, world, local_rank, local_world, root } = self;
        [(PREPARED, format!("{rank} {world} {local_rank} {local_world}")), (MEETING, root.clone())]
    }
}

fn wrong(launcher: &Launcher, variable: &str, what: &str) -> Error {
    Error::Usage(format!("started by {}, but its variable {variable} {what}", launcher.name))
}

/// Ports for meeting points: below the ephemeral ports of systems.
const FIRST_PORT: u32 = 20_000;
const PORTS: u32 = 10_000;

/// Returns the meeting point of a launcher's ranks.
fn root(launcher: &Launcher, get: &impl Fn(&str) -> Option<String>, is_spread: bool) -> Result<String, Error> {
    if let Some(root) = get(MEETING) {
        return Ok(root);
    }
    let seeded = |seed: u32| FIRST_PORT + seed % PORTS;
    if let (Some(address), Some(port)) = (get("MASTER_ADDR"), get("MASTER_PORT")) {
        let port: u16 = port.parse().map_err(|_| wrong(launcher, "MASTER_PORT", "is not a port"))?;
        // torchrun's agent itself listens at MASTER_PORT.
        return Ok(format!("{address}:{}", port.checked_add(1).unwrap_or(port - 1)));
    }
    if let Some(nodes) = get("SLURM_STEP_NODELIST").or_else(|| get("SLURM_NODELIST")) {
        let number = |name: &str| get(name).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
        let seed = number("SLURM_JOB_ID").wrapping_mul(31).wrapping_add(number("SLURM_STEP_ID"));
        return Ok(format!("{}:{}", first_node(&nodes), seeded(seed)));
    }
    if is_spread {
        let advice = "is not set, but there are several machines: set it to HOST:PORT on the machine of rank 0";
        return Err(wrong(launcher, MEETING, advice));
    }
    // The ranks of one machine have the same parent, which no other job has.
    Ok(format!("127.0.0.1:{}", seeded(parent_id())))
}

#[cfg(unix)]
fn parent_id() -> u32 {
    std::os::unix::process::parent_id()
}

#[cfg(not(unix))]
fn parent_id() -> u32 {
    0
}

/// Returns the first name of a Slurm node list: `gpu03` for `gpu[03-05,9],cpu1`.
fn first_node(list: &str) -> String {
    let Some((stem, rest)) = list.split_once('[').filter(|(stem, _)| !stem.contains(',')) else {
        return list.split(',').next().unwrap_or_default().to_owned();
    };
    let (numbers, tail) = rest.split_once(']').unwrap_or((rest, ""));
    let first = numbers.split([',', '-']).next().unwrap_or_default();
    format!("{stem}{first}{}", tail.split(',').next().unwrap_or_default())
}

#[cfg(test)]
mod tests;
