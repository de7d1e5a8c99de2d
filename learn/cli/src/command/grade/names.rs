//! Names of what is handed in: those that learning platforms give, and those of copies of a file.

use std::path::Path;

/// A file or a folder as a learning platform names it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Submitted<'a> {
    /// The learner: `Jane Doe` of Moodle, `doejane` of Canvas.
    pub(super) learner: &'a str,
    /// The number that tells learners of one name apart.
    pub(super) number: &'a str,
    /// Whether the number is the learner's own, which a roster may have, and not the number of this submission.
    pub(super) is_learners: bool,
    /// The learner's name for the file; empty for a folder of files.
    pub(super) rest: &'a str,
}

/// Returns the parts of a platform's name, or `None` if no platform gave it:
///
/// - Moodle: `NAME_NUMBER_assignsubmission_file_`, a folder of files, or a file with its name after that
/// - Canvas: `NAME_NUMBER_NUMBER_FILE`, where the name has no `_`, and `LATE` may follow it
pub(super) fn of_platform(name: &str) -> Option<Submitted<'_>> {
    moodle(name).or_else(|| canvas(name))
}

fn moodle(name: &str) -> Option<Submitted<'_>> {
    let (learner, kind) = name.split_once("_assignsubmission_")?;
    let (_, rest) = kind.split_once('_')?;
    let (learner, number) = learner.rsplit_once('_')?;
    is_number(number).then_some(Submitted { learner, number, is_learners: false, rest })
}

fn canvas(name: &str) -> Option<Submitted<'_>> {
    let (learner, rest) = name.split_once('_')?;
    let rest = rest.strip_prefix("LATE_").unwrap_or(rest);
    let (number, rest) = rest.split_once('_')?;
    let (attachment, rest) = rest.split_once('_')?;
    let begins_with_letter = learner.chars().next().is_some_and(char::is_alphabetic);
    let is_canvas = begins_with_letter && is_number(number) && is_number(attachment) && !rest.is_empty();
    is_canvas.then_some(Submitted { learner, number, is_learners: true, rest })
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns the name of which a file is a copy, and the copy's number: `11_map.cu` and 2 for `11_map (2).cu`. Browsers append
/// ` (2)` or `(2)`, Canvas `-2`, macOS ` copy` or ` copy 2`, Windows ` - Copy` or ` - Copy (2)`. A name without such an end is
/// its own copy 0.
pub(super) fn without_copy(name: &str) -> (String, u64) {
    let path = Path::new(name);
    let (Some(stem), Some(end)) = (path.file_stem().and_then(|stem| stem.to_str()), path.extension()) else {
        return (name.to_owned(), 0);
    };
    let (stem, number) = match numbered(stem) {
        // `11_map copy 2`, `11_map - Copy (2)`
        Some((stem, number)) => (word_copy(stem).unwrap_or(stem), number),
        None => word_copy(stem).map_or((stem, 0), |stem| (stem, 1)),
    };
    (format!("{stem}.{}", end.to_string_lossy()), number)
}

/// Takes a number from the end: ` (2)`, `(2)`, `-2`, or ` copy 2`, of which `copy` remains.
fn numbered(stem: &str) -> Option<(&str, u64)> {
    let in_parentheses = || stem.strip_suffix(')')?.rsplit_once('(');
    let of_copy = || stem.rsplit_once(' ').filter(|(rest, _)| word_copy(rest).is_some());
    let (rest, number) = in_parentheses().or_else(of_copy).or_else(|| stem.rsplit_once('-'))?;
    let rest = rest.trim_end();
    (is_number(number) && !rest.is_empty()).then_some(())?;
    Some((rest, number.parse().unwrap_or(u64::MAX)))
}

/// Takes ` copy` or ` - Copy` from the end.
fn word_copy(stem: &str) -> Option<&str> {
    stem.strip_suffix(" - Copy").or_else(|| stem.strip_suffix(" copy")).filter(|rest| !rest.is_empty())
}

/// Returns whether a file or folder is of a system or an editor, and of no interest: hidden, or made by macOS or Windows.
pub(super) fn is_of_system(name: &str) -> bool {
    name.starts_with('.') || ["__MACOSX", "Thumbs.db", "desktop.ini"].contains(&name)
}

/// Returns whether a file is an archive that is unpacked.
pub(super) fn is_zip(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"))
}

/// Returns whether a file is an archive that is not unpacked.
pub(super) fn is_other_archive(name: &str) -> bool {
    let end = Path::new(name).extension().unwrap_or_default().to_string_lossy().to_lowercase();
    ["7z", "bz2", "gz", "rar", "tar", "tgz", "xz", "zst"].contains(&end.as_str())
}
