//! The report of `cargo learn check` on the cost of a kernel's lines.

use loading::workspace_root;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs `cargo learn check` and returns exit status, output and error output.
fn check(arguments: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_learn")).arg("check").args(arguments).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

fn slow() -> PathBuf {
    workspace_root().join("learn/cli/tests/costs/slow.cu")
}

/// Returns whether NVRTC is missing, and says so.
fn lacks_nvrtc() -> bool {
    nvrtc::Nvrtc::find().inspect_err(|missing| crate::skip(&missing.to_string())).is_err()
}

fn document(arguments: &[&str]) -> Value {
    let (_, said, errors) = check(arguments);
    serde_json::from_str(&said).unwrap_or_else(|error| panic!("{error}: {said}{errors}"))
}

/// Each kernel is slow for one reason; the last is not.
#[test]
fn causes_have_their_lines_in_the_order_of_what_they_cost() {
    if lacks_nvrtc() {
        return;
    }
    let document = document(&[&slow().display().to_string(), "--json"]);
    let runs = document["runs"].as_array().expect("runs");
    let of = |run: &Value| -> Vec<String> {
        let causes = run["causes"].as_array().expect("causes");
        causes.iter().map(|cause| format!("{} {}", cause["line"], cause["text"].as_str().expect("text"))).collect()
    };
    let found: Vec<(&str, Vec<String>)> =
        runs.iter().map(|run| (run["kernel"].as_str().expect("a name"), of(run))).collect();
    let expected: [(&str, &[&str]); 9] = [
        ("transpose_naive", &["18 12.5 % of each sector used: 32 sectors a store, 4 would do"]),
        ("transpose_tile", &["29 bank conflicts: 31 of 32 wavefronts of a request to shared memory"]),
        ("strided", &["35 12.5 % of each sector used: 32 sectors a load, 4 would do"]),
        ("structures", &["44 12.5 % of each sector used: 32 sectors a load, 4 would do"]),
        ("divergent", &["55 a branch that diverges: 1 of 32 lanes execute the 89,600 instructions of lines 56 to 57"]),
        ("one_counter", &["63 atomics on one address: 32 lanes of a warp add to one address"]),
        (
            "local_array",
            &[
                "70 local memory: 2,048 requests of 4 sectors, for an array whose index is computed or for spilled registers",
            ],
        ),
        ("table", &["78 constants: 32 addresses of a load, read one after the other"]),
        ("add", &[]),
    ];
    assert_eq!(found.len(), expected.len());
    for ((kernel, causes), (name, texts)) in found.iter().zip(expected) {
        assert_eq!((*kernel, causes.iter().map(String::as_str).collect::<Vec<_>>()), (name, texts.to_vec()));
    }
    let lines = runs[1]["counts"]["lines"].as_array().expect("lines");
    assert_eq!(lines[0]["line"], 29, "the most expensive line is the first");
    let counters = &lines[0]["counters"];
    assert_eq!(
        (&counters["shared_load_wavefronts"], &counters["shared_load_conflicts"]),
        (&65536.into(), &63488.into())
    );
    let total = &runs[1]["counts"]["total"];
    assert_eq!((&total["shared_load_conflicts"], &total["global_load_sectors"]), (&63488.into(), &8192.into()));
}

const TILE: [&str; 14] = [
    "--kernel",
    "transpose_tile",
    "--grid",
    "2,2",
    "--block",
    "32,8",
    "--arg",
    "f32[4096]=random",
    "--arg",
    "f32[4096]",
    "--arg",
    "i32=64",
    "--on",
    "h100",
];

#[test]
fn a_kernel_that_instructions_limit_has_the_line_with_most_of_them() {
    if lacks_nvrtc() {
        return;
    }
    let words = "--kernel busy --grid 1056 --block 256 --arg f32[270336]=1 --arg f32[270336]";
    let words: Vec<&str> = words.split(' ').collect();
    let (_, said, _) = check(&[&[slow().to_str().expect("a path")], &words[..]].concat());
    let last = said.lines().last().unwrap_or_default();
    assert!(said.contains("limited by issue (issue slots); ESTIMATED"), "{said}");
    assert!(last.starts_with("  line 93: ") && last.ends_with(" % of the issued instructions"), "{said}");
}

/// A few warps are a first try.
#[test]
fn little_work_has_no_causes() {
    if lacks_nvrtc() {
        return;
    }
    let words = "--kernel strided --grid 1 --block 64 --arg f32[512]=1 --arg f32[64]";
    let words: Vec<&str> = words.split(' ').collect();
    let (_, said, _) = check(&[&[slow().to_str().expect("a path")], &words[..]].concat());
    assert!(said.contains("strided: clean") && !said.contains("sector"), "{said}");
}

#[test]
fn a_table_has_all_lines_on_request() {
    if lacks_nvrtc() {
        return;
    }
    let file = slow().display().to_string();
    let short = check(&[&[file.as_str()], &TILE[..]].concat()).1;
    let whole = check(&[&[file.as_str()], &TILE[..], &["--counts"]].concat()).1;
    assert!(short.lines().count() <= 6, "{short}");
    let row = whole.lines().find(|line| line.ends_with("slow.cu:29 tile[threadIdx.x][y];")).expect("a row");
    assert!(row.contains(" 4,096 ") && row.contains(" 3,968 "), "{row}");
}

/// A sum in another order, and a kernel of another name and file.
#[test]
fn two_versions_are_compared() {
    if lacks_nvrtc() {
        return;
    }
    let file = slow().display().to_string();
    let naive = format!("{file}:transpose_naive");
    let (status, said, errors) = check(&[&[file.as_str()], &TILE[..], &["--compare", &naive]].concat());
    assert_eq!((status, errors.as_str()), (Some(0), ""), "{said}");
    assert!(said.contains("outputs: the same bits in all buffers"), "{said}");
    let row = said.lines().find(|line| line.contains("bank conflicts") && line.ends_with("0.00 x")).expect("a row");
    assert!(row.contains("3,968"), "{row}");
    assert!(said.lines().rev().take(2).all(|line| line.ends_with("ESTIMATED, not measured")), "{said}");
    let add = format!("{file}:add");
    let few: Vec<&str> =
        "--kernel strided --grid 1 --block 32 --arg f32[256]=1 --arg f32[32] --compare".split(' ').collect();
    let arguments = [&[file.as_str()], &few[..], &[&add, "--json"]].concat();
    let document = document(&arguments);
    let difference = &document["comparisons"][0]["differences"][0];
    assert_eq!(
        (&difference["argument"], &difference["elements"], &difference["largest"]),
        (&2.into(), &32.into(), &1.0.into())
    );
    let (status, _, errors) = check(&[&[file.as_str()], &few[..], &["nothing.cu"]].concat());
    assert!(status == Some(2) && errors.contains("cannot read nothing.cu"), "{errors}");
}

const RACY: &str = ".version 8.1\n.target sm_75\n.address_size 64\n\
    .visible .entry racy(.param .u64 out) { .reg .b64 %a; .reg .b32 %v;\n\
    ld.param.u64 %a, [out]; mov.u32 %v, %tid.x;\nst.global.u32 [%a], %v;\nst.global.u32 [%a+4096], %v; ret; }\n";

/// Writes a file with a comment for each command line.
fn marked(folder: &Path, name: &str, comments: &[&str]) -> String {
    let file = folder.join(name);
    let comments: String = comments.iter().map(|words| format!("// coalesced: {words}\n")).collect();
    std::fs::write(&file, format!("{comments}{RACY}")).expect("a file");
    file.display().to_string()
}

#[test]
fn comments_of_files_are_command_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = "--kernel racy --grid 1 --block 1 --arg u32[2048]";
    let clean = marked(folder.path(), "clean.ptx", &[one]);
    let both = marked(folder.path(), "both.ptx", &[one, "--kernel racy --grid 1 --block 2 --arg u32[2048]"]);
    let (status, said, errors) = check(&[&clean, "--no-estimate"]);
    assert_eq!((status, said.lines().count(), errors.as_str()), (Some(0), 1, ""), "{said}");
    let (status, said, _) = check(&[&clean, &both, "--format", "short"]);
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with(&format!("{both}:8: error: racecheck: ")), "{said}");
    assert_eq!((status, lines.len()), (Some(1), 2));
    // One that cannot be run does not keep the others from running.
    let wrong = marked(folder.path(), "wrong.ptx", &["--kernel none --grid 1 --block 1", one]);
    let (status, said, errors) = check(&[&wrong]);
    assert!(
        status == Some(2) && errors.contains("there is no kernel `none`") && said.contains("racy: clean"),
        "{errors}"
    );
    let unknown = marked(folder.path(), "unknown.ptx", &[one, "--kernel racy --gird 1"]);
    let (status, _, errors) = check(&[&unknown]);
    assert!(status == Some(2) && errors.contains(&format!("{unknown}:2: ")) && errors.contains("--gird"), "{errors}");
    let without = folder.path().join("without.ptx").display().to_string();
    std::fs::write(&without, RACY).expect("a file");
    let (status, _, errors) = check(&[&clean, &without]);
    assert!(status == Some(2) && errors.contains("without.ptx has no comment `// coalesced:"), "{errors}");
}

/// The parts that the schema of SARIF 2.1.0 requires, and those that code hosts read.
#[test]
fn sarif_has_its_required_parts() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = marked(
        folder.path(),
        "a b.ptx",
        &["--kernel racy --grid 1 --block 2 --arg u32[2048]", "--kernel none --grid 1 --block 1"],
    );
    let (status, said, _) = check(&[&file, "--format", "sarif"]);
    assert_eq!(status, Some(2));
    let log: Value = serde_json::from_str(&said).expect("JSON");
    assert_eq!(log["version"], "2.1.0");
    assert!(log["$schema"].as_str().is_some_and(|schema| schema.ends_with("sarif-schema-2.1.0.json")));
    let run = &log["runs"][0];
    let driver = &run["tool"]["driver"];
    assert!(driver["name"].is_string());
    let rules: Vec<&Value> = driver["rules"].as_array().expect("rules").iter().map(|rule| &rule["id"]).collect();
    assert_eq!(run["invocations"][0]["executionSuccessful"], false);
    let results = run["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    for result in results {
        assert!(rules.contains(&&result["ruleId"]), "{result}");
        assert!(["none", "note", "warning", "error"].contains(&result["level"].as_str().expect("a level")));
        assert!(result["message"]["text"].is_string());
        let place = &result["locations"][0]["physicalLocation"];
        assert!(place["region"]["startLine"].as_u64() >= Some(1), "{result}");
        assert!(place["artifactLocation"]["uri"].as_str().is_some_and(|uri| uri.ends_with("a%20b.ptx")), "{result}");
    }
    assert_eq!(results[0]["ruleId"], "racecheck");
    assert_eq!(results[0]["relatedLocations"], Value::Null, "PTX without line information has no other file");
}

/// Runs the script of the action in a repository with these files.
#[cfg(unix)]
#[test]
fn the_action_checks_the_files_with_command_lines() {
    let folder = tempfile::tempdir().expect("a folder");
    let git = |words: &[&str]| Command::new("git").args(words).current_dir(folder.path()).output();
    if git(&["init", "--quiet"]).is_err() {
        return crate::skip("git");
    }
    let script = workspace_root().join(".github/check/check.sh");
    let run = || {
        let mut command = Command::new("bash");
        command.arg(&script).current_dir(folder.path()).env("CHECK", env!("CARGO_BIN_EXE_learn"));
        command.env("SARIF", "found.sarif").env("OPTIONS", "--no-estimate").env("GITHUB_ACTIONS", "true");
        let output = command.output().expect("bash");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    assert_eq!(run().0, Some(2), "there is no file");
    let one = "--kernel racy --grid 1 --block 1 --arg u32[2048]";
    marked(folder.path(), "clean kernel.ptx", &[one]);
    std::fs::write(folder.path().join("other.ptx"), RACY).expect("a file");
    let (status, said) = run();
    assert_eq!((status, said.lines().last()), (Some(0), Some("clean: clean kernel.ptx")));
    marked(folder.path(), "racy.ptx", &["--kernel racy --grid 1 --block 2 --arg u32[2048]"]);
    let (status, said) = run();
    assert!(status == Some(1) && said.starts_with("::add-matcher::"), "{said}");
    let matched = said.lines().filter(|line| line.starts_with("racy.ptx:7: error: racecheck: ")).count();
    assert_eq!(matched, 1, "{said}");
    let log: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("found.sarif")).expect("a log")).expect("JSON");
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(2));
    let matcher = std::fs::read(workspace_root().join(".github/check/problem-matcher.json")).expect("a matcher");
    let matcher: Value = serde_json::from_slice(&matcher).expect("JSON");
    let pattern = &matcher["problemMatcher"][0]["pattern"][0];
    assert_eq!(pattern["regexp"], r"^(.+):(\d+): (error|warning|note): (.+)$", "as the lines above");
}
