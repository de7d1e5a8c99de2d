//! The content check: the book passes it, and for each rule a copy that breaks it fails. The rules for kernels' cards are in
//! `content_of_cards.rs`.

use crate::support::Copy;
use book::check;
use loading::workspace_root;
use std::fs;
use std::path::Path;

/// Returns the findings in a changed copy, sorted.
pub fn findings(change: impl Fn(&Copy)) -> Vec<String> {
    let copy = Copy::with_repository();
    change(&copy);
    check::run(&copy.root()).unwrap().findings.iter().map(ToString::to_string).collect()
}

/// Requires that a changed copy has exactly one finding, which begins with the place and contains the words.
pub fn assert_finds(place: &str, words: &str, change: impl Fn(&Copy)) {
    let findings = findings(change);
    assert!(findings.len() == 1 && findings[0].starts_with(place) && findings[0].contains(words), "{findings:#?}");
}

/// Requires exactly one finding for a line that is added to a chapter, with the number of the line.
fn assert_finds_line(words: &str, line: &str) {
    let copy = Copy::with_repository();
    let number = copy.add_line("sources.md", line);
    assert_finds(&format!("book/text/sources.md:{number}: "), words, |copy| {
        copy.add_line("sources.md", line);
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_book_passes() {
    let report = check::run(Path::new(env!("CARGO_MANIFEST_DIR"))).unwrap();
    assert_eq!(report.findings, []);
    let looked_at = report.looked_at.join(", ");
    for what in ["pages", "directives", "kernel files", "cards", "figures", "links", "paths", "records"] {
        let count = looked_at.split(", ").find_map(|part| part.strip_suffix(&format!(" {what}")));
        assert!(count.is_some_and(|count| count.parse::<usize>().unwrap() >= 5), "{looked_at}");
    }
    assert_eq!(findings(|_| {}), [""; 0], "a copy that is not changed");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_kernel_file_needs_a_chapter_and_a_row() {
    assert_finds("stage01-naive/kernels/01_compute_forces.cu:1: ", "put {{kernel computeForces}}", |copy| {
        copy.replace_line("stage01-naive.md", "{{kernel computeForces}}", "");
    });
    assert_finds("stage01-naive/kernels/99_new.cu:1: ", "no rung of stage01-naive/src/lib.rs", |copy| {
        fs::write(copy.file("stage01-naive/kernels/99_new.cu"), "// y = x\n").unwrap();
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_directive_must_be_met() {
    assert_finds_line("has no item farthest_image", "{{kernel periodicGlobal item farthest_image}}");
    assert_finds_line("there is no kernel computeForce;", "{{kernel computeForce}}");
    assert_finds_line("begins after an empty line", "{{formula a = b}}\n*This* is Markdown.");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn links_and_anchors_lead_somewhere() {
    assert_finds_line("the link `nowhere.md` is dead", "[a](nowhere.md)");
    assert_finds_line("glossary.md has no heading `nothing`", "[a](glossary.md#nothing)");
    assert_finds_line("has no heading `nothing`", "[a](#nothing)");
    assert_finds_line("write its path as code", "[a](../../common/src/verify.rs)");
    assert_finds_line("the link `nowhere.html` is dead", "<a href=\"nowhere.html\">a</a>");
    assert_finds("README.md:", "there is no NOTHING.md", |copy| {
        copy.edit("README.md", "(ARCHITECTURE.md)", "(NOTHING.md)")
    });
    assert_finds("ARCHITECTURE.md:", "there is no `common/src/nothing.rs`", |copy| {
        copy.edit("ARCHITECTURE.md", "`common/src/stage.rs`", "`common/src/nothing.rs`");
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_path_in_a_sentence_is_there() {
    assert_finds_line("there is no `common/src/nothing.rs`", "It is in `common/src/nothing.rs`.");
    assert_finds_line("there is no `machine/nothing.rs`", "It is in `machine/nothing.rs`, and not in `FILE.rs`.");
    for text in ["emulator/machine/INSTRUCTIONS.md", "emulator/driver/README.md"] {
        assert_finds(text, "there is no `tools/xtask/nothing`", |copy| {
            add_line(copy, text, "It is in `tools/xtask/nothing`.")
        });
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_file_to_come_is_not_there_yet() {
    let is_there = "`tools/xtask/src/main.rs` exists: remove it from the files to come";
    assert_finds("docs/maintaining.md:", is_there, |copy| {
        copy.edit("docs/maintaining.md", "<!-- to come: ", "<!-- to come: tools/xtask/src/main.rs, ");
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_map_of_the_code_is_short() {
    assert_finds("ARCHITECTURE.md:1: ", "words; it has at most 1200", |copy| {
        add_line(copy, "ARCHITECTURE.md", &"word ".repeat(1200));
    });
}

/// Adds a line to the end of a file, which becomes a copy if it was a link.
pub fn add_line(copy: &Copy, file: &str, line: &str) {
    copy.own(file);
    let text = fs::read_to_string(copy.file(file)).unwrap();
    fs::write(copy.file(file), format!("{text}\n{line}\n")).unwrap();
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_picture_has_words() {
    let image = |copy: &Copy| fs::write(copy.file("book/text/a.png"), "").unwrap();
    for line in ["![](a.png)", "<img src=\"a.png\">", "<svg viewBox=\"0 0 1 1\"></svg>"] {
        assert_finds("book/text/sources.md:", "without words", |copy| {
            image(copy);
            copy.add_line("sources.md", line);
        });
    }
    let with_words = |copy: &Copy| {
        image(copy);
        copy.add_line("sources.md", "![an A](a.png)");
    };
    assert_eq!(findings(with_words), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn pages_and_figures_can_be_found() {
    assert_finds("book/text/orphan.md:1: ", "SUMMARY.md does not list this page", |copy| {
        fs::write(copy.file("book/text/orphan.md"), "# Orphan\n").unwrap();
    });
    assert_finds("book/text/SUMMARY.md:", "`none.md` is dead", |copy| {
        copy.edit("book/text/SUMMARY.md", "- [Sources](sources.md)", "- [Sources](sources.md)\n- [None](none.md)");
    });
    assert_finds("book/figures/unused.svg:1: ", "write {{figure unused}}", |copy| {
        fs::copy(copy.file("book/figures/tree.svg"), copy.file("book/figures/unused.svg")).unwrap();
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn slides_are_checked_like_chapters_and_follow_their_plan() {
    let deck = "book/slides/session-1.md";
    for (words, others, finding) in [
        ("Four promises", "Four {{promises}}", "no such directive"),
        ("Write the index of the thread.", "[a](../text/nowhere.md)", "the link `../text/nowhere.md` is dead"),
        ("Write the index of the thread.", "It takes 3 ms.", "`3 ms` is typed in"),
        ("Write the index of the thread.", "`common/src/nothing.rs`", "there is no `common/src/nothing.rs`"),
        ("Write the index of the thread.", &"word ".repeat(50), "a slide has at most 42"),
        ("## Four promises", "Four promises", "a slide without a heading"),
        ("Part: a warp and memory", "Part: a warp", "has `a warp and memory`"),
    ] {
        assert_finds(&format!("{deck}:"), finding, |copy| copy.edit(deck, words, others));
    }
    assert_finds("book/text/teaching.md:", "there are no slides book/slides/session-9.md", |copy| {
        copy.add_line("teaching.md", "[a](slides/session-9.html)");
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_stages_chapter_is_neither_short_nor_long() {
    assert_finds("book/text/stage04-shuffle.md:", "a stage's chapter has 100 to 260", |copy| {
        copy.add_line("stage04-shuffle.md", &"\n".repeat(100));
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn records_state_the_version_of_their_kernel() {
    const FILE: &str = "results/nvidia-h200/stage02.json";
    let hash = || {
        let text = fs::read_to_string(workspace_root().join(FILE)).unwrap();
        let (_, rest) = text.lines().nth(3).unwrap().split_once("\"kernel_sha256\":").unwrap();
        rest.split(',').next().unwrap().trim().to_owned()
    };
    // The second kernel of the file is in its fourth line, after both records of the first.
    let found = findings(|copy| copy.edit(FILE, &hash(), "null"));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(
        found[0].starts_with("results/nvidia-h200/stage02.json:4: the record of computeForces_Shared"),
        "{found:#?}"
    );
    assert!(found[0].contains("cargo run -p stage02-shared -- --json"), "{found:#?}");

    let found = findings(|copy| copy.edit(FILE, &hash(), &format!("\"{}\"", "0".repeat(64))));
    assert_eq!(found.len(), 1, "{found:#?}");
    assert!(found[0].contains("computeForces_Shared is of an older version of the kernel"), "{found:#?}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_record_of_an_older_version_is_refused_on_any_device() {
    let older = |file: &str| {
        let found = findings(|copy| {
            let text = fs::read_to_string(copy.file(file)).unwrap();
            let (_, rest) = text.split_once("\"kernel_sha256\":").unwrap();
            let hash = rest.split('"').nth(1).unwrap();
            fs::write(copy.file(file), text.replacen(hash, &"0".repeat(64), 1)).unwrap();
        });
        assert!(found.len() == 1 && found[0].contains("is of an older version"), "{file}: {found:#?}");
    };
    for file in [
        "nvidia-h100/stage01.json",
        "nvidia-h100/variants.json",
        "nvidia-h200/stage03-profile.json",
        "nvidia-h200/prices.json",
    ] {
        older(&format!("results/{file}"));
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_file_of_a_gpu_is_accepted_or_refused() {
    let write = |copy: &Copy, text: &str| {
        fs::create_dir_all(copy.file("results/community")).unwrap();
        fs::write(copy.file("results/community/tesla-t4.json"), text).unwrap();
    };
    assert_finds("results/community/tesla-t4.json:1: ", "file: it is no JSON", |copy| write(copy, "hello"));
    assert_finds("results/community/tesla-t4.json:1: ", "this program reads 1", |copy| write(copy, "{\"schema\": 9}"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_kernel_without_a_record_is_a_notice_and_no_mistake() {
    let copy = Copy::with_repository();
    let notice = "reduceSmemUnroll of stage03-unroll is not recorded on the GPU that the book shows".to_owned();
    assert!(!check::run(&copy.root()).unwrap().notices.contains(&notice));
    fs::remove_file(copy.file("results/nvidia-h200/stage03.json")).unwrap();
    let report = check::run(&copy.root()).unwrap();
    assert_eq!(report.findings, []);
    assert!(report.notices.contains(&notice), "{:?}", report.notices);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_listing_of_machine_code_has_the_version_of_its_kernel() {
    const FILE: &str = "book/machine-code/computeForces.sass";
    assert_finds(FILE, "is of an older version of computeForces", |copy| {
        copy.own(FILE);
        copy.edit(FILE, "// version ", "// version 0");
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_record_of_no_kernel_is_noticed() {
    let found = findings(|copy| copy.edit("results/nvidia-h200/stage05.json", "coulombScatter", "coulombSpread"));
    assert!(found.iter().any(|line| line.contains("stage05-coulomb has no kernel coulombSpread")), "{found:#?}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_measured_number_is_not_typed_in() {
    for line in ["It takes 0.889 ms now.", "<p>That is 6.04 TFLOP/s.</p>", "So it is 2.2 times as fast."] {
        assert_finds("book/text/stage04-shuffle.md:", "is typed in", |copy| {
            copy.add_line("stage04-shuffle.md", line);
        });
    }
}
