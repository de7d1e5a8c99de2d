//! Which of the ranks a process is, from the environment that started it.

use common::Error;

/// A rank's place among the others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Which rank, from 0.
    pub rank: usize,
    /// How many there are.
    pub world: usize,
    /// Which of those on its machine: the number of its GPU.
    pub local_rank: usize,
    /// How many there are on each machine.
    pub local_world: usize,
    /// Where ranks meet, `host:port`: NCCL_COMM_ID of rank 0's machine.
    pub root: String,
}

/// The variable in which a prepared rank finds its numbers.
const PREPARED: &str = "COALESCED_RANK";

/// The variable by which NCCL's ranks meet.
pub const MEETING: &str = "NCCL_COMM_ID";

/// A launcher's names for rank, world, rank on the machine, and ranks of the machine.
struct Launcher {
    name: &'static str,
    /// Without this variable it is not this launcher.
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
    // Before Hydra, whose variables srun sets too with its PMI-1.
    Launcher {
        name: "srun",
        // Set for the tasks of a step alone, not for the batch script.
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
    /// The place of a rank whose environment is ready; `None` in a process that is none yet.
    ///
    /// # Errors
    /// [`Error::Usage`], when the variable is not what this program writes.
    pub fn prepared(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Error> {
        let Some(text) = get(PREPARED) else { return Ok(None) };
        let numbers: Vec<usize> = text.split(' ').filter_map(|word| word.parse().ok()).collect();
        let [rank, world, local_rank, local_world] = numbers[..] else {
            return Err(Error::Usage(format!("{PREPARED}={text}: this variable is the program's own; unset it")));
        };
        let root = get(MEETING).unwrap_or_default();
        Ok(Some(Self { rank, world, local_rank, local_world, root }))
    }

    /// The place that a launcher gives this process; `None` where none has started it.
    ///
    /// # Errors
    /// [`Error::Usage`], naming the variable that is missing or wrong.
    pub fn of_launcher(get: impl Fn(&str) -> Option<String>) -> Result<Option<Self>, Error> {
        let plain = Launcher { mark: "WORLD_SIZE", ..LAUNCHERS[0] };
        let known = LAUNCHERS.iter().chain([&plain]);
        let Some(launcher) = known.into_iter().find(|launcher| get(launcher.mark).is_some()) else { return Ok(None) };
        let number = |name: &str| -> Result<usize, Error> {
            let text = get(name).ok_or_else(|| wrong(launcher, name, "is not set"))?;
            // Slurm writes 4(x2) for two machines with 4 each.
            let digits: String = text.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().map_err(|_| wrong(launcher, name, &format!("is {text}, which is no number")))
        };
        let (rank, world, local_rank) = (number(launcher.rank)?, number(launcher.world)?, number(launcher.local_rank)?);
        let local_world = number(launcher.local_world).unwrap_or(world);
        if rank >= world {
            return Err(wrong(launcher, launcher.rank, &format!("is {rank}, and there are {world} ranks")));
        }
        let root = root(launcher, &get, local_world < world)?;
        Ok(Some(Self { rank, world, local_rank, local_world, root }))
    }

    /// The variables from which [`Place::prepared`] reads it.
    #[must_use]
    pub fn environment(&self) -> [(&'static str, String); 2] {
        let Self { rank, world, local_rank, local_world, root } = self;
        [(PREPARED, format!("{rank} {world} {local_rank} {local_world}")), (MEETING, root.clone())]
    }
}

fn wrong(launcher: &Launcher, variable: &str, what: &str) -> Error {
    Error::Usage(format!("started by {}, but its variable {variable} {what}", launcher.name))
}

/// Ports of our own choice: below those that systems give out by themselves.
const FIRST_PORT: u32 = 20_000;
const PORTS: u32 = 10_000;

/// Where the ranks of a launcher meet.
fn root(launcher: &Launcher, get: &impl Fn(&str) -> Option<String>, is_spread: bool) -> Result<String, Error> {
    if let Some(root) = get(MEETING) {
        return Ok(root);
    }
    let seeded = |seed: u32| FIRST_PORT + seed % PORTS;
    if let (Some(address), Some(port)) = (get("MASTER_ADDR"), get("MASTER_PORT")) {
        let port: u16 = port.parse().map_err(|_| wrong(launcher, "MASTER_PORT", "is no port"))?;
        // The agent of torchrun listens at MASTER_PORT itself.
        return Ok(format!("{address}:{}", port.checked_add(1).unwrap_or(port - 1)));
    }
    if let Some(nodes) = get("SLURM_STEP_NODELIST").or_else(|| get("SLURM_NODELIST")) {
        let number = |name: &str| get(name).and_then(|text| text.parse::<u32>().ok()).unwrap_or(0);
        let seed = number("SLURM_JOB_ID").wrapping_mul(31).wrapping_add(number("SLURM_STEP_ID"));
        return Ok(format!("{}:{}", first_node(&nodes), seeded(seed)));
    }
    if is_spread {
        let advice = "is not set, and there are several machines: give it as HOST:PORT, with the machine of rank 0";
        return Err(wrong(launcher, MEETING, advice));
    }
    // The ranks of one machine have the same parent, and no other job has it.
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

/// The first name of a list of Slurm's: `gpu[03-05,9],cpu1` begins with `gpu03`.
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
