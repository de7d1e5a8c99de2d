//! What a process that compiles and runs a learner's kernel may take, and its end with that of all that it has started.
//!
//! Unix has limits that a child inherits, and groups of processes that one signal reaches. Windows has jobs, which do both:
//! the process puts itself into one, its children are in it from their start, and the system ends them when the last
//! handle of the job is closed, which is the process's own.

use std::process::{Child, Command};

/// Holds this process, and those that it will start, to that time of a processor and that memory, in bytes, each. A
/// system that refuses a limit goes without it.
pub fn hold(seconds: u64, memory: Option<u64>) {
    system::hold(CPU_SECONDS_PER_SECOND * seconds, memory);
}

/// The cores that a kernel may keep busy for all of its time.
const CPU_SECONDS_PER_SECOND: u64 = 4;

/// Lets [`stop`] find what the process will start.
pub fn keep_together(command: &mut Command) {
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    // The process's job does it.
    #[cfg(not(unix))]
    let _ = command;
}

/// Ends the process and those that it has started, whether they run or not.
pub fn stop(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // It fails where all have ended.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
    let _ = child.wait();
}

#[cfg(unix)]
mod system {
    use rustix::process::{Resource, Rlimit, setrlimit};

    /// The largest file that the process may write, in bytes: a compiler's.
    const FILE_BYTES: u64 = 256 << 20;

    pub fn hold(cpu_seconds: u64, memory: Option<u64>) {
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

    /// A job counts time in 100 ns.
    const TICKS_PER_SECOND: u64 = 10_000_000;

    pub fn hold(cpu_seconds: u64, memory: Option<u64>) {
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        let basic = &mut limits.BasicLimitInformation;
        basic.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_PROCESS_TIME;
        basic.PerProcessUserTimeLimit = i64::try_from(TICKS_PER_SECOND * cpu_seconds).unwrap_or(i64::MAX);
        if let Some(bytes) = memory {
            basic.LimitFlags |= JOB_OBJECT_LIMIT_PROCESS_MEMORY;
            limits.ProcessMemoryLimit = usize::try_from(bytes).unwrap_or(usize::MAX);
        }
        // SAFETY: neither attributes nor a name are given, which null says.
        let job = unsafe { CreateJobObjectW(null(), null()) };
        if job.is_null() {
            return;
        }
        // SAFETY: `job` is a job, never closed before the process ends, and the structure is the one that this class of
        // information is.
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Read};
    use std::process::Stdio;
    use std::time::Duration;

    /// Says to this program, started by a test once more, which of the test's processes it is.
    const PART: &str = "COALESCED_TEST_PART";

    /// This program once more, as another process of the same test.
    fn again(test: &str, part: &str) -> Command {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", &format!("worker::limits::tests::{test}"), "--nocapture"]);
        command.env(PART, part).stdin(Stdio::null());
        command
    }

    #[test]
    fn what_a_stopped_process_has_started_is_stopped_too() {
        let again = |part| again("what_a_stopped_process_has_started_is_stopped_too", part);
        match std::env::var(PART).as_deref() {
            Ok("process") => {
                hold(100, None);
                again("started by it").status().unwrap();
            }
            Ok(_) => {
                println!("is running");
                std::thread::sleep(Duration::from_secs(20));
                println!("outlived it");
            }
            Err(_) => {
                let mut process = again("process");
                keep_together(process.stdout(Stdio::piped()));
                let mut process = process.spawn().unwrap();
                let mut lines = BufReader::new(process.stdout.take().unwrap());
                let mut line = String::new();
                while !line.contains("is running") {
                    line.clear();
                    assert!(lines.read_line(&mut line).unwrap() > 0, "it ended before it was stopped");
                }
                stop(&mut process);
                let mut rest = String::new();
                lines.read_to_string(&mut rest).unwrap();
                assert!(!rest.contains("outlived it"), "{rest}");
            }
        }
    }

    #[test]
    fn memory_beyond_the_limit_is_refused() {
        const TEST: &str = "memory_beyond_the_limit_is_refused";
        if std::env::var_os(PART).is_some() {
            hold(100, Some(1 << 30));
            let refused = Vec::<u8>::new().try_reserve_exact(2 << 30).is_err();
            println!("{}", if refused { "refused" } else { "given" });
            return;
        }
        if cfg!(windows) && std::env::var_os("WINEPREFIX").is_some() {
            eprintln!("not tested: Wine accepts a job's limit of memory and does not hold it");
            return;
        }
        let output = again(TEST, "process").output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(said.lines().any(|line| line.ends_with("refused")), "{said}");
    }
}
