//! Small modules in `tests/files`: IR in `NAME.ll`, and in `NAME.ptx` what becomes of it, PTX or refusals.
//! `UPDATE_FILES=1 cargo test -p ir-ptx files` writes the second again.

use emulator::{Memory, Module};
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files")
}

/// Returns the IR files.
fn inputs() -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder()).expect("the folder").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = files.filter(|file| file.extension().is_some_and(|end| end == "ll")).collect();
    files.sort();
    files
}

fn answer(file: &Path) -> String {
    let ir = std::fs::read_to_string(file).expect("the IR");
    ir_ptx::translate(&ir).unwrap_or_else(|refusals| format!("{refusals}\n"))
}

#[test]
fn files_give_what_is_beside_them() {
    let mut wrong = Vec::new();
    for file in inputs() {
        let answer = answer(&file);
        let beside = file.with_extension("ptx");
        if std::env::var_os("UPDATE_FILES").is_some() {
            std::fs::write(&beside, &answer).expect("the folder can be written");
        }
        if std::fs::read_to_string(&beside).unwrap_or_default() != answer {
            wrong.push(format!("{}:\n{answer}", file.display()));
        }
    }
    assert!(wrong.is_empty(), "UPDATE_FILES=1 writes these:\n{}", wrong.join("\n"));
}

#[test]
fn the_emulator_loads_every_file() {
    for file in inputs().into_iter().filter(|file| !file.ends_with("refused.ll")) {
        let module = Module::load(&answer(&file), &Arc::new(Memory::new(1 << 20)));
        let module = module.unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        assert_eq!(module.refusals().count(), 0, "{}: {:?}", file.display(), module.refusals().next());
        assert_eq!(module.kernels().len(), 1, "{}", file.display());
    }
}

/// The page that lists the table.
#[test]
fn the_instruction_page_is_up_to_date() {
    let mut page = String::from(
        "# Instructions\n\nWhat each instruction and intrinsic of the IR is in PTX, generated from the table in `src/table` by\n\n    \
         UPDATE_FILES=1 cargo test -p ir-ptx instruction_page\n\nIn a name, `<a|b>` stands for either. `src/table/row.rs` explains \
         the placeholders. Loads, stores, atomic operations, addresses,\nphis, branches, calls and inline PTX depend on more than \
         their operands; they are in `src/select`. Everything else is refused.\n\n| IR | types | PTX |\n|---|---|---|\n",
    );
    let escape = |text: &str| text.replace('|', "\\|");
    for row in ir_ptx::instructions() {
        page += &format!("| `{}` | {} | `{}` |\n", escape(row.name), row.types, escape(row.ptx));
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("INSTRUCTIONS.md");
    if std::env::var_os("UPDATE_FILES").is_some() {
        std::fs::write(&file, &page).expect("the folder can be written");
    }
    let is_same = std::fs::read_to_string(&file).is_ok_and(|text| text == page);
    assert!(is_same, "UPDATE_FILES=1 cargo test -p ir-ptx instruction_page writes it");
}
