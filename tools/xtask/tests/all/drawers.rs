//! The folders of ARCHITECTURE.md: each uses only those above it, and the table says which.

use loading::workspace_root;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// A folder of the table, such as `emulator` or `stage`, with the folders that it uses.
type Rows = Vec<(String, BTreeSet<String>)>;

/// Returns the rows of ARCHITECTURE.md's table, in its order.
fn table() -> Rows {
    let text = std::fs::read_to_string(workspace_root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `")?.strip_suffix('|'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('|').collect();
        let names = |cell: &str| cell.split('`').skip(1).step_by(2).map(drawer).collect();
        (drawer(cells[0]), names(cells[cells.len() - 1]))
    })
    .collect()
}

/// Returns the name in front of `/`, `…/` or a stage's number.
fn drawer(path: &str) -> String {
    let name = path.trim().split(['/', '…', '`']).next().unwrap_or_default();
    if name.starts_with("stage") { "stage".to_owned() } else { name.to_owned() }
}

/// Returns the manifests of all packages of the workspace, by the package's name.
fn manifests() -> BTreeMap<String, PathBuf> {
    let root = workspace_root();
    let mut manifests = BTreeMap::new();
    for folder in ["", "book", "book/pages", "common", "compilers", "emulator", "learn", "tools"] {
        for entry in std::fs::read_dir(root.join(folder)).expect("a folder of the workspace") {
            let manifest = entry.expect("an entry").path().join("Cargo.toml");
            let Ok(text) = std::fs::read_to_string(&manifest) else { continue };
            let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
            manifests.insert(name.expect("a package has a name").to_owned(), manifest);
        }
    }
    manifests
}

/// Returns the names of a manifest's dependencies, without those of tests.
fn dependencies(manifest: &Path) -> BTreeSet<String> {
    let text = std::fs::read_to_string(manifest).expect("a manifest");
    let section = text.split("\n[dependencies]\n").nth(1).unwrap_or_default();
    let section = section.split("\n[").next().unwrap_or_default();
    let names = section.lines().filter(|line| !line.starts_with('#'));
    let names = names.filter_map(|line| Some(line.split(['.', ' ']).next()?.to_owned()));
    // It has no code: it aligns the features of crates from outside, so it may be below everything.
    names.filter(|name| name != "shared-features").collect()
}

/// Returns the folders that each folder uses.
fn used() -> BTreeMap<String, BTreeSet<String>> {
    let manifests = manifests();
    let root = workspace_root();
    let drawer_of = |manifest: &Path| drawer(&manifest.strip_prefix(&root).expect("below the root").to_string_lossy());
    let mut used: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for manifest in manifests.values() {
        let from = drawer_of(manifest);
        let to = dependencies(manifest).into_iter().filter_map(|name| Some(drawer_of(manifests.get(&name)?)));
        let others: Vec<String> = to.filter(|to| *to != from).collect();
        used.entry(from).or_default().extend(others);
    }
    used
}

/// Returns what is wrong with a table.
fn complaints(rows: &Rows, used: &BTreeMap<String, BTreeSet<String>>) -> Vec<String> {
    let mut complaints = Vec::new();
    for (at, (folder, said)) in rows.iter().enumerate() {
        let uses = used.get(folder).cloned().unwrap_or_default();
        if *said != uses {
            complaints.push(format!("{folder} uses {uses:?}, and ARCHITECTURE.md says {said:?}"));
        }
        let above: Vec<&String> = rows[..at].iter().map(|(above, _)| above).collect();
        let up = uses.iter().filter(|other| !above.contains(other));
        complaints.extend(up.map(|other| format!("{folder} uses {other}, which is not above it")));
    }
    let missing = used.keys().filter(|folder| rows.iter().all(|(row, _)| row != *folder));
    complaints.extend(missing.map(|folder| format!("{folder} is not in the table")));
    complaints
}

#[test]
fn each_folder_uses_only_those_above_it_and_the_table_says_which() {
    let used = used();
    assert!(used["book"].len() > 4, "{used:?}");
    assert_eq!(complaints(&table(), &used), Vec::<String>::new());
}

#[test]
fn an_arrow_up_and_a_missing_folder_are_noticed() {
    let mut used = used();
    used.get_mut("compilers").expect("a folder").insert("learn".to_owned());
    used.insert("attic".to_owned(), BTreeSet::new());
    let found = complaints(&table(), &used);
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[1], "compilers uses learn, which is not above it");
}

#[test]
fn a_newcomer_sees_at_most_18_folders_and_a_short_description() {
    let entries = std::fs::read_dir(workspace_root()).expect("the root").map(|entry| entry.expect("an entry"));
    let shown: Vec<String> = entries
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .filter(|name| !name.starts_with('.') && name != "target" && name != "my-exercises" && name != "mutants.out")
        .collect();
    assert!(shown.len() <= 18, "{shown:?}");
    let text = std::fs::read_to_string(workspace_root().join("ARCHITECTURE.md")).expect("ARCHITECTURE.md");
    assert!(text.lines().count() <= 80, "{} lines", text.lines().count());
}
