//! Archives of attackers, and what `cargo learn grade` refuses in any archive.

use crate::handing_in::{first, folder, grade, open, solved, write, zip};
use crate::program::has_compiler;
use std::fs;
use std::io::Write;
use std::path::Path;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

#[cfg(unix)]
#[test]
fn links_to_a_neighbors_folder_or_archive_are_not_followed() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    write(folder.path(), "tom/11_map.cu", solved());
    write(folder.path(), "tom.zip", zip(&[("11_map.cu", solved().as_bytes())]));
    fs::create_dir_all(folder.path().join("class/ann")).expect("folders");
    symlink(folder.path().join("tom.zip"), folder.path().join("class/ann/my.zip")).expect("a link");
    let jane = "Jane Doe_123_assignsubmission_file_";
    symlink(folder.path().join("tom"), folder.path().join("class").join(jane)).expect("a link");
    let (status, said) = grade(folder.path(), "class/ann");
    assert!(status == Some(1) && said.contains("contains no exercises"), "{said}");
    let (status, said) = grade(folder.path(), "class");
    assert!(status == Some(1) && said.contains(&format!("class/{jane} is ignored: it is no folder\n")), "{said}");
    assert!(said.contains("Jane Doe  contains no exercises"), "{said}");
}

/// Sets the flag of encryption in all headers of an archive.
fn encrypted(mut archive: Vec<u8>) -> Vec<u8> {
    for (magic, flags) in [(*b"PK\x03\x04", 6), (*b"PK\x01\x02", 8)] {
        let headers: Vec<usize> = (0..archive.len() - 4).filter(|at| archive[*at..*at + 4] == magic).collect();
        headers.into_iter().for_each(|at| archive[at + flags] |= 1);
    }
    archive
}

#[test]
fn hostile_entries_are_refused_by_name_and_the_others_are_graded() {
    if !has_compiler() {
        return;
    }
    let folder = folder();
    let inside = folder.path().join("inside");
    fs::create_dir(&inside).expect("a folder");
    let (own, evil) = (solved(), open());
    let mut bytes = std::io::Cursor::new(Vec::new());
    let mut writer = ZipWriter::new(&mut bytes);
    let large = vec![b' '; 2 << 20];
    let long = format!("{}/12_guard.cu", "x".repeat(300));
    let inner = encrypted(zip(&[("13_two_dimensions.cu", evil.as_bytes())]));
    let many: Vec<String> = (0..20_001).map(|number| format!("{number}")).collect();
    let many = zip(&many.iter().map(|name| (name.as_str(), b"".as_slice())).collect::<Vec<_>>());
    for (name, contents) in [
        ("11_map.cu", own.as_bytes()),
        ("../11_map.cu", evil.as_bytes()),
        ("a/../../11_map.cu", evil.as_bytes()),
        ("..\\11_map (1).cu", evil.as_bytes()),
        ("/tmp/11_map.cu", evil.as_bytes()),
        ("C:\\11_map.cu", evil.as_bytes()),
        ("12_guard\u{1b}[2J.cu", evil.as_bytes()),
        (&long, evil.as_bytes()),
        ("14_whose_index.cu", &large),
        ("inner.zip", &inner),
        ("many.zip", &many),
        ("broken.zip", b"PK"),
    ] {
        writer.start_file(name, SimpleFileOptions::default()).expect("an entry");
        writer.write_all(contents).expect("its contents");
    }
    writer.add_symlink("15_neighbors.cu", "/etc/passwd", SimpleFileOptions::default()).expect("a link");
    writer.finish().expect("an archive");
    write(&inside, "ann.zip", bytes.into_inner());
    let (status, said) = grade(&inside, "ann.zip");
    assert_eq!(status, Some(0), "{said}");
    for line in [
        "ann.zip/../11_map.cu is refused: its name leads out of the archive",
        "ann.zip/a/../../11_map.cu is refused: its name leads out of the archive",
        "ann.zip/..\\11_map (1).cu is refused: its name leads out of the archive",
        "ann.zip//tmp/11_map.cu is refused: its name is an absolute path",
        "ann.zip/C:\\11_map.cu is refused: its name is an absolute path",
        "ann.zip/12_guard\u{fffd}[2J.cu is refused: its name is invalid",
        "x/12_guard.cu is refused: its name is invalid",
        "ann.zip/14_whose_index.cu is refused: it has more than 1048576 bytes",
        "ann.zip/15_neighbors.cu is refused: it is a symbolic link",
        "ann.zip/inner.zip/13_two_dimensions.cu is refused: it is encrypted",
        "ann.zip/many.zip is refused: it has too many entries",
        "ann.zip/broken.zip is refused: it is not a zip archive, or damaged",
    ] {
        assert!(said.contains(line), "{line}: {said}");
    }
    let left: Vec<_> = fs::read_dir(folder.path()).expect("the folder").flatten().map(|one| one.file_name()).collect();
    assert_eq!(left, ["inside"], "nothing leads out");
    assert!(!Path::new("/tmp/11_map.cu").exists());
}

#[test]
fn what_is_refused_in_a_folder_is_refused_in_an_archive() {
    let folder = folder();
    let includes = first("#include \"/etc/passwd\"");
    let changed = solved().replace("extern \"C\"", "extern  \"C\" __launch_bounds__(32)");
    let unmarked: Vec<_> = solved().lines().filter(|line| !line.contains("// ")).map(str::to_owned).collect();
    for (text, reason) in [
        (includes, "reads another file"),
        (changed, "line 1 is `extern  \"C\" __launch_bounds__(32)"),
        (unmarked.join("\n"), "`// >>> your code` and `// <<<` are missing"),
    ] {
        write(folder.path(), "ann.zip", zip(&[("mine/11_map.cu", text.as_bytes())]));
        let (status, said) = grade(folder.path(), "ann.zip");
        assert!(status == Some(1) && said.contains("refused: 11\n"), "{said}");
        let line = said.lines().find(|line| line.starts_with("ann.zip/mine/11_map.cu is refused: "));
        assert!(line.is_some_and(|line| line.contains(reason)), "{said}");
    }
}

#[test]
fn archives_in_archives_in_archives_end() {
    let folder = folder();
    let mut archive = zip(&[("11_map.cu", b"")]);
    for _ in 0..12 {
        archive = zip(&[("more.zip", &archive), ("x.txt", b"")]);
    }
    write(folder.path(), "ann.zip", archive);
    let (status, said) = grade(folder.path(), "ann.zip");
    assert!(status == Some(1) && said.contains("contains no exercises"), "{said}");
    assert!(said.contains("ann.zip: not all of its folders were looked at"), "{said}");
    let (status, said) = grade(folder.path(), "nothing.csv");
    assert_eq!(status, Some(1), "{said}");
    write(folder.path(), "nothing.csv", "");
    let (status, said) = grade(folder.path(), "nothing.csv");
    assert!(status == Some(2) && said.contains("there is no folder or zip archive to grade"), "{said}");
}
