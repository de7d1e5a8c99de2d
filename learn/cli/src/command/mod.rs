//! The command line of `cargo learn`.

mod check;
mod grade;
mod start;
mod test;
mod trial;

use crate::actions::{hint, reset, rows, solution};
use crate::learner::{Folder, own_set};
use crate::output::say;
use crate::worker::Worker;
use crate::worker::confinement::Resources;
use crate::{doctor, fetch, watch, worker};
use clap::builder::ValueParser;
use clap::{Arg, Args, Subcommand};
use cuda_cpp::Choice;
use judge::Error;
use judge::kernel_file::Language;
use judge::set::Set;
use std::path::{Path, PathBuf};

/// The repository's folder of exercises.
const SET: &str = "exercises";

/// The learner's folder if none is named. Git ignores it.
const USUAL: &str = "my-exercises";

/// The options of `cargo learn`.
#[derive(Args, Debug)]
pub struct Learn {
    /// The folder with your files [default: the current one or one of its parents, or else the one that you started last]
    #[arg(long, global = true, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The folder with the exercises' cards and kernels [default: the one that your folder was started with, or exercises]
    #[arg(long, global = true, value_name = "FOLDER")]
    set: Option<PathBuf>,
    /// The compiler for kernels in CUDA C++ [default: NVRTC, or clang if there is no NVRTC]
    #[arg(long, global = true, value_enum, value_name = "NAME")]
    compiler: Option<Choice>,
    /// Do not time kernels that pass on this machine's GPU; the time does not affect the verdict
    #[arg(long, global = true)]
    no_gpu: bool,
    /// The time limit for a file, from its compilation to its verdict
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3600))]
    time_limit: u64,
    /// The memory limit for a file
    #[arg(long, global = true, value_name = "GIB", default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..=1024))]
    memory_limit: u64,
    #[command(subcommand)]
    command: Option<Command>,
}

impl Learn {
    /// Returns the exit status of an error, which differs from that of an exercise that is not solved.
    #[must_use]
    pub fn error_status(&self) -> u8 {
        match self.command {
            Some(
                Command::Doctor { exercises: false, .. }
                | Command::Nvrtc { .. }
                | Command::Clang
                | Command::Headers { .. }
                | Command::Ptxas,
            ) => 1,
            _ => 2,
        }
    }
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Copy the exercises to your folder, in the language that you choose
    ///
    /// Existing files are never overwritten. Run it again with the other language to add its files.
    Start {
        /// The language of your kernels. rust needs rustc 1.95 or newer with its source and LLVM's tools: `rustup component
        /// add rust-src llvm-tools`, or Debian's packages rustc-web, rust-web-src and llvm-22. cuda needs
        /// NVRTC, which `cargo learn nvrtc` fetches, or clang, which `cargo learn clang` fetches
        #[arg(long, value_enum)]
        language: Language,
        /// A new folder [default: my-exercises]
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Check each save, as without a command, starting with an exercise
    Watch {
        /// Its name, or a unique beginning of it, such as 12 for 12_guard [default: the first that is not solved]
        name: Option<String>,
    },
    /// List the exercises and your progress
    List,
    /// Check exercises once, or with --kernel any kernel; exit status 0 if all of them are solved, or the kernel is clean
    Check {
        /// Their names, or unique beginnings of them, such as 12 for 12_guard. An ending, .cu or .rs, chooses the file in that
        /// language
        #[arg(value_name = "NAME", required_unless_present = "all")]
        names: Vec<String>,
        /// Check all exercises
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// Print the verdicts as JSON
        #[arg(long)]
        json: bool,
        /// Judge again what has passed, also with other sizes and inputs, chosen by this number, as grade does
        #[arg(long, value_name = "NUMBER")]
        seed: Option<u64>,
    },
    /// Show the next hint for an exercise, and the hints before it
    Hint {
        /// Its name
        name: String,
    },
    /// Show the solution of an exercise that you have solved
    Solution {
        /// Its name
        name: String,
        /// Show it even if the exercise is not solved, and record that
        #[arg(long)]
        now: bool,
    },
    /// Start an exercise over; your file is kept as NAME.before-1, NAME.before-2, …
    Reset {
        /// Its name
        name: String,
    },
    /// Check what many learners handed in, in folders or zip archives, and print a table
    ///
    /// All files are run, whatever progress.toml contains; only hints and revealed solutions are read from it, if it is there
    /// and not damaged. Kernels must also pass with sizes and inputs that learners have not seen. Refused are symbolic links,
    /// files that read other files, and files that differ from the skeleton outside of the marked lines. Exit status 0 if all
    /// learners have solved everything.
    #[command(arg = unlisted_folder(), after_help = grade::EXAMPLES)]
    Grade(grade::Options),
    /// Check a set of exercises: skeletons and wrong answers fail as they say, and solutions pass
    #[command(arg = unlisted_folder())]
    Test {
        /// The exercises' names, or unique beginnings of them [default: all]
        #[arg(value_name = "NAME")]
        names: Vec<String>,
    },
    /// Report what is installed, which of the README's commands work here, and how to make the others work
    ///
    /// Builds the first stage and runs it at a small size. Exit status: 0 if `cargo run -p stage01-naive` and `cargo test
    /// --workspace` work.
    Doctor {
        /// Print the report as JSON
        #[arg(long)]
        json: bool,
        /// Try the exercises instead: the compilers, the emulator and your folder, with the solution of the first exercise.
        /// Exit status: 0 if a language works and the folder can be written
        #[arg(long, conflicts_with = "json")]
        exercises: bool,
    },
    /// Download NVRTC, NVIDIA's compiler library for CUDA C++, which compiles edited kernels
    ///
    /// Downloads the pinned wheel (24 MB) by pip or uv, verifies its SHA-256, and keeps it in ~/.cache/coalesced/nvrtc (or in
    /// XDG_CACHE_HOME), where the stages, `cargo x ptx` and `cargo learn check` of every checkout find it. Does nothing if it is
    /// there already. Needs Linux on x86-64 or aarch64, or Windows on x86-64, and no GPU.
    Nvrtc {
        /// Also download the oldest and newest releases of CUDA 12 and 13 (260 MB), and compile and run a kernel with each
        #[arg(long)]
        every_release: bool,
    },
    /// Download clang, which compiles kernels in CUDA C++ where there is no NVRTC
    ///
    /// Downloads a pinned Python wheel (100 MB) by pip or uv, verifies its SHA-256, and keeps the one program in it that
    /// contains clang (190 MB) in ~/.cache/coalesced/clang (or in XDG_CACHE_HOME), where the stages, `cargo learn check` and
    /// `cargo learn` of every checkout find it. Does nothing if it is there already. Serves Linux, macOS 13 and newer, and
    /// Windows, on x86-64 and aarch64; needs neither a GPU nor the CUDA toolkit. An installed clang 18 or newer with LLVM's
    /// target nvptx64 does as well.
    Clang,
    /// Download the CUDA toolkit's headers (24 MB) for `cargo learn check`: cooperative groups, halves, mma.h, CUB
    ///
    /// They are kept in the user's cache, as the compilers are. An installed toolkit is found without them.
    Headers {
        /// Download the headers of cuRAND too (56 MB): curand_kernel.h
        #[arg(long)]
        curand: bool,
    },
    /// Download ptxas and nvdisasm (44 MB), by which the times of edited kernels are estimated from their machine code
    ///
    /// Needs Linux on x86-64 or aarch64, or Windows on x86-64, and no GPU.
    Ptxas,
    /// Judge a file in this process
    #[command(hide = true)]
    Judge {
        #[arg(long)]
        seed: Option<u64>,
        #[arg(long, value_parser = language)]
        language: Language,
        exercise: PathBuf,
        file: PathBuf,
    },
    /// Time a judged file on a GPU in this process
    #[command(hide = true)]
    Time {
        #[arg(long, value_parser = language)]
        language: Language,
        exercise: PathBuf,
        file: PathBuf,
    },
}

/// Returns `--folder` for the commands that do not use it. It is not in their help, and [`run`] refuses it.
fn unlisted_folder() -> Arg {
    Arg::new("folder").long("folder").hide(true).value_parser(ValueParser::path_buf())
}

/// Refuses `--folder` for a command that does not use it.
fn require_used_folder(learn: &Learn) -> Result<(), Error> {
    let advice = match (&learn.folder, &learn.command) {
        (Some(folder), Some(Command::Grade(_))) => {
            format!("name the learners' folders without it: cargo learn grade {}", folder.display())
        }
        (Some(_), Some(Command::Test { .. })) => "--set names the folder of a set".into(),
        _ => return Ok(()),
    };
    Err(Error::Usage(format!("--folder is your own folder, which this command does not use; {advice}")))
}

/// Returns the language with a file name extension.
fn language(extension: &str) -> Result<Language, String> {
    Language::from_file(&Path::new("file").with_extension(extension))
        .ok_or_else(|| "the languages are cu and rs".into())
}

/// Loads the set that is named, or that the learner's folder was begun with. Returns whether it is not the repository's.
fn set(learn: &Learn, root: &Path, usual: &Path) -> Result<(Set, bool), Error> {
    if let Some(folder) = &learn.set {
        return Ok((Set::load(folder)?, true));
    }
    let repositorys = Set::load(&root.join(SET))?;
    let own = match &learn.command {
        // What a learner hands in does not choose the set.
        Some(Command::Grade(_) | Command::Test { .. }) => None,
        Some(Command::Start { folder, .. }) => {
            let named = folder.as_deref().or(learn.folder.as_deref());
            own_set(Some(named.unwrap_or(usual)), usual, &repositorys)
        }
        _ => own_set(learn.folder.as_deref(), usual, &repositorys),
    };
    let Some(own) = own else { return Ok((repositorys, false)) };
    let set = Set::load(&own).map_err(|error| {
        Error::Usage(format!(
            "{error}\nYour progress.toml names this set; `--set FOLDER` names the folder where it is now"
        ))
    });
    Ok((set?, true))
}

/// Runs a command. `root` is the root of the repository. Returns whether it succeeded, which for `check` and `grade` means that
/// all exercises are solved.
///
/// # Errors
/// [`Error`], with advice if there is any.
pub fn run(learn: &Learn, root: &Path) -> anyhow::Result<bool> {
    match &learn.command {
        Some(Command::Doctor { json, exercises: false }) => return doctor::run(root, *json),
        Some(Command::Nvrtc { every_release }) => return fetch::nvrtc(*every_release).map(|()| true),
        Some(Command::Clang) => return fetch::clang().map(|()| true),
        Some(Command::Headers { curand }) => return fetch::headers(*curand).map(|()| true),
        Some(Command::Ptxas) => return fetch::ptxas().map(|()| true),
        _ => {}
    }
    Ok(run_exercises(learn, root)?)
}

/// Runs a command on exercises.
fn run_exercises(learn: &Learn, root: &Path) -> Result<bool, Error> {
    require_used_folder(learn)?;
    let resources = Resources { seconds: learn.time_limit, gib: learn.memory_limit };
    match &learn.command {
        Some(Command::Judge { seed, language, exercise, file }) => {
            return worker::judge(exercise, *language, learn.compiler, file, *seed, resources).map(|()| true);
        }
        Some(Command::Time { language, exercise, file }) => {
            return worker::time(exercise, *language, file, resources).map(|()| true);
        }
        _ => {}
    }
    let worker = Worker { resources, times_on_gpu: !learn.no_gpu, compiler: learn.compiler, seed: None };
    let usual = root.join(USUAL);
    let (set, is_own) = set(learn, root, &usual)?;
    match &learn.command {
        Some(Command::Start { language, folder }) => {
            let named = folder.as_ref().or(learn.folder.as_ref());
            if let (Some(set), None) = (&learn.set, named) {
                return Err(Error::Usage(format!(
                    "name a folder for the exercises of this set: cargo learn start --set {} --language {} FOLDER",
                    set.display(),
                    language.word()
                )));
            }
            return start::run(named.unwrap_or(&usual), named.is_none(), (&set, is_own), *language, learn.compiler)
                .map(|()| true);
        }
        Some(Command::Grade(options)) => {
            let seed = options.seed.unwrap_or_else(grade::seed_of_clock);
            return grade::run(&Worker { times_on_gpu: false, seed: Some(seed), ..worker }, set, options);
        }
        Some(Command::Test { names }) => return test::run(&Worker { times_on_gpu: false, ..worker }, &set, names),
        Some(Command::Doctor { .. }) => {
            let folder = Folder::found_or_usual(learn.folder.as_deref(), &usual, &set);
            return trial::run(&worker, &set, &folder);
        }
        _ => {}
    }
    let folder = Folder::find(learn.folder.as_deref(), &usual, &set)?;
    match &learn.command {
        None => watch::run(&worker, &folder, &set, None)?,
        Some(Command::Watch { name }) => watch::run(&worker, &folder, &set, name.as_deref())?,
        Some(Command::List) => say(&rows(&folder, &set, folder.progress()?.language(), None)?.join("\n")),
        Some(Command::Check { names, json, seed, .. }) => {
            return check::run(&Worker { seed: *seed, ..worker }, &folder, &set, names, *json);
        }
        Some(Command::Hint { name }) => {
            let (exercise, language) = folder.find_file(&set, name)?;
            say(hint(&folder, exercise, language)?.trim_end());
        }
        Some(Command::Solution { name, now }) => {
            let (exercise, language) = folder.find_file(&set, name)?;
            say(solution(&folder, exercise, language, *now)?.trim_end());
        }
        Some(Command::Reset { name }) => {
            let (exercise, language) = folder.find_file(&set, name)?;
            say(&reset(&folder, exercise, language)?);
        }
        Some(_) => {}
    }
    Ok(true)
}
