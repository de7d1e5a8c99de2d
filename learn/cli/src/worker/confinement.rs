//! Resource limits for a process that compiles and runs a learner's kernel, and a way to stop it with all its descendants.
//!
//! Unix has limits that child processes inherit, and process groups that a single signal reaches. Windows has job objects
//! for both: the process assigns itself to a job, its children belong to it from their start, and the system ends all of
//! them when the job's last handle, which the process itself holds, is closed.

use std::process::{Child, Command};

/// The resources that a process may use.
#[derive(Clone, Copy, Debug)]
pub struct Resources {
    /// The time from start to end, in seconds.
    pub seconds: u64,
    /// The address space, in GiB; rustc reserves more than it uses.
    pub gib: u64,
}

/// The number of cores that a process may keep busy for all of its time.
const CORES: u64 = 4;

/// Limits the processor time, on four cores in seconds, and the memory, in bytes, of this process and of each process
/// that it will start. A limit that the system refuses is not set.
pub fn confine(seconds: u64, memory: Option<u64>) {
    system::confine(CORES * seconds, memory);
}

/// Lets [`stop_group`] find the processes that the command will start.
pub fn new_group(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    // On Windows, the process's job does this.
    #[cfg(not(unix))]
    let _ = command;
}

/// Stops a process that [`new_group`] was called for, and all processes that it has started.
pub fn stop_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // This fails if all have ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
mod system {
    use rustix::process::{Resource, Rlimit, setrlimit};

    /// The largest file that the process, such as a compiler, may write, in bytes.
    const FILE_BYTES: u64 = 256 << 20;

    pub fn confine(cpu_seconds: u64, memory: Option<u64>) {
        let limits = [
            (Resource::As, memory),
            (Resource::Fsize, Some(FILE_BYTES)),
            (Resource::Core, Some(0)),
            (Resource::Cpu, Some(cpu_seconds)),
        ];
        for (resource, most) in limits {
            if let Some(most) = most {
                let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
            }
        }
    }
}

#[cfg(windows)]
mod system {
    use std::ptr::null;
    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOB_OBJECT_LIMIT_PROCESS_TIME, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
        JobObjectExtendedLimitInformation, SetInformationJobObject,
    };
    use windows_sys::Win32::System::Threading::GetCurrentProcess;

    /// Jobs count time in units of 100 ns.
    const TICKS_PER_SECOND: u64 = 10_000_000;

    pub fn confine(cpu_seconds: u64, memory: Option<u64>) {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        let basic = &mut limits.BasicLimitInformation;
        basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_PROCESS_TIME;
        basic.PerProcessUserTimeLimit = i64::try_from(TICKS_PER_SECOND * cpu_seconds).unwrap_or(i64::MAX);
        if let Some(bytes) = memory {
            basic.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
            limits.ProcessMemoryLimit = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        // SAFETY: null stands for default attributes and for no name.
        let job = unsafe { CreateJobObjectW(null(), null()) };
        if job.is_null() {
            return;
        }
        // SAFETY: `job` is a job that stays open until the process ends, and the structure is the one for this class of
        // information, with its size.
        unsafe {
            SetInformationJobObject(
                job,
                JobObjectExtendedLimitInformation,
                (&raw const limits).cast(),
                size_of_val(&limits) as u32,
            );
            AssignProcessToJobObject(job, GetCurrentProcess());
        }
    }
}
