//! The player of every stage, which runs a kernel and verifies its results.

use super::page::Page;
use super::site::{Site, reader};

/// The pages with a player of kernels, and the kernel that it begins with.
const CHAPTERS: [(&str, &str); 15] = [
    ("stage01-naive", "computeForces"),
    ("stage02-shared", "computeForces"),
    ("stage03-unroll", "computeForces_Shared"),
    ("stage04-shuffle", "computeForces_Tiling_unroll64"),
    ("stage05-coulomb", "coulombGather"),
    ("stage06-limit", "computeForces_unroll64"),
    ("stage08-matmul-rate", "matmulVector"),
    ("stage08-softmax", "softmaxThreePasses"),
    ("stage08-attention", "attentionThroughMemory"),
    ("stage09-scan", "scanHillisSteele"),
    ("stage09-histogram", "histogramGlobal"),
    ("stage09-sort", "sortSplit"),
    ("stage09-stencil", "heatDirect"),
    ("stage09-sparse", "sparseRowPerThread"),
    ("stage09-convolution", "convolutionDirect"),
];

/// Opens a stage's page, runs a script before its player reads its scenes, and waits for the player.
pub fn open(page: &mut Page, site: &Site, stage: &str, script: &str) {
    page.open(&site.on_disk(&format!("{stage}.html")));
    page.run(script);
    page.wake();
}

/// Runs the chosen launch and returns whether the player reports a verified result.
pub fn run(page: &mut Page) -> bool {
    page.click("[data-player-run]");
    page.wait_for("document.querySelector('.player-result[data-verified], .player-result.player-fault')");
    page.evaluate("document.querySelector('.player-result').dataset.verified === 'true'")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_player_runs_a_kernel_and_verifies_it() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for (chapter, kernel) in CHAPTERS {
        open(&mut page, site, chapter, "");
        let chosen: String = page.evaluate("document.querySelector('[data-player-choice=kernel]').value");
        assert_eq!(chosen, kernel, "{chapter}");
        assert!(run(&mut page), "{chapter}: not verified");
        let rows: usize = page.evaluate("document.querySelectorAll('.player-counters tbody tr').length");
        assert!(rows >= 3, "{chapter}: {rows} counters");
        assert_eq!(page.problems(), [""; 0], "{chapter}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_run_is_verified_with_and_without_the_fused_multiply_add() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let note = "const make = coalescedInstance;
        globalThis.coalescedInstance = (module) => (globalThis.made = make(module));";
    for (refuse, is_fused) in [("", true), ("WebAssembly.validate = () => false;", false)] {
        open(&mut page, site, "stage03-unroll", &format!("{{ {refuse} {note} }}"));
        assert!(run(&mut page), "not verified, fused: {is_fused}");
        assert_eq!(page.evaluate::<bool>("made.isFused"), is_fused);
    }
}

/// Returns what the player says about the last run.
fn result(page: &mut Page) -> String {
    page.evaluate("document.querySelector('.player-result').textContent")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn players_of_exercises_run_skeletons_and_say_their_faults() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for number in 1..=6 {
        open(&mut page, site, &format!("exercises-{number}"), "");
        assert!(!run(&mut page), "the first of set {number} passes, and is no exercise");
        assert!(!result(&mut page).contains('✓'), "set {number}: {}", result(&mut page));
        assert_eq!(page.problems(), [""; 0], "set {number}");
    }
    open(&mut page, site, "exercises-1", "");
    choose(&mut page, "12_guard");
    assert!(!run(&mut page), "its last threads leave the array");
    let said: String = page.evaluate("document.querySelector('.player-result .player-fault').textContent");
    assert!(said.contains("out-of-bounds"), "{said}");
    open(&mut page, site, "exercises-2", "");
    choose(&mut page, "22_second_barrier");
    assert!(!run(&mut page), "it has a race");
    let said = result(&mut page);
    for words in ["✗ Not solved.", "findings: racecheck: race between warps", "kernels/skeleton.cu:"] {
        assert!(said.contains(words), "no {words} in {said}");
    }
    open(&mut page, site, "exercises-1", "");
    step_through(&mut page, "15_neighbors");
    page.click("[data-player-step=access]");
    page.wait_for("document.querySelector('.player-access')");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn launches_of_every_shape_are_replayed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage06-limit", "");
    // Two-dimensional grids, blocks that wait for others, a graph launch, and asynchronous copies.
    for kernel in ["coulombSplitAtoms", "periodicPersistent", "periodicGraph", "reduceAsyncCopy", "reduceBulkCopy"] {
        choose(&mut page, kernel);
        page.run("document.querySelector('.player-result')?.removeAttribute('data-verified')");
        assert!(run(&mut page), "{kernel}: not verified");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_run_with_other_bits_is_not_called_verified() {
    let Some((_browser, mut page, site)) = reader() else { return };
    // The recorded results are changed before the player reads them.
    let other_results = "(unpack => { coalesced.unpack = async text => {
        const bytes = await unpack(text);
        if (bytes[0] !== 0x7b) return bytes;
        const data = JSON.parse(new TextDecoder().decode(bytes));
        const places = data.scenes.flatMap(take => take.scene.results);
        for (const place of places) {
            const other = data.contents[place.contents].replace(/^./, digit => digit === '0' ? '1' : '0');
            data.contents[`other ${place.contents}`] = other;
            place.contents = `other ${place.contents}`;
        }
        return new TextEncoder().encode(JSON.stringify(data));
    } })(coalesced.unpack)";
    open(&mut page, site, "stage01-naive", other_results);
    assert!(!run(&mut page));
}

/// Chooses a kernel.
pub fn choose(page: &mut Page, kernel: &str) {
    page.run(&format!(
        "const choice = document.querySelector('[data-player-choice=kernel]');
        choice.value = [...choice.options].find(option => option.textContent.includes({kernel:?})).value;
        choice.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    ));
}

/// Chooses a kernel and opens the stepper of its first block.
pub fn step_through(page: &mut Page, kernel: &str) {
    choose(page, kernel);
    page.click("[data-player-trace]");
    page.wait_for("document.querySelector('.player-said')?.textContent.trim()");
}
