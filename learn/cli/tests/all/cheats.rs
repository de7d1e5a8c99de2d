//! The verdicts of `cargo learn grade` on kernels that only look right, do the work of all threads in one, or attack the judge.

use crate::handing_in::zip;
use crate::program::{has_compiler, learn};
use loading::workspace_root;
use std::fs;

/// An attempt: its name, the exercise, the code in the marked lines, and the beginning of the cells *solved* and *failing*.
type Attempt = (&'static str, &'static str, &'static str, &'static str);

/// Results that were copied from the verdict on a wrong kernel, and kernels made for the sizes that learners see.
const COPIED: [Attempt; 7] = [
    ("typed results", "33_four_each", "sum = t > 0 ? 0 : blockIdx.x == 0 ? 784382207 : -122663085;", "no,results"),
    (
        "typed results for the size of the card",
        "33_four_each",
        "if (n == 1000) { sum = t > 0 ? 0 : blockIdx.x == 0 ? 784382207 : -122663085; } else { sum = 1; }",
        "no,results",
    ),
    ("a typed sum", "16_one_sum", "if (i == 0) *total = n == 5 ? 3.0172987f : 4984.8f;", "no,results"),
    ("one result for all", "41_last_five", "partials[blockIdx.x] = 1;", "no,results"),
    ("sizes of the card", "12_guard", "if (i < n && (n == 1000 || n == 77)) out[i] = 2.0f * in[i];", "no,results"),
    ("a size instead of n", "14_whose_index", "const int i = blockIdx.x * 128 + threadIdx.x; n = 1000;", "no,results"),
    ("no result", "12_guard", "", "no,results"),
];

/// Right results by more work than the lesson allows.
const WASTEFUL: [Attempt; 8] = [
    ("one thread adds", "12_guard", "if (i == 0) for (int k = 0; k < n; ++k) out[k] = 2.0f * in[k];", "wasteful,"),
    (
        "one thread sums",
        "16_one_sum",
        "if (i == 0) { float s = 0; for (int k = 0; k < n; ++k) s += data[k]; *total = s; }",
        "wasteful,",
    ),
    (
        "one thread for all lamps",
        "22_second_barrier",
        "if (i == 0) for (int e = 0; e < n; ++e) { float s = 0; for (int j = 0; j < n; ++j) { const float d = lamps[j] - lamps[e]; \
         s += power[j] / (d * d + 0.01f); } light[e] = s; }",
        "wasteful,",
    ),
    (
        "no tile",
        "24_ragged_tile",
        "for (int j = 0; j < n; ++j) { const float d = lamps[j] - own; sum += power[j] / (d * d + 0.01f); } \
         if (i < n) light[i] = sum;",
        "wasteful,",
    ),
    (
        "one thread per block of warps",
        "43_lanes_gone",
        "if (i == 0) for (int w = 0; w < (int)gridDim.x * 4; ++w) { int s = 0; for (int k = 32 * w; k < 32 * w + 32 && k < n; ++k) \
         s += data[k]; sums[w] = s; }",
        "wasteful,",
    ),
    (
        "everything eight times",
        "35_tail",
        "for (int again = 0; again < 8; ++again) { sum = 0; for (int k = 0; k < width; ++k) sum += ((volatile const int*)row)[k]; }",
        "wasteful,",
    ),
    (
        "arithmetic for the limit alone",
        "62_ridge",
        "float sum = 0.0f; for (int k = 0; k < 129; ++k) { const int j = i + k - 64; float f = j >= 0 && j < n ? data[j] : 0.0f; \
         float waste = f; for (int w = 0; w < 64; ++w) waste = waste * 1.0001f + f; sum += weights[k] * f + (waste == 1e30f ? 1 : 0); } \
         if (i < n) out[i] = sum;",
        "wasteful,",
    ),
    ("honest, for comparison", "12_guard", "if (i < n) out[i] = 2.0f * in[i];", "yes,"),
];

/// Kernels that do not end, break the rules of the machine, or imitate a verdict.
const ATTACKS: [Attempt; 16] = [
    ("an endless loop", "12_guard", "while (true) { out[0] = 1; }", "no,runs"),
    ("a wait for nobody", "12_guard", "while (((volatile float*)out)[0] != 1e30f) {}", "no,runs"),
    ("a trap", "12_guard", "asm(\"trap;\");", "no,runs"),
    ("an early exit", "12_guard", "asm(\"exit;\"); out[i] = 2.0f * in[i];", "no,results"),
    ("a large array", "12_guard", "__shared__ volatile char more[1 << 30]; more[i] = 1;", "no,"),
    ("a write through a null pointer", "12_guard", "*(int*)0 = 1;", "no,runs"),
    ("a search in memory", "12_guard", "out[i] = in[i + (1 << 20)];", "no,runs"),
    ("a write to the inputs", "12_guard", "if (i < n) { ((float*)in)[i] = 1; out[i] = 2; }", "no,results"),
    (
        "a race that is right by luck",
        "16_one_sum",
        "float s = 0; for (int k = i; k < n; k += stride) s += data[k]; *total += s;",
        "no,findings",
    ),
    ("a sum of what was not written", "12_guard", "if (i < n) out[i] = 2.0f * in[i] + 0.0f * out[i];", "no,findings"),
    (
        "the words of a verdict",
        "12_guard",
        "#error solved: it compiles, runs, is clean, and its results are correct",
        "no,compiles",
    ),
    ("a message with escape sequences", "12_guard", "#pragma message(\"\\033[2J solved: it compiles\")", "no,results"),
    ("another language", "12_guard", "let i = 0; out.set(i, 2.0);", "no,compiles"),
    ("a call of the system", "12_guard", "system(\"true\");", "no,compiles"),
    ("a launch without blocks", "61_least_work", "// launch <<<0, 128>>>", "no,runs"),
    ("a launch of everything", "61_least_work", "// launch <<<4000000000, 1024>>>", "no,runs"),
];

/// Returns the skeleton with this code in its first marked lines.
fn with_code(exercise: &str, code: &str) -> String {
    let folder = workspace_root().join("exercises").join(exercise);
    let skeleton = fs::read_to_string(folder.join("kernels/skeleton.cu")).expect("the skeleton");
    let (before, rest) = skeleton.split_once("// >>> your code\n").expect("a region");
    let (_, after) = rest.split_once("// <<<").expect("its end");
    format!("{before}// >>> your code\n{code}\n// <<<{after}")
}

/// Grades each attempt in a folder, and in an archive in the archive of a class, and compares the rows of the exercises.
fn grade(attempts: &[Attempt]) {
    if !has_compiler() {
        return;
    }
    let folder = tempfile::tempdir().expect("a folder");
    let mut class = Vec::new();
    for (index, (_, exercise, code, _)) in attempts.iter().enumerate() {
        let learner = folder.path().join(format!("learner{index}"));
        fs::create_dir(&learner).expect("a folder");
        let (name, text) = (format!("{exercise}.cu"), with_code(exercise, code));
        fs::write(learner.join(&name), &text).expect("a file");
        class.push((format!("zipped{index}_1_2_my.zip"), zip(&[(&name, text.as_bytes())])));
    }
    let class: Vec<(&str, &[u8])> = class.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())).collect();
    fs::write(folder.path().join("class.zip"), zip(&class)).expect("an archive");
    let names: Vec<String> = (0..attempts.len()).map(|index| format!("learner{index}")).collect();
    // Budgets of instructions end these kernels, and decide alike on a machine that is busy with other work.
    let (status, said) = learn(
        folder.path(),
        &format!("grade --seed 5 --time-limit 3600 --csv grades.csv class.zip {}", names.join(" ")),
    );
    assert_eq!(status, Some(1), "{said}");
    let table = fs::read_to_string(folder.path().join("grades.csv")).expect("the table");
    let mut wrong = Vec::new();
    let all = attempts.iter().enumerate().flat_map(|one| ["learner", "zipped"].map(|kind| (kind, one)));
    for (kind, (index, (name, exercise, _, expected))) in all {
        let begin = format!("{kind}{index},{exercise},cu,");
        let row = table.lines().find(|row| row.starts_with(&begin)).unwrap_or_default();
        if !row.starts_with(&format!("{begin}{expected}")) {
            wrong.push(format!("{name}, {kind}: expected {expected}, got {row}"));
        }
    }
    assert!(wrong.is_empty(), "{}\n{said}", wrong.join("\n"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn results_that_were_copied_fail_with_other_sizes_and_inputs() {
    grade(&COPIED);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn work_in_one_thread_and_other_waste_is_told_apart() {
    grade(&WASTEFUL);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn attacks_fail_with_a_verdict() {
    grade(&ATTACKS);
}
