//! The layers of the workspace: no files of a crate import each other in a circle, and in two crates each folder of `src` has
//! a floor and imports only from lower ones.

use loading::workspace_root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The floors of a crate from the ground up. Modules on the same floor do not import each other.
type Floors = &'static [&'static [&'static str]];

const EMULATOR: Floors = &[
    &["ground"],
    &["memory", "ptx", "vector", "occupancy"],
    &["isa"],
    &["lower"],
    &["module"],
    &["machine"],
    &["observers"],
    &["launch", "warp"],
    &["scene"],
    &["lib"],
];

const COMMON: Floors = &[
    &["columns", "error", "format", "progress"],
    &["device", "verify"],
    &["kernel"],
    &["problem"],
    &["shape", "timing"],
    &["stage"],
    &["ceilings", "options", "recorded"],
    &["refusals", "session"],
    &["checked", "outcome"],
    &["report"],
    &["list", "twin"],
    &["check"],
    &["run"],
    &["lib"],
];

/// The floors inside the folder `report` of `common`; its `mod.rs` is above them.
const REPORT: Floors =
    &[&["print"], &["data"], &["lines", "record", "samples"], &["table"], &["compare", "findings", "legend"]];

/// The files of a crate by the path of their module (`machine::block`), with their text.
pub type House = BTreeMap<String, String>;

/// An import: the importing file and the imported one.
type Arrow = (String, String);

fn workspace() -> PathBuf {
    workspace_root()
}

/// Returns the folders of the workspace's crates, from its root: `stage01-naive`, `emulator/machine`.
pub fn crates() -> Vec<String> {
    let mut crates = Vec::new();
    collect_crates(&workspace(), "", &mut crates);
    crates
}

/// Adds the crates in a folder of the workspace and in the folders below it.
fn collect_crates(folder: &Path, name: &str, crates: &mut Vec<String>) {
    if folder.join("src").is_dir() {
        crates.push(name.to_owned());
    }
    for entry in std::fs::read_dir(folder).expect("a folder of the workspace") {
        let entry = entry.expect("an entry");
        let below = entry.file_name().to_string_lossy().into_owned();
        // The sources of a crate contain no crates, and neither do build outputs.
        if entry.path().is_dir() && !["src", "tests", "target", ".git"].contains(&below.as_str()) {
            let below = if name.is_empty() { below } else { format!("{name}/{below}") };
            collect_crates(&entry.path(), &below, crates);
        }
    }
}

pub fn house(krate: &str) -> House {
    let root = workspace().join(krate).join("src");
    let mut house = House::new();
    collect(&root, &root, &mut house);
    house
}

/// Adds the files of a folder, except for unit tests, which may import anything.
fn collect(root: &Path, folder: &Path, house: &mut House) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, house);
        } else if !path.ends_with("tests.rs") {
            let module = path.strip_prefix(root).unwrap().with_extension("").to_string_lossy().replace('/', "::");
            let module = module.strip_suffix("::mod").unwrap_or(&module).to_owned();
            house.insert(module, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// Returns the paths in a text: each path of its `use` declarations, and every path that begins with `crate::`.
pub fn paths(text: &str) -> BTreeSet<String> {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or_default()).collect();
    let code = code.join("\n");
    let mut paths = BTreeSet::new();
    for statement in code.split(';') {
        if let Some((_, tree)) =
            statement.rsplit_once("use ").filter(|(before, _)| !before.ends_with(char::is_alphanumeric))
        {
            expand("", tree.trim(), &mut paths);
        }
    }
    // `$crate::` in a macro is not an import, and `in crate::` is a visibility.
    let is_import = |start: usize| !["$", "in "].iter().any(|before| code[..start].ends_with(before));
    for (start, _) in code.match_indices("crate::").filter(|(start, _)| is_import(*start)) {
        let end = code[start..].find(|mark: char| !mark.is_alphanumeric() && !"_:".contains(mark));
        let path = &code[start..start + end.unwrap_or(code.len() - start)];
        paths.insert(path.trim_end_matches(':').to_owned());
    }
    paths
}

/// Adds the leaves of a use tree such as `a::{b, c::{d, e}}`.
fn expand(prefix: &str, tree: &str, paths: &mut BTreeSet<String>) {
    let Some((head, rest)) = tree.split_once('{') else {
        let leaf = tree.split(" as ").next().unwrap_or_default().trim();
        paths.insert(format!("{prefix}{leaf}").trim_end_matches("::self").to_owned());
        return;
    };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let mut depth = 0;
    let mut start = 0;
    for (index, mark) in inner.char_indices().chain([(inner.len(), ',')]) {
        match mark {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                if !inner[start..index].trim().is_empty() {
                    expand(&format!("{prefix}{}", head.trim()), inner[start..index].trim(), paths);
                }
                start = index + 1;
            }
            _ => {}
        }
    }
}

/// Whether a module is a crate's root file, which has no name in paths.
fn is_root(module: &str) -> bool {
    ["lib", "main"].contains(&module)
}

/// Returns the file to which a path in `module` leads; none if the path is in another crate.
pub fn resolve(house: &House, module: &str, path: &str) -> Option<String> {
    let mut at: Vec<&str> = module.split("::").collect();
    let mut parts = path.split("::").peekable();
    match *parts.peek()? {
        "crate" => {
            at.clear();
            parts.next();
        }
        "super" | "self" => {}
        // A child of the module; any other name is of another crate.
        name if house.contains_key(&format!("{module}::{name}")) || (is_root(module) && house.contains_key(name)) => {
            at.retain(|part| !is_root(part));
        }
        _ => return None,
    }
    while parts.next_if(|part| ["super", "self"].contains(part)).is_some_and(|part| part == "super") {
        at.pop();
    }
    let mut found = None;
    at.retain(|part| !is_root(part));
    for length in 0..=at.len() {
        let known = at[..length].join("::");
        found = house.contains_key(&known).then_some(known).or(found);
    }
    for part in parts {
        at.push(part);
        if house.contains_key(&at.join("::")) { found = Some(at.join("::")) } else { break }
    }
    found
}

/// Returns all imports between files, without those of unit tests.
fn arrows(house: &House) -> BTreeSet<Arrow> {
    let mut arrows = BTreeSet::new();
    for (module, text) in house {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        let targets = paths(code).into_iter().filter_map(|path| resolve(house, module, &path));
        arrows.extend(targets.filter(|target| target != module).map(|target| (module.clone(), target)));
    }
    arrows
}

fn floor(floors: Floors, module: &str) -> Option<usize> {
    let room = module.split("::").next()?;
    floors.iter().position(|rooms| rooms.contains(&room))
}

/// Returns the circles among `arrows`: sets of files of which each imports all others, directly or through files between.
fn circles(arrows: &BTreeSet<Arrow>) -> BTreeSet<BTreeSet<String>> {
    let mut imported: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (from, to) in arrows {
        imported.entry(from).or_default().push(to);
    }
    let reached: BTreeMap<&str, BTreeSet<&str>> =
        imported.keys().map(|file| (*file, reachable(&imported, file))).collect();
    let reaches = |from: &str, to: &str| reached.get(from).is_some_and(|reached| reached.contains(to));
    let in_circles = reached.keys().filter(|file| reaches(file, file));
    let circle = |file: &&str| {
        let others = reached.keys().filter(|other| reaches(file, other) && reaches(other, file));
        others.map(|other| (*other).to_owned()).collect()
    };
    in_circles.map(circle).collect()
}

/// Returns the files that `from` imports, directly or through files between.
fn reachable<'a>(imported: &BTreeMap<&'a str, Vec<&'a str>>, from: &'a str) -> BTreeSet<&'a str> {
    let mut reached = BTreeSet::new();
    let mut next = vec![from];
    while let Some(file) = next.pop() {
        next.extend(imported.get(file).into_iter().flatten().filter(|to| reached.insert(**to)));
    }
    reached
}

/// Returns the circles of a crate. A file may import what the files of its own folders above it declare, which is how a
/// folder shares its types.
fn circles_of(house: &House) -> BTreeSet<BTreeSet<String>> {
    let is_above =
        |to: &str, from: &str| is_root(to) || from.strip_prefix(to).is_some_and(|rest| rest.starts_with("::"));
    circles(&arrows(house).into_iter().filter(|(from, to)| !is_above(to, from)).collect())
}

/// Returns what is wrong with a crate that has floors. Here a file and those in its folder form a circle too.
fn complaints(floors: Floors, house: &House) -> Vec<String> {
    let floor = |module: &str| floor(floors, module);
    let arrows = arrows(house);
    let mut complaints = Vec::new();
    for module in house.keys().filter(|module| floor(module).is_none()) {
        complaints.push(format!("{module} has no floor: add it to its crate's floors"));
    }
    let room = |module: &str| module.split("::").next().unwrap_or_default().to_owned();
    for (from, to) in &arrows {
        if room(from) != room(to) && floor(from) <= floor(to) {
            complaints.push(format!("{from} imports {to}, which is not below it"));
        }
    }
    let circles = circles(&arrows);
    let is_in_circle = |(from, to): &&Arrow| circles.iter().any(|circle| circle.contains(from) && circle.contains(to));
    let in_circles = arrows.iter().filter(is_in_circle);
    complaints.extend(in_circles.map(|(from, to)| format!("{from} imports {to}, and that leads back to it")));
    complaints
}

fn holds(floors: Floors, krate: &str, least: usize) {
    let house = house(krate);
    assert!(arrows(&house).len() > least, "{} arrows", arrows(&house).len());
    let found = complaints(floors, &house);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn files_of_the_emulator_import_only_from_lower_floors() {
    holds(EMULATOR, "emulator/machine", 200);
}

#[test]
fn files_of_common_import_only_from_lower_floors() {
    holds(COMMON, "common", 150);
}

/// Returns the arrows between the folders of `report` that do not lead down.
fn complaints_in_report(house: &House) -> Vec<String> {
    let room = |module: &str| module.strip_prefix("report::").map(str::to_owned);
    let mut complaints = Vec::new();
    for (from, to) in arrows(house) {
        let Some(from_floor) = room(&from).map(|room| floor(REPORT, &room)) else { continue };
        let to_floor = match room(&to) {
            Some(to) => floor(REPORT, &to),
            None if to == "report" => Some(REPORT.len()),
            None => continue,
        };
        let is_same = from.split("::").nth(1) == to.split("::").nth(1);
        if from_floor.is_none() || !is_same && from_floor <= to_floor {
            complaints.push(format!("{from} imports {to}, which is not below it"));
        }
    }
    complaints
}

#[test]
fn folders_of_the_report_import_only_from_lower_floors() {
    let mut house = house("common");
    assert_eq!(complaints_in_report(&house), Vec::<String>::new());
    house.get_mut("report::print").expect("the folder").insert_str(0, "use crate::report::table::show;\n");
    assert_eq!(complaints_in_report(&house), ["report::print imports report::table, which is not below it"]);
}

#[test]
fn no_files_of_the_workspace_import_each_other_in_a_circle() {
    let crates = crates();
    assert!(crates.len() > 15, "{crates:?}");
    for krate in &crates {
        let circles = circles_of(&house(krate));
        assert!(circles.is_empty(), "{krate}: these files import each other in circles: {circles:?}");
    }
}

#[test]
fn a_circle_in_any_crate_is_found() {
    let mut house = house("compilers/nvrtc");
    assert_eq!(circles_of(&house), BTreeSet::new());
    let mut import = |from: &str, line: &str| house.get_mut(from).expect("a file").insert_str(0, line);
    import("search", "use crate::names::NAMES;\n");
    import("names", "use super::library;\n");
    import("library", "use super::{pinned, search::{self}};\n");
    let expected: BTreeSet<String> = ["library", "names", "search"].map(str::to_owned).into();
    assert_eq!(circles_of(&house), [expected].into());
}

#[test]
fn an_arrow_up_and_a_circle_are_seen() {
    let changed = |module: &str, line: &str| {
        let mut house = house("emulator/machine");
        house.get_mut(module).unwrap().insert_str(0, line);
        complaints(EMULATOR, &house)
    };
    assert_eq!(
        changed("isa::logic", "use crate::{ground, lower::step::{self, Step}};\n")[0],
        "isa::logic imports lower::step, which is not below it"
    );
    assert!(changed("ground::lanes", "fn up() -> crate::scene::Scene {}\n")[0].contains("scene, which is not below"));
    let circle = changed("ptx::tree", "use super::parser::parse;\n");
    assert!(circle.iter().any(|line| line.starts_with("ptx::tree imports ptx::parser, and")), "{circle:?}");
    let mut house = house("emulator/machine");
    house.insert("attic".to_owned(), String::new());
    assert_eq!(complaints(EMULATOR, &house), ["attic has no floor: add it to its crate's floors"]);
}
