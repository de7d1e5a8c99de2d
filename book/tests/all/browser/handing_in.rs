//! All of a reader's work in one file: exported, unpacked by another program, and imported.

use super::editor::{desk, open_exercise, replace, said, write};
use super::page::Page;
use super::site::{Site, reader};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use judge::progress::Progress;
use std::collections::BTreeMap;
use std::io::{Cursor, Read, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Keeps what a page saves, in base64, as `saved`.
const WATCH: &str = "window.saved = null;
    window.make ??= URL.createObjectURL;
    URL.createObjectURL = blob => {
        const reader = new FileReader();
        reader.onload = () => { window.saved = reader.result.split(',')[1] };
        if (blob.type === 'application/zip') reader.readAsDataURL(blob);
        return make(blob);
    };";

/// Clicks an element. Not by the mouse: what loads above moves it.
pub fn click(page: &mut Page, selector: &str) {
    page.run(&format!("document.querySelector('{selector}').click()"));
}

/// Exports, and returns the file.
pub fn export(page: &mut Page) -> Vec<u8> {
    page.run("window.saved = null");
    click(page, "[data-exercise-export]");
    page.wait_for("window.saved !== null");
    STANDARD.decode(page.evaluate::<String>("window.saved")).unwrap()
}

/// Returns the texts in a zip, whose checksums are compared.
pub fn texts(zip: &[u8]) -> BTreeMap<String, String> {
    let mut archive = ZipArchive::new(Cursor::new(zip)).unwrap();
    (0..archive.len())
        .map(|index| {
            let mut file = archive.by_index(index).unwrap();
            let mut text = String::new();
            file.read_to_string(&mut text).unwrap();
            (file.name().unwrap().into_owned(), text)
        })
        .collect()
}

/// Opens a page with exercises in a new tab whose exports are kept, and waits for the box of the progress.
pub fn open_page(page: &mut Page, site: &Site, name: &str) {
    page.before_every_page(WATCH);
    page.open(&site.served(name));
    page.run("document.querySelector('.exercise-desk').scrollIntoView({ behavior: 'instant' })");
    page.wait_for("document.querySelector('.exercise-log')");
}

/// Chooses files for the import, and returns what is said then.
fn import(page: &mut Page, files: &[(&str, &[u8])]) -> String {
    let add = |(name, bytes): &(&str, &[u8])| {
        let bytes = STANDARD.encode(bytes);
        format!("transfer.items.add(new File([Uint8Array.from(atob('{bytes}'), c => c.charCodeAt(0))], {name:?}));")
    };
    let added: String = files.iter().map(add).collect();
    page.run(&format!(
        "document.querySelector('.exercise-said').textContent = '';
        const transfer = new DataTransfer();
        {added}
        const input = document.querySelector('.exercise-import input');
        input.files = transfer.files;
        input.dispatchEvent(new Event('change'))"
    ));
    page.wait_for("document.querySelector('.exercise-said').textContent");
    said(page, ".exercise-said")
}

fn code(page: &mut Page, name: &str) -> String {
    open_exercise(page, name);
    page.evaluate(&format!("document.querySelector('{} .editor-area').value", desk(name)))
}

/// Returns a zip in which every file is compressed.
fn compressed(files: &[(&str, &str)]) -> Vec<u8> {
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
        writer.start_file(*name, options).unwrap();
        writer.write_all(text.as_bytes()).unwrap();
    }
    writer.finish().unwrap().into_inner()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn an_export_has_all_kernels_and_another_browser_takes_it() {
    let Some((browser, mut page, site)) = reader() else { return };
    open_page(&mut page, site, "exercises-2.html");
    open_exercise(&mut page, "22_second_barrier");
    replace(&mut page, "__syncthreads", "/* größer */ __syncthreads");
    open_page(&mut page, site, "first-kernels.html");
    open_exercise(&mut page, "12_guard");
    click(&mut page, &format!("{} [data-editor=hint]", desk("12_guard")));
    write(&mut page, &desk("12_guard"), "int mine;\n");
    let zip = export(&mut page);
    let found = texts(&zip);
    assert_eq!(found.keys().collect::<Vec<_>>(), ["12_guard.cu", "22_second_barrier.cu", "progress.toml"]);
    let guard = &found["12_guard.cu"];
    assert!(guard.starts_with("// ") && guard.ends_with("\nint mine;\n"), "{guard}");
    // Of another page: with its task too.
    let other = &found["22_second_barrier.cu"];
    assert!(other.starts_with("// ") && other.contains("/* größer */ __syncthreads"), "{other}");
    let progress = Progress::parse(found["progress.toml"].as_bytes()).unwrap();
    assert_eq!(progress.entry("12_guard.cu").hints, 1);

    let mut page = Page::new(&browser);
    open_page(&mut page, site, "exercises-2.html");
    let words = import(&mut page, &[("coalesced-progress (1).zip", &zip)]);
    assert_eq!(words, "Taken: 12_guard.cu, 22_second_barrier.cu, progress.toml.");
    assert!(code(&mut page, "22_second_barrier").contains("/* größer */ __syncthreads"));
    open_page(&mut page, site, "first-kernels.html");
    assert_eq!(code(&mut page, "12_guard"), "int mine;\n");
    assert!(said(&mut page, &format!("{} .exercise-hints", desk("12_guard"))).starts_with("Hint 1: "));
    assert_eq!(texts(&export(&mut page)), found, "the second export differs");
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn an_import_replaces_nothing_unasked() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open_page(&mut page, site, "first-kernels.html");
    open_exercise(&mut page, "12_guard");
    write(&mut page, &desk("12_guard"), "int mine;\n");
    let theirs = compressed(&[
        ("work/12_guard.cu", "// the task\n\nint theirs;\r\n"),
        ("work/11_map.cu", "int map;\n"),
        ("work/old/11_map.cu", "int old;\n"),
        ("work/my.cu", "int other;\n"),
        ("work/log.json", "{}"),
        ("__MACOSX/work/._11_map.cu", "\u{0}"),
    ]);
    let words = import(&mut page, &[("their work.zip", &theirs)]);
    for part in [
        "Taken: 11_map.cu.",
        "deeper folder, than another of its name: 11_map.cu.",
        "The files of no exercise: my.cu.",
        "Left out: work/log.json",
        "they stay as they are: 12_guard.cu.",
    ] {
        assert!(words.contains(part), "no {part:?} in {words}");
    }
    assert!(!words.contains("MACOSX"), "{words}");
    assert_eq!(code(&mut page, "11_map"), "int map;\n");
    let area = format!("document.querySelector('{} .editor-area').value", desk("12_guard"));
    assert_eq!(page.evaluate::<String>(&area), "int mine;\n");
    click(&mut page, "[data-exercise-replace]");
    assert_eq!(page.evaluate::<String>(&area), "int theirs;\n");
    assert!(said(&mut page, ".exercise-said").ends_with("They are replaced."));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_single_kernel_and_a_progress_are_taken_and_bad_files_change_nothing() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open_page(&mut page, site, "first-kernels.html");
    let good = compressed(&[("11_map.cu", "int map;\n")]);
    let mut damaged = good.clone();
    damaged[40] ^= 0x55;
    let cut = &good[..good.len() - 30];
    let wrong_progress = compressed(&[("11_map.cu", "int map;\n"), ("progress.toml", "language = \"c\"\n")]);
    let huge = compressed(&[("11_map.cu", &" ".repeat(2_000_000))]);
    let bad: &[(&str, &[u8], &str)] = &[
        ("a.zip", &damaged, "a.zip: 11_map.cu: "),
        ("a.zip", cut, "a.zip: it is no zip, or a damaged one"),
        ("a.zip", b"", "a.zip: it is no zip, or a damaged one"),
        ("a.zip", &wrong_progress, "progress.toml: the language must be cuda or rust"),
        ("a.zip", &huge, "11_map.cu: it is larger than 1 MB"),
        ("a.rs", b"", "a.rs is neither an export (.zip)"),
    ];
    for (name, bytes, message) in bad {
        let words = import(&mut page, &[(name, bytes)]);
        assert!(words.starts_with("This could not be done: ") && words.contains(message), "{words}");
    }
    assert_eq!(texts(&export(&mut page)).keys().collect::<Vec<_>>(), ["progress.toml"]);
    let progress = "language = \"cuda\"\n[files.\"11_map.cu\"]\nsolved = \"00\"\nhints = 2\nrevealed = false\n";
    let words =
        import(&mut page, &[("progress.toml", progress.as_bytes()), ("12_guard (2).cu", b"// mine\nint mine;\n")]);
    assert_eq!(words, "Taken: 12_guard.cu, progress.toml.");
    assert!(said(&mut page, &format!("{} .editor-open", desk("12_guard"))).starts_with("Go on with your version"));
    assert_eq!(said(&mut page, ".exercise-count"), "You have solved 1 of 40 exercises.");
    assert_eq!(code(&mut page, "12_guard"), "int mine;\n");
    page.open(&site.served("first-kernels.html"));
    open_exercise(&mut page, "11_map");
    assert!(said(&mut page, &desk("11_map")).contains("✓ Solved"), "the import is forgotten");
    assert_eq!(page.problems(), [""; 0]);
}
