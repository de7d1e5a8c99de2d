//! Mistakes with which a kernel may be right by accident, or never ends, with both compilers for CUDA C++; warnings; and what
//! `grade` would refuse.

use crate::program::{learn, started};
use cuda_cpp::{Choice, Compiler};
use std::fs;
use std::path::Path;

/// Returns the words that choose each compiler of this machine.
fn compilers() -> Vec<String> {
    let found = |choice: &Choice| match Compiler::find(Some(*choice)) {
        Ok(_) => true,
        Err(missing) => {
            crate::skip(&missing.to_string());
            false
        }
    };
    [Choice::Nvrtc, Choice::Clang].into_iter().filter(found).map(|choice| format!("--compiler {choice}")).collect()
}

/// Replaces words of the solution, and writes it as a learner's file.
fn write_changed(mine: &Path, name: &str, words: &str, others: &str) {
    let exercise = crate::exercises::set().folder.join(name);
    let text = fs::read_to_string(exercise.join("kernels/solution.cu")).expect("a solution");
    assert!(text.contains(words), "no {words} in {text}");
    fs::write(mine.join(format!("{name}.cu")), text.replacen(words, others, 1)).expect("a file");
}

#[test]
fn a_variable_without_a_value_is_not_solved() {
    let folder = started();
    let mine = folder.path().join("mine");
    for compiler in compilers() {
        write_changed(&mine, "16_one_sum", "float sum = 0.0f;", "float sum;");
        let (status, said) = learn(&mine, &format!("check 16 {compiler}"));
        let words = ["a variable is read before it has a value", "variable 'sum' is uninitialized"];
        assert!(status == Some(1) && words.iter().any(|words| said.contains(words)), "{compiler}: {said}");
        assert!(said.contains("for (int k = i; k < n; k += stride) sum += data[k];"), "no line: {said}");
        let (_, said) = learn(&mine, &format!("grade . --only 16 {compiler}"));
        assert!(said.contains("0/1"), "{compiler}: {said}");
        // Compilers do not warn of elements.
        write_changed(&mine, "53_coarsen", "sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};", "sum[4];");
        let (status, said) = learn(&mine, &format!("check 53 {compiler}"));
        assert!(status == Some(1) && said.contains("a variable is read before it has a value"), "{compiler}: {said}");
    }
}

#[test]
fn a_loop_without_an_end_is_called_so() {
    let folder = started();
    let mine = folder.path().join("mine");
    for compiler in compilers() {
        for endless in ["while (true) *total += 1;", "*total = 0; while (*total < 1e9f) *total = 0;"] {
            write_changed(&mine, "16_one_sum", "atomicAdd(total, sum);", endless);
            let (status, said) = learn(&mine, &format!("check 16 {compiler}"));
            // A loop whose threads write to each other's memory is stopped by its number of instructions.
            let is_told = said.contains("in an infinite loop") || said.contains("the kernel does not end");
            assert!(status == Some(1) && is_told, "{compiler}, {endless}: {said}");
        }
    }
}

#[test]
fn warnings_are_shown_and_a_kernel_is_solved_with_them() {
    let folder = started();
    let mine = folder.path().join("mine");
    for compiler in compilers() {
        write_changed(&mine, "16_one_sum", "float sum = 0.0f;", "float sum = 0.0f;\n    int forgotten;");
        let (status, said) = learn(&mine, &format!("check 16 {compiler}"));
        assert!(status == Some(0) && said.contains("\nthe compiler warns:\n  16_one_sum.cu"), "{compiler}: {said}");
        assert!(said.contains("forgotten") && !said.contains("diag-suppress"), "{compiler}: {said}");
        let (_, said) = learn(&mine, &format!("grade . --only 16 --json {compiler}"));
        assert!(said.contains("\"solved\": true") && said.contains("forgotten"), "{compiler}: {said}");
        fs::remove_file(mine.join("progress.toml")).expect("a progress");
    }
}

#[test]
fn what_grade_refuses_is_a_remark_of_check() {
    let folder = started();
    let mine = folder.path().join("mine");
    if compilers().is_empty() {
        return;
    }
    write_changed(&mine, "16_one_sum", "    // <<<\n", "");
    let (status, said) = learn(&mine, "check 16");
    let remark =
        "\n  Solved, but `cargo learn grade` would refuse this file: the skeleton's lines `// >>> your code` and";
    assert!(status == Some(0) && said.contains(remark), "{said}");
    let (_, said) = learn(&mine, "grade . --only 16");
    assert!(said.contains("is refused: the skeleton's lines `// >>> your code` and"), "{said}");
}

/// The counts and the estimate of the solution are those of the compiler of the answer.
#[test]
fn the_solution_is_compiled_by_the_compiler_of_the_answer() {
    let folder = started();
    let mine = folder.path().join("mine");
    for compiler in compilers() {
        write_changed(&mine, "53_coarsen", "", "// mine\n");
        let (_, said) = learn(&mine, &format!("check 53 {compiler}"));
        let line = said.lines().find(|line| line.contains("on an H200")).unwrap_or_else(|| panic!("{said}"));
        let (own, solution) = line.split_once("; the solution: ").unwrap_or_else(|| panic!("{line}"));
        assert!(own.contains(&format!(": {solution},")), "{compiler}: {line}");
        fs::remove_file(mine.join("progress.toml")).expect("a progress");
    }
}
