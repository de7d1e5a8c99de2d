//! The learner's way: the files between `main.rs` of stage 1 and the printed row of problem A, as ARCHITECTURE.md lists them.
//!
//! The section "From a command to its table" has two lists. The numbered one is the way: every file that a reader opens to follow
//! the call. The other one lists the side doors: files that those of the way import and that a reader can skip, each with a reason.
//! Whatever a file of the way imports must be in one of the lists, so the way cannot become shorter by forgetting a file.
//! Imports are followed through re-exports. Two kinds of calls are invisible to this check: calls through `dyn` traits, by which
//! `problem/forces/mod.rs` was added by hand, and methods whose `impl` is in another file than their type, as those of
//! `problem/copies.rs`, which copies arrays.

use crate::floors::{House, house, paths, resolve};
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use workspace_root::workspace_root;

/// The most files of the way, and the most lines of all of them.
const MOST: (usize, usize) = (12, 1800);

/// The two lists of the section, as paths in the repository.
#[derive(Clone, Debug, PartialEq)]
struct Way {
    files: Vec<String>,
    doors: Vec<String>,
}

fn root() -> PathBuf {
    workspace_root()
}

/// Returns the lists of ARCHITECTURE.md: items that begin with a number, and items that begin with a dash.
fn way() -> Way {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let section = text.split("## From a command to its table").nth(1).expect("the section");
    let section = section.split("\n## ").next().unwrap_or_default().replace("\n  ", " ");
    let quoted = |item: &str| item.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
    let numbered = |line: &&str| line.split_once(". `").is_some_and(|(number, _)| number.parse::<u32>().is_ok());
    let files = section.lines().filter(numbered).filter_map(|line| quoted(line).into_iter().next()).collect();
    let dashed = section.lines().filter(|line| line.starts_with("- `"));
    let doors = dashed.flat_map(|line| quoted(line.split(": ").next().unwrap_or_default())).collect();
    Way { files, doors }
}

/// Returns the file `SRC/a/b.rs` or `SRC/a/b/mod.rs` of a module.
fn file_of(krate: &str, module: &str) -> String {
    let path = format!("{}/src/{}", folder_of(krate), module.replace("::", "/"));
    if root().join(format!("{path}.rs")).is_file() { format!("{path}.rs") } else { format!("{path}/mod.rs") }
}

fn folder_of(krate: &str) -> &str {
    if krate == "reference" { "common/reference" } else { krate }
}

/// The crates that the way passes.
const CRATES: [&str; 3] = ["stage01-naive", "common", "reference"];

/// A file, as its crate and the path of its module.
type Place = (String, String);

/// Returns the file that defines an item, through re-exports: `problem::Case` is in `problem::definition`.
fn defined_in(houses: &BTreeMap<String, House>, (krate, module): &Place, path: &str) -> Option<Place> {
    // A path into another crate begins there with `crate`.
    let other = path.split_once("::").filter(|(first, _)| CRATES.contains(first));
    let (krate, module, path) = match other {
        Some((other, rest)) => (other.to_owned(), "lib".to_owned(), format!("crate::{rest}")),
        None => (krate.clone(), module.clone(), path.to_owned()),
    };
    // A path that begins with `crate` and leads to no module is of an item of the crate's root.
    let root = path.starts_with("crate").then(|| "lib".to_owned());
    let found = (krate.clone(), resolve(&houses[&krate], &module, &path).or(root)?);
    let segments: Vec<&str> = path.split("::").collect();
    let reexported = paths(&reexports(code(houses[&krate].get(&found.1)?)));
    let again = segments.iter().enumerate().find_map(|(index, name)| {
        let path = reexported.iter().find(|path| path.rsplit("::").next() == Some(name))?;
        Some([&[path.as_str()], &segments[index + 1..]].concat().join("::"))
    });
    let next = again.and_then(|path| defined_in(houses, &found, &path)).filter(|next| *next != found);
    next.or(Some(found))
}

/// Returns the `pub use` declarations of a file.
fn reexports(code: &str) -> String {
    let is_public = |before: &str| before.trim_end().ends_with("pub") || before.trim_end().ends_with(')');
    let statements = code.split(';').filter_map(|statement| statement.rsplit_once("use "));
    statements.filter(|(before, _)| is_public(before)).map(|(_, tree)| format!("use {tree};\n")).collect()
}

/// Returns a file without its unit tests.
fn code(text: &str) -> &str {
    text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default()
}

/// Returns the files that a file of the way uses: what it imports from the crates of the way, and its own modules that it
/// names.
fn imports(houses: &BTreeMap<String, House>, file: &str) -> BTreeSet<String> {
    let (folder, inside) = file.split_once("/src/").expect("a file of a crate");
    let krate = folder.rsplit('/').next().unwrap_or(folder);
    let module = inside.trim_end_matches(".rs").trim_end_matches("/mod").replace('/', "::");
    let text = code(&houses[krate][&module]);
    let place = (krate.to_owned(), module.clone());
    let mut found: BTreeSet<String> = BTreeSet::new();
    // A call such as `common::run(…)` is as good as an import.
    let calls = CRATES.iter().flat_map(|other| called(text, &format!("{other}::")));
    for path in paths(text).into_iter().chain(calls) {
        found.extend(defined_in(houses, &place, &path).map(|(krate, module)| file_of(&krate, &module)));
    }
    let is_child = |other: &&String| match module.as_str() {
        "lib" => !other.contains("::"),
        _ => other.strip_prefix(&format!("{module}::")).is_some_and(|rest| !rest.contains("::")),
    };
    let is_called = |child: &&String| text.contains(&format!("{}::", child.rsplit("::").next().unwrap_or_default()));
    let children = houses[krate].keys().filter(is_child).filter(is_called);
    found.extend(children.map(|module| file_of(krate, module)));
    found.remove(file);
    found
}

/// Returns the paths in a text that begin with `prefix`.
fn called(text: &str, prefix: &str) -> Vec<String> {
    let end =
        |rest: &str| rest.find(|mark: char| !mark.is_alphanumeric() && !"_:".contains(mark)).unwrap_or(rest.len());
    text.match_indices(prefix).map(|(at, _)| text[at..at + end(&text[at..])].trim_end_matches(':').to_owned()).collect()
}

/// Returns what is wrong with the lists.
fn complaints(way: &Way) -> Vec<String> {
    let houses: BTreeMap<String, House> = CRATES.map(|krate| (krate.to_owned(), house(folder_of(krate)))).into();
    let is_behind = |file: &String, door: &String| file == door || file.starts_with(door) && door.ends_with('/');
    let mut complaints = Vec::new();
    let mut passed = BTreeSet::new();
    for file in &way.files {
        for import in imports(&houses, file).into_iter().filter(|import| !way.files.contains(import)) {
            let doors: Vec<&String> = way.doors.iter().filter(|door| is_behind(&import, door)).collect();
            if doors.is_empty() {
                complaints.push(format!("{file} imports {import}, which is neither on the way nor a side door"));
            }
            passed.extend(doors.into_iter().cloned());
        }
    }
    let unused = way.doors.iter().filter(|door| !passed.contains(*door));
    complaints.extend(unused.map(|door| format!("no file of the way imports {door}")));
    complaints
}

#[test]
fn the_way_to_the_row_of_problem_a_is_short_and_complete() {
    let way = way();
    let lines = |file: &String| std::fs::read_to_string(root().join(file)).expect(file).lines().count();
    let lines: usize = way.files.iter().map(lines).sum();
    assert!(way.files.len() >= 10, "{way:?}");
    assert!((way.files.len() <= MOST.0) && lines <= MOST.1, "{} files, {lines} lines", way.files.len());
    assert_eq!(complaints(&way), Vec::<String>::new());
}

#[test]
fn a_file_left_out_of_the_way_is_noticed_and_so_is_a_door_that_nothing_passes() {
    let way = way();
    let without = |file: &str| {
        let mut way = way.clone();
        way.files.retain(|other| other != file);
        complaints(&way)
    };
    for file in
        ["common/src/run.rs", "common/src/session.rs", "common/src/problem/definition.rs", "common/src/report/table.rs"]
    {
        assert!(without(file).iter().any(|complaint| complaint.contains(file)), "{file}");
    }
    let mut more = way.clone();
    more.doors.push("common/src/nowhere.rs".into());
    assert_eq!(complaints(&more), ["no file of the way imports common/src/nowhere.rs"]);
}
