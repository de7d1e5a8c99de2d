//! The floors of two crates: what each folder and file of their `src` may import. An arrow runs from a higher floor to a
//! lower one, and no files import each other in a circle.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Floors from the ground up; what shares one does not import each other.
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
    &["error", "progress"],
    &["device", "verify"],
    &["kernel"],
    &["problem"],
    &["stage", "timing"],
    &["limit", "options"],
    &["plan"],
    &["session"],
    &["bench", "report"],
    &["check"],
    &["run"],
    &["lib"],
];

/// Files by the path of their module (`machine::block`), with their text.
type House = BTreeMap<String, String>;

/// An import: from this file, of that one.
type Arrow = (String, String);

fn house(krate: &str) -> House {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name(krate).join("src");
    let mut house = House::new();
    collect(&root, &root, &mut house);
    house
}

fn collect(root: &Path, folder: &Path, house: &mut House) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(root, &path, house);
        } else {
            let module = path.strip_prefix(root).unwrap().with_extension("").to_string_lossy().replace('/', "::");
            let module = module.strip_suffix("::mod").unwrap_or(&module).to_owned();
            house.insert(module, std::fs::read_to_string(&path).unwrap());
        }
    }
}

/// The paths that a text names: those of its `use` lines one by one, and those that begin with `crate::`.
fn paths(text: &str) -> BTreeSet<String> {
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
    // `$crate::` is the macro's caller's, and `in crate::` says who may see an item.
    let is_import = |start: usize| !["$", "in "].iter().any(|before| code[..start].ends_with(before));
    for (start, _) in code.match_indices("crate::").filter(|(start, _)| is_import(*start)) {
        let end = code[start..].find(|mark: char| !mark.is_alphanumeric() && !"_:".contains(mark));
        let path = &code[start..start + end.unwrap_or(code.len() - start)];
        paths.insert(path.trim_end_matches(':').to_owned());
    }
    paths
}

/// Adds the leaves of `a::{b, c::{d, e}}`.
fn expand(prefix: &str, tree: &str, paths: &mut BTreeSet<String>) {
    let Some((head, rest)) = tree.split_once('{') else {
        let leaf = tree.split(" as ").next().unwrap_or_default().trim();
        paths.insert(format!("{prefix}{leaf}").trim_end_matches("::self").to_owned());
        return;
    };
    let inner = rest.rsplit_once('}').map_or(rest, |(inner, _)| inner);
    let (mut depth, mut start) = (0, 0);
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

/// The file of the house that a path in `module` leads to.
fn resolve(house: &House, module: &str, path: &str) -> Option<String> {
    let mut at: Vec<&str> = module.split("::").collect();
    let mut parts = path.split("::").peekable();
    match *parts.peek()? {
        "crate" => {
            at.clear();
            parts.next();
        }
        "super" | "self" => {}
        // A child of a module, or another crate.
        name if house.contains_key(&format!("{module}::{name}")) || (module == "lib" && house.contains_key(name)) => {
            at.retain(|part| *part != "lib");
        }
        _ => return None,
    }
    while parts.next_if(|part| ["super", "self"].contains(part)).is_some_and(|part| part == "super") {
        at.pop();
    }
    let mut found = None;
    at.retain(|part| *part != "lib");
    for length in 0..=at.len() {
        let known = at[..length].join("::");
        found = house.contains_key(&known).then_some(known).or(found);
    }
    for part in parts {
        at.push(part);
        match house.contains_key(&at.join("::")) {
            true => found = Some(at.join("::")),
            false => break,
        }
    }
    found
}

/// All imports of files by other files. The tests inside a file may look anywhere.
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

/// What is wrong with a house.
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
    // What imports nothing that is left goes, and what nothing imports, until only circles are left.
    let mut rest = arrows;
    loop {
        let importing: BTreeSet<String> = rest.iter().map(|(from, _)| from.clone()).collect();
        let imported: BTreeSet<String> = rest.iter().map(|(_, to)| to.clone()).collect();
        let before = rest.len();
        rest.retain(|(from, to)| importing.contains(to) && imported.contains(from));
        if rest.len() == before {
            break;
        }
    }
    complaints.extend(rest.iter().map(|(from, to)| format!("{from} imports {to}, and that leads back to it")));
    complaints
}

fn holds(floors: Floors, krate: &str, least: usize) {
    let house = house(krate);
    assert!(arrows(&house).len() > least, "{} arrows", arrows(&house).len());
    let found = complaints(floors, &house);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn no_arrow_of_the_emulator_runs_up_and_no_files_import_each_other() {
    holds(EMULATOR, "emulator", 200);
}

#[test]
fn no_arrow_of_common_runs_up_and_no_files_import_each_other() {
    holds(COMMON, "common", 150);
}

#[test]
fn an_arrow_up_and_a_circle_are_seen() {
    let changed = |module: &str, line: &str| {
        let mut house = house("emulator");
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
    let mut house = house("emulator");
    house.insert("attic".to_owned(), String::new());
    assert_eq!(complaints(EMULATOR, &house), ["attic has no floor: add it to its crate's floors"]);
}
