//! Listings that are edited: compiled, run, compared, stopped, and kept.

use super::editor::{begin, end, open, open_by, replace, run, said, write, writer};
use super::page::Page;
use super::site::{Site, reader};

/// Opens the editor of problem A's first kernel.
pub fn edit(page: &mut Page, site: &Site) {
    page.open(&site.served("stage01-naive.html"));
    open(page, "computeForces");
}

pub const DONE: &str = "✓ The results are right.";
const WRONG: &str = "✗ The results are wrong: see below.";
const RIGHT: &str = "✓ The results are right";

/// Returns the text in the editor.
fn text(page: &mut Page) -> String {
    page.evaluate("document.querySelector('.editor-area').value")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_changed_kernel_is_compiled_counted_and_brought_back() {
    let Some((_browser, mut page, site)) = writer() else { return };
    edit(&mut page, site);
    let original = text(&mut page);
    assert_eq!(run(&mut page, ""), DONE);
    assert!(said(&mut page, ".editor .player-result").contains(RIGHT));
    replace(&mut page, "j < n;", "j < n - 1;");
    page.click("[data-editor=diff]");
    let difference = said(&mut page, ".editor-diff");
    assert!(difference.contains("+    for (int j = 0; j < n - 1;"), "{difference}");
    assert_eq!(run(&mut page, ""), WRONG);
    let result = said(&mut page, ".editor .player-result");
    assert!(result.contains('✗') && !result.contains(RIGHT), "{result}");
    assert!(said(&mut page, ".editor .player-counters thead").contains("change"), "no comparison with the run before");
    page.click("[data-editor=reset]");
    assert_eq!(text(&mut page), original);
    assert_eq!(run(&mut page, ""), DONE);
    assert!(said(&mut page, ".editor .player-result").contains(RIGHT));
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn entry_points_that_no_launch_calls_are_not_compiled() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("stage02-shared.html"));
    open(&mut page, "computeForces_Shared");
    let needed = |page: &mut Page, text: &str| -> String {
        page.evaluate(&format!("courseEditor.listings.needed({text:?}, ['sum_64', 'sumAll'])"))
    };
    let [by_block, by_name] = ["ENTRY_POINT(32)\nENTRY_POINT(64)\n", "ENTRY_POINT(sumAll, 1)\nENTRY_POINT(sum, 2)\n"];
    assert_eq!(needed(&mut page, by_block), "\nENTRY_POINT(64)\n");
    assert_eq!(needed(&mut page, by_name), "ENTRY_POINT(sumAll, 1)\n\n");
    let others = "int x;\nENTRY_POINT(8)\n";
    assert_eq!(needed(&mut page, others), others);
    // The blocks to choose from are compiled, and others are not.
    assert_eq!(run(&mut page, ""), DONE);
    assert!(said(&mut page, ".editor .player-result").contains(RIGHT));
}

/// The second kernel of a rung has launches of its own.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_kernel_that_moves_the_bodies_is_edited_too() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("stage06-steps-and-sums.html"));
    page.run("document.querySelectorAll('details').forEach((details) => (details.open = true))");
    open(&mut page, "periodicArraysIntegrate");
    assert_eq!(run(&mut page, ""), DONE);
    assert!(said(&mut page, ".editor .player-result").contains(RIGHT));
    replace(&mut page, "faster.y * dt", "faster.x * dt");
    assert_eq!(run(&mut page, ""), WRONG);
    assert!(said(&mut page, ".editor .player-result").contains("✗ Not the same bits"));
    assert_eq!(page.problems(), [""; 0]);
}

/// A listing of one function opens its whole file, once for all listings of the file.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_part_of_a_file_is_edited_in_the_file() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("stage06-steps-and-sums.html"));
    open(&mut page, "reduceVector");
    let line: String =
        page.evaluate("(area => area.value.slice(area.selectionStart).split('\\n')[0])(document.activeElement)");
    assert!(line.contains("template") || line.contains("reduce_vector"), "{line}");
    page.run("document.activeElement.blur()");
    let last = "[...document.querySelectorAll('.editable[data-kernel=reduceVector]')].at(-1).nextElementSibling.nextElementSibling";
    page.run(&format!("{last}.querySelector('[data-editor-open=kernel]').click()"));
    page.wait_for("document.activeElement.matches('.editor-area')");
    assert_eq!(page.evaluate::<usize>("document.querySelectorAll('.editor').length"), 1);
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn errors_are_in_the_margin_and_lead_to_their_lines() {
    let Some((_browser, mut page, site)) = writer() else { return };
    edit(&mut page, site);
    replace(&mut page, "sum_x += weight * dx;", "sum_x += weigth * dx;");
    let status = run(&mut page, "");
    assert!(status.starts_with("It does not compile: one message"), "{status}");
    assert!(said(&mut page, ".editor-numbers .editor-error").starts_with("✗ "));
    let message = said(&mut page, ".editor-message");
    assert!(message.contains("use of undeclared identifier 'weigth'"), "{message}");
    page.click(".editor-message");
    let place: String = page.evaluate(
        "(area => area.value.slice(area.selectionStart, area.selectionStart + 6))(document.querySelector('.editor-area'))",
    );
    assert_eq!(place, "weigth");
    // What needs the host's library is explained by clang itself.
    replace(&mut page, "weigth", "weight");
    replace(&mut page, "extern", "#include <vector>\nextern");
    run(&mut page, "");
    assert!(said(&mut page, ".editor-messages").contains("'vector' file not found"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn mistakes_are_found_and_stepped_to() {
    let Some((_browser, mut page, site)) = writer() else { return };
    edit(&mut page, site);
    replace(&mut page, "fx[i] =", "fx[i + 1000000] =");
    run(&mut page, "");
    let finding = said(&mut page, ".editor-finding");
    assert!(finding.contains("out-of-bounds") && finding.contains("fx[i + 1000000] ="), "{finding}");
    page.open(&site.served("stage02-shared.html"));
    open(&mut page, "computeForces_Shared");
    replace(&mut page, "__syncthreads();", "");
    run(&mut page, "");
    let finding = said(&mut page, ".editor-finding");
    assert!(finding.contains("racecheck: race") && finding.contains("shared memory"), "{finding}");
    let marks: usize = page.evaluate("document.querySelectorAll('.editor-numbers .editor-error').length");
    assert!(marks >= 2, "{marks} lines are marked; a race has two");
    page.click("[data-editor-finding]");
    page.wait_for("document.querySelector('.editor .player-said')?.textContent.includes('Shared')");
    assert!(page.evaluate::<bool>("document.querySelector('.editor .player-access svg') !== null"), "no picture");
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn what_does_not_end_is_stopped_and_the_page_stays_responsive() {
    let Some((_browser, mut page, site)) = writer() else { return };
    edit(&mut page, site);
    let original = text(&mut page);
    // A loop of the kernel, which the compiler may not remove as it may an endless one without effects, and 2^40 different
    // templates for the compiler: clang limits their depth, and not their number. The page's budget ends the loop after seconds.
    let templates = "template <long A, long B> struct W { static constexpr long v = W<A - 1, 2 * B>::v + W<A - 1, 2 * B + 1>::v; };\n\
                     template <long B> struct W<0, B> { static constexpr long v = B; };\n\
                     constexpr long w = W<40, 0>::v;\nextern";
    for (words, others) in [("for (int j", "for (long k = 0; k < 1L << 40; ++k) for (int j"), ("extern", templates)] {
        replace(&mut page, words, others);
        page.run(
            "window.longest = 0; let last = performance.now();
            const beat = () => { const now = performance.now(); longest = Math.max(longest, now - last); last = now; setTimeout(beat, 10); };
            beat()",
        );
        begin(&mut page, "");
        let _: Option<u8> = page.evaluate("new Promise(done => setTimeout(() => done(null), 1500))");
        assert!(
            page.evaluate::<bool>("document.querySelector('[data-editor=run]').disabled"),
            "it ended by itself: {others}"
        );
        page.click("[data-editor=stop]");
        assert_eq!(end(&mut page, ""), "Stopped.");
        let longest: f64 = page.evaluate("window.longest");
        assert!(longest < 1000.0, "the page did not answer for {longest} ms");
        write(&mut page, "", &original);
        assert_eq!(run(&mut page, ""), DONE);
    }
    replace(
        &mut page,
        "const int i =",
        "__shared__ char huge[1 << 30];\n    huge[threadIdx.x] = 0;\n    const int i =",
    );
    run(&mut page, "");
    let status = said(&mut page, ".editor-status");
    let result = said(&mut page, ".editor");
    assert!(result.contains("shared"), "{status}");
    write(&mut page, "", &original);
    assert_eq!(run(&mut page, ""), DONE);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn ptx_is_edited_from_disk_without_a_compiler() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk("stage01-naive.html"));
    page.run("document.querySelector('.editable').scrollIntoView({ behavior: 'instant' })");
    page.wait_for("document.querySelector('[data-editor-open=kernel]')");
    page.click("[data-editor-open=kernel]");
    assert!(said(&mut page, ".editor-open").contains("`cargo run -p book` opens it"));
    open_by(&mut page, "computeForces", "ptx");
    assert_eq!(run(&mut page, ""), "✓ The results are right.");
    assert!(said(&mut page, ".editor .player-result").contains(RIGHT));
    replace(&mut page, "rsqrt.approx", "sqrt.approx");
    run(&mut page, "");
    assert!(said(&mut page, ".editor .player-counters thead").contains("your run 2"), "runs have no names");
    assert!(!said(&mut page, ".editor .player-result").contains(RIGHT));
    for (words, others, expected) in
        [("sqrt.approx", "sqroot", "sqroot"), ("sqroot.f32 \t", "sqrt.f32 \t,", "expected")]
    {
        replace(&mut page, words, others);
        run(&mut page, "");
        let message = said(&mut page, ".editor-message");
        assert!(message.starts_with("line ") && message.contains(expected), "{message}");
        assert!(said(&mut page, ".editor-numbers .editor-error").starts_with("✗ "));
    }
    assert_eq!(page.problems(), [""; 0]);
}

/// A diff stays beside the editor of the newer file, which begins at the first new line.
#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_kernel_of_a_diff_is_edited() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served("stage03-unroll.html"));
    page.run("document.querySelectorAll('details').forEach((details) => (details.open = true))");
    let diff = "[...document.querySelectorAll('.editable')].find(mark => mark.nextElementSibling.querySelector('.language-diff'))";
    page.run(&format!("{diff}.scrollIntoView({{ behavior: 'instant' }})"));
    page.wait_for(&format!("{diff}.dataset.ready"));
    let kernel: String = page.evaluate(&format!("{diff}.dataset.kernel"));
    page.run(&format!(
        "{diff}.nextElementSibling.nextElementSibling.querySelector('[data-editor-open=kernel]').click()"
    ));
    page.wait_for("document.activeElement.matches('.editor-area')");
    assert!(page.evaluate::<bool>(&format!("!{diff}.nextElementSibling.hidden")), "{kernel}: the diff is gone");
    let line: String =
        page.evaluate("(area => area.value.slice(area.selectionStart).split('\\n')[0])(document.activeElement)");
    let added: String = page.evaluate(&format!(
        "{diff}.nextElementSibling.textContent.split('\\n').find(line => /^\\+[^+]/.test(line)).slice(1)"
    ));
    assert_eq!(line, added, "{kernel}: the cursor is elsewhere");
    assert_eq!(run(&mut page, ""), DONE);
    assert_eq!(page.problems(), [""; 0]);
}
