//! What is typed after `cargo x learn`.

mod check;
mod doctor;
mod grade;
mod list;
mod start;
mod texts;

pub(crate) use check::{judge_one, verdict_text};
pub(crate) use list::rows;
pub(crate) use texts::{diff, hint, reset, solution};

use crate::error::Error;
use crate::learner::Folder;
use crate::set::Set;
use crate::worker::Worker;
use crate::{watch, worker};
use clap::{Args, Subcommand};
use kernel_file::Language;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The folder of exercises in the repository.
const SET: &str = "exercises";

/// Where a learner's files are unless another folder is named; git ignores it.
const USUAL: &str = "my-exercises";

/// Options of `cargo x learn`.
#[derive(Args, Debug)]
pub struct Learn {
    /// The folder with your files [default: the current one or one around it, else the one that you began last]
    #[arg(long, global = true, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// The folder with the exercises' cards and kernels [default: exercises]
    #[arg(long, global = true, value_name = "FOLDER")]
    set: Option<PathBuf>,
    /// Do not time a kernel that passes on this machine's GPU. Nothing is judged by its time
    #[arg(long, global = true)]
    no_gpu: bool,
    /// Seconds that a file may take from its compiler to its verdict
    #[arg(long, global = true, value_name = "SECONDS", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=3600))]
    time_limit: u64,
    /// Memory that it may take
    #[arg(long, global = true, value_name = "GIB", default_value_t = 6, value_parser = clap::value_parser!(u64).range(1..=1024))]
    memory_limit: u64,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand, Debug)]
enum Command {
    /// Copy the exercises to your folder, in the language that you choose
    ///
    /// Nothing in it is ever overwritten. Again with the other language, it adds the files of that one.
    Start {
        /// What you write kernels in: rust needs rustup alone, cuda the NVRTC that `cargo x nvrtc` fetches
        #[arg(long, value_enum)]
        language: Language,
        /// A new folder [default: my-exercises]
        #[arg(value_name = "FOLDER")]
        folder: Option<PathBuf>,
    },
    /// Check each save, as without a command, from an exercise on
    Watch {
        /// Its name, or what only its name begins with [default: the first that is not solved]
        name: Option<String>,
    },
    /// Show the exercises, and what you have done
    List,
    /// Check exercises without watching; exit status 0 where all of them are solved
    Check {
        /// Their names, or what only theirs begin with: 11 for 11_guard
        #[arg(value_name = "NAME", required_unless_present = "all")]
        names: Vec<String>,
        /// All of them
        #[arg(long, conflicts_with = "names")]
        all: bool,
        /// Print the verdicts as JSON
        #[arg(long)]
        json: bool,
    },
    /// Show the next hint of an exercise, and those before it
    Hint {
        /// Its name
        name: String,
    },
    /// Show the solution of an exercise that you have solved
    Solution {
        /// Its name
        name: String,
        /// Before you have solved it; that is recorded
        #[arg(long)]
        now: bool,
    },
    /// Begin an exercise again; your file is kept beside it as NAME.before-1, NAME.before-2, …
    Reset {
        /// Its name
        name: String,
    },
    /// Check many learners' folders, and print one table
    ///
    /// All files are run, whatever a learner's progress.toml says; hints and revealed solutions are read from it. Exit status 0
    /// where everybody has solved everything.
    Grade {
        /// Folders that learners have worked in
        #[arg(value_name = "FOLDER", required = true)]
        folders: Vec<PathBuf>,
        /// Write a line of CSV for each exercise of each learner
        #[arg(long, value_name = "FILE")]
        csv: Option<PathBuf>,
        /// Print JSON instead of the table
        #[arg(long)]
        json: bool,
    },
    /// Say whether compilers, emulator and your folder work, by solving the first exercise with its solution
    Doctor,
    /// Judge a file in this process
    #[command(hide = true)]
    Judge {
        #[arg(long, value_parser = language)]
        language: Language,
        exercise: PathBuf,
        file: PathBuf,
    },
    /// Time what was judged, on a GPU
    #[command(hide = true)]
    Time {
        #[arg(long, value_parser = language)]
        language: Language,
        exercise: PathBuf,
        file: PathBuf,
    },
}

/// The language of an extension.
fn language(extension: &str) -> Result<Language, String> {
    Language::of(&Path::new("file").with_extension(extension)).ok_or_else(|| "cu or rs".into())
}

/// Does what is asked for; whether it ended well: for `check`, whether all is solved. `root` is that of the repository.
///
/// # Errors
/// [`Error`], which says what to do.
pub fn run(learn: &Learn, root: &Path) -> Result<bool, Error> {
    let times = !learn.no_gpu;
    let worker = Worker { seconds: learn.time_limit, gib: learn.memory_limit, times };
    match &learn.command {
        Some(Command::Judge { language, exercise, file }) => {
            return worker::run(exercise, *language, file, &worker).map(|()| true);
        }
        Some(Command::Time { language, exercise, file }) => {
            return worker::time(exercise, *language, file, &worker).map(|()| true);
        }
        _ => {}
    }
    let set = Set::load(&learn.set.clone().unwrap_or_else(|| root.join(SET)))?;
    let usual = root.join(USUAL);
    match &learn.command {
        Some(Command::Start { language, folder }) => {
            let named = folder.as_ref().or(learn.folder.as_ref());
            return start::run(named.unwrap_or(&usual), named.is_none(), &set, *language).map(|()| true);
        }
        Some(Command::Grade { folders, csv, json }) => {
            return grade::run(&Worker { times: false, ..worker }, folders, &set, csv.as_deref(), *json);
        }
        Some(Command::Doctor) => return doctor::run(&worker, &set, learn.folder.as_deref().unwrap_or(&usual)),
        _ => {}
    }
    let folder = Folder::find(learn.folder.as_deref(), &usual)?;
    match &learn.command {
        None => watch::run(&worker, &folder, &set, None).map(|()| true),
        Some(Command::Watch { name }) => watch::run(&worker, &folder, &set, name.as_deref()).map(|()| true),
        Some(Command::List) => list::run(&folder, &set).map(|()| true),
        Some(Command::Check { names, json, .. }) => check::run(&worker, &folder, &set, names, *json),
        Some(Command::Hint { name }) => texts::print(&hint(&folder, set.find(name)?)?),
        Some(Command::Solution { name, now }) => texts::print(&solution(&folder, set.find(name)?, *now)?),
        Some(Command::Reset { name }) => texts::print(&reset(&folder, set.find(name)?)?),
        Some(_) => Ok(true),
    }
}

/// Prints a line. Whoever reads may have read enough, as `head` has: that is no error.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}
