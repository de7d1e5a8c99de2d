//! The options of `cargo learn grade`.

use super::formats::Format;
use clap::Args;
use std::path::PathBuf;

/// Examples, for the end of the help.
pub const EXAMPLES: &str = "\
Names of learners: a folder's or archive's name without .zip; of Moodle's NAME_NUMBER_assignsubmission_file_ and Canvas's
NAME_NUMBER_NUMBER_FILE, which may be files, folders or archives, the NAME. A folder or archive with such names in it is a class.
So is one that is named alone and contains several archives and no kernels.

Of `11_map.cu`, `11_map (1).cu`, `11_map(2).cu` and `11_map copy.cu` in one place, the newest is graded; a line says which.

Examples:
  cargo learn grade submissions/*
  cargo learn grade moodle.zip --only 11,12,21 --roster names.csv --points --csv marks.csv
  cargo learn grade submissions/* --points=64=3,84=2,wasteful=0.5
  cargo learn grade submission --format gradescope --output results.json
  cargo learn grade submissions/* --format junit --output grades.xml";

/// The options.
#[derive(Args, Debug)]
pub struct Options {
    /// The learners' folders or zip archives, or one of a class. Exercises may be in folders and archives below them
    #[arg(value_name = "FOLDER", required = true)]
    pub paths: Vec<PathBuf>,
    /// Grade only these exercises: their names, or unique beginnings of them, such as --only 11,12,21
    #[arg(long, value_name = "NAME,NAME", value_delimiter = ',')]
    pub only: Vec<String>,
    /// The learners of the class, a CSV file. A header may name its columns: name (or first name and last name), id, email,
    /// aliases; without one, they are in this order. Learners are found by name, in any order of its words and without regard to
    /// case and spaces, by email, by aliases, which `;` separates, and by Canvas's number, if that is the id. Who handed in
    /// nothing gets a row, and who is not on the roster is named
    #[arg(long, value_name = "FILE")]
    pub roster: Option<PathBuf>,
    /// Print one row per learner with the points: 1 for each solved exercise, or as `--points=11=2,12=0.5,wasteful=0.5` says, where
    /// `wasteful` is the part that a wasteful kernel earns, which is all without it
    #[arg(long, value_name = "NAME=POINTS", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    pub points: Option<String>,
    /// Write a CSV file with a row per learner and exercise, also for missing exercises; with --points, a row per learner
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write the grades in the format of a platform, with the points of --points
    #[arg(long, value_enum, value_name = "PLATFORM", requires = "output")]
    pub format: Option<Format>,
    /// Where to: a file, or for formats with a file per learner a folder, which gets NAME.json
    #[arg(long, value_name = "FILE", requires = "format")]
    pub output: Option<PathBuf>,
    /// Print JSON instead of the table
    #[arg(long)]
    pub json: bool,
    /// The number that chooses the sizes and inputs that learners have not seen [default: from the clock; it is printed]
    #[arg(long, value_name = "NUMBER")]
    pub seed: Option<u64>,
}
