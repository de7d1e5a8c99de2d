//! The inputs of `cargo learn grade`: archives of a page and of platforms, and copies of files.

use crate::program::{SOLVED, has_compiler, learn};
use loading::workspace_root;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::time::{Duration, SystemTime};
use tempfile::TempDir;
use zip::write::SimpleFileOptions;
use zip::{DateTime, ZipWriter};

/// Returns the first exercise with this in place of its line.
pub fn first(line: &str) -> String {
    let skeleton = workspace_root().join("exercises/11_map/kernels/skeleton.cu");
    let text = fs::read_to_string(skeleton).expect("the skeleton");
    let (before, rest) = text.split_once("// >>> your code\n").expect("a region");
    let (_, after) = rest.split_once("    // <<<").expect("its end");
    format!("{before}// >>> your code\n    {line}\n    // <<<{after}")
}

/// Returns the first exercise, solved, and not solved.
pub fn solved() -> String {
    first(SOLVED)
}

pub fn open() -> String {
    first("const int i = 0;")
}

/// Returns an archive with these files.
pub fn zip(files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut writer = ZipWriter::new(&mut bytes);
    for (name, contents) in files {
        writer.start_file(*name, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(contents).expect("its contents");
    }
    writer.finish().expect("an archive");
    bytes.into_inner()
}

/// Writes a file in a folder, and the folders to it.
pub fn write(folder: &Path, name: &str, contents: impl AsRef<[u8]>) {
    let file = folder.join(name);
    fs::create_dir_all(file.parent().expect("a folder")).expect("folders");
    fs::write(file, contents).expect("a file");
}

/// Returns a new folder.
pub fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// Grades the first exercise. Returns the status and what is said.
pub fn grade(folder: &Path, paths: &str) -> (Option<i32>, String) {
    learn(folder, &format!("grade --only 11 --seed 5 {paths}"))
}

#[test]
fn an_archive_of_a_page_is_graded_and_its_hints_are_read() {
    if !has_compiler() {
        return;
    }
    let folder = folder();
    let progress = b"language = \"cuda\"\n[files.\"11_map.cu\"]\nhints = 2\nrevealed = false\n";
    let (own, more) = (solved(), b"notes".as_slice());
    let files = [("11_map.cu", own.as_bytes()), ("progress.toml", progress), ("log.json", b"[]"), ("notes.txt", more)];
    write(folder.path(), "ann.zip", zip(&files));
    let (status, said) = grade(folder.path(), "ann.zip");
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("ann      1/1     2      0"), "{said}");
    assert!(said.contains("ann.zip: notes.txt is ignored: it has the name of no exercise\n"), "{said}");
    assert!(!said.contains("log.json"), "{said}");
    let left: Vec<_> = fs::read_dir(folder.path()).expect("the folder").flatten().map(|one| one.file_name()).collect();
    assert_eq!(left, ["ann.zip"], "nothing is written beside the archive");
}

#[test]
fn the_newest_of_copies_is_graded_and_named() {
    if !has_compiler() {
        return;
    }
    let day = Duration::from_secs(24 * 3600);
    for (newest, others) in [
        ("11_map (1).cu", vec!["11_map.cu"]),
        ("11_map.cu", vec!["11_map(2).cu", "11_map copy.cu"]),
        ("11_map copy 2.cu", vec!["11_map.cu", "11_map copy.cu"]),
        ("11_map - Copy (2).cu", vec!["11_map - Copy.cu"]),
        ("11_map-1.cu", vec!["11_map.cu"]),
    ] {
        let folder = folder();
        for (age, name) in [newest].iter().chain(&others).enumerate() {
            let text = if *name == newest { solved() } else { open() };
            write(folder.path(), &format!("ann/{name}"), text);
            let file = File::options().write(true).open(folder.path().join("ann").join(name)).expect("a file");
            file.set_modified(SystemTime::now() - age as u32 * day).expect("a time");
        }
        let (status, said) = grade(folder.path(), "ann");
        assert_eq!(status, Some(0), "{newest}: {said}");
        assert!(said.contains(&format!("ann: graded is the newest: {newest} (not ")), "{said}");
        assert!(others.iter().all(|other| said.contains(other)), "{said}");
    }
}

#[test]
fn in_an_archive_the_newest_is_by_the_archives_times() {
    if !has_compiler() {
        return;
    }
    let folder = folder();
    for (old, new) in [("11_map (1).cu", "11_map.cu"), ("11_map.cu", "11_map (1).cu")] {
        let mut bytes = std::io::Cursor::new(Vec::new());
        let mut writer = ZipWriter::new(&mut bytes);
        for (name, text, month) in [(new, solved(), 3), (old, open(), 2)] {
            let time = DateTime::from_date_and_time(2026, month, 1, 0, 0, 0).expect("a time");
            writer.start_file(name, SimpleFileOptions::default().last_modified_time(time)).expect("an entry");
            writer.write_all(text.as_bytes()).expect("its contents");
        }
        writer.finish().expect("an archive");
        write(folder.path(), "ann.zip", bytes.into_inner());
        let (status, said) = grade(folder.path(), "ann.zip");
        assert_eq!(status, Some(0), "{said}");
        assert!(said.contains(&format!("graded is the newest: {new} (not {old})")), "{said}");
    }
}

/// The name of a kind of class, its files, and the names of its learners.
type Class = (&'static str, Vec<(String, Vec<u8>)>, [&'static str; 2]);

/// Classes as platforms export them, each with Jane Doe, who solved the first exercise, and Tom Poe, who did not.
fn classes() -> Vec<Class> {
    let own = |text: String| zip(&[("my-exercises/11_map.cu", text.as_bytes())]);
    let moodle = |name: &str, rest: &str| format!("{name}_assignsubmission_file_{rest}");
    vec![
        (
            "archives in Moodle's folders",
            vec![
                (moodle("Jane Doe_123", "/file.zip"), own(solved())),
                (moodle("Tom Poe_124", "/file.zip"), own(open())),
            ],
            ["Jane Doe", "Tom Poe"],
        ),
        (
            "Moodle without folders",
            vec![
                (moodle("Jane Doe_123", "11_map (1).cu"), solved().into()),
                (moodle("Tom Poe_124", "11_map.cu"), open().into()),
                ("Tom Poe_124_assignsubmission_onlinetext_/onlinetext.html".into(), b"sorry".to_vec()),
            ],
            ["Jane Doe", "Tom Poe"],
        ),
        (
            "archives of Canvas",
            vec![("doejane_LATE_7_81_file-1.zip".into(), own(solved())), ("poetom_8_82_a_b.zip".into(), own(open()))],
            ["doejane", "poetom"],
        ),
        (
            "files of Canvas",
            vec![("doejane_7_81_11_map.cu".into(), solved().into()), ("poetom_8_82_11_map-1.cu".into(), open().into())],
            ["doejane", "poetom"],
        ),
        (
            "archives with the learners' names",
            vec![
                ("jane.zip".into(), own(solved())),
                ("tom.zip".into(), own(open())),
                ("__MACOSX/x".into(), Vec::new()),
            ],
            ["jane", "tom"],
        ),
    ]
}

#[test]
fn a_class_of_a_platform_is_split_into_learners() {
    if !has_compiler() {
        return;
    }
    for (kind, files, [jane, tom]) in classes() {
        let folder = folder();
        let of_zip: Vec<(&str, &[u8])> = files.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
        write(folder.path(), "class.zip", zip(&of_zip));
        write(folder.path(), "wrapped.zip", zip(&[("class.zip", &zip(&of_zip))]));
        files.iter().for_each(|(name, bytes)| write(&folder.path().join("unpacked"), name, bytes));
        for class in ["class.zip", "wrapped.zip", "unpacked"] {
            let (status, said) = grade(folder.path(), &format!("{class} --csv grades.csv"));
            assert_eq!(status, Some(1), "{kind}, {class}: {said}");
            let table = fs::read_to_string(folder.path().join("grades.csv")).expect("the table");
            let rows: Vec<&str> = table.lines().skip(1).collect();
            assert_eq!(rows.len(), 2, "{kind}, {class}: {table}{said}");
            assert!(rows[0].starts_with(&format!("{jane},11_map,cu,yes,")), "{kind}, {class}: {table}{said}");
            assert!(rows[1].starts_with(&format!("{tom},11_map,cu,no,results,")), "{kind}, {class}: {table}{said}");
        }
    }
}

#[test]
fn learners_of_one_name_are_told_apart_and_what_is_nobodys_is_named() {
    let folder = folder();
    let text = open();
    let files = [
        ("Jane Doe_123_assignsubmission_file_/report.pdf", b"".as_slice()),
        ("Jane Doe_124_assignsubmission_file_/12_guard.rar", text.as_bytes()),
        ("readme.txt", b""),
    ];
    write(folder.path(), "class.zip", zip(&files));
    let (_, said) = grade(folder.path(), "class.zip");
    assert!(
        said.contains("Jane Doe (123)  contains no exercises, such as 11_map.cu or 11_map.rs, but report.pdf\n"),
        "{said}"
    );
    assert!(said.contains("Jane Doe (124)  contains no exercises"), "{said}");
    assert!(said.contains("12_guard.rar is ignored: it is an archive, and only .zip is unpacked\n"), "{said}");
    assert!(said.contains("class.zip/readme.txt is ignored: its name has no learner's name\n"), "{said}");
    // Two folders named `mine` of two learners.
    for name in ["ann/mine", "tom/mine"] {
        fs::create_dir_all(folder.path().join(name)).expect("folders");
    }
    let (_, said) = grade(folder.path(), "ann/mine tom/mine");
    assert!(said.contains("mine (ann)") && said.contains("mine (tom)"), "{said}");
    // Two archives that are not copies of one are not mixed.
    for (name, text) in [("a", solved()), ("b", open()), ("a (1)", open())] {
        write(folder.path(), &format!("two/{name}.zip"), zip(&[("11_map.cu", text.as_bytes())]));
    }
    let (_, said) = grade(folder.path(), "two ann/mine");
    assert!(
        said.contains("contains a (1).zip/11_map.cu and b.zip/11_map.cu: if it has the folders of several"),
        "{said}"
    );
}

#[test]
fn a_learners_own_file_with_a_name_like_a_platforms_makes_no_class() {
    if !has_compiler() {
        return;
    }
    let folder = folder();
    write(folder.path(), "ann/11_map.cu", solved());
    write(folder.path(), "ann/test_1_2_out.txt", "");
    let (status, said) = grade(folder.path(), "ann");
    assert!(
        status == Some(0) && said.contains("ann: test_1_2_out.txt is ignored: it has the name of no exercise"),
        "{said}"
    );
}

#[test]
fn a_neighbors_verdict_names_no_neighbor() {
    if !has_compiler() {
        return;
    }
    let folder = folder();
    let text = first("oops;");
    for name in ["ann", "tom"] {
        write(folder.path(), &format!("{name}/11_map.cu"), &text);
    }
    write(folder.path(), "eve.zip", zip(&[("11_map.cu", text.as_bytes())]));
    let (_, said) = grade(folder.path(), "ann tom eve.zip --json");
    assert_eq!(said.matches("\"text\": \"11_map.cu(").count(), 3, "identical files have one verdict: {said}");
    assert!(!said.contains("ann/") && !said.contains("/tmp"), "{said}");
}
