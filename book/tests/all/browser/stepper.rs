//! The player's stepper: steps of a block, names of arrays, marks of counters, and numbers out of range.

use super::page::Page;
use super::player::{choose, open, run, step_through};
use super::site::reader;

/// Returns the stepper's text for the present step.
fn said(page: &mut Page) -> String {
    page.evaluate("document.querySelector('.player-said').textContent.trim()")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_player_steps_through_a_block() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage02-shared", "");
    step_through(&mut page, "computeForces_Tiling_Shared");
    let first = said(&mut page);
    page.click("[data-player-step=forward]");
    assert_ne!(said(&mut page), first);
    page.click("[data-player-step=back]");
    assert_eq!(said(&mut page), first);
    assert_eq!(page.evaluate::<usize>("document.querySelectorAll('.player-lanes .active').length"), 32);
    page.click("[data-player-step=first]");
    assert!(said(&mut page).starts_with("Step 1 of"), "{}", said(&mut page));
    page.click("[data-player-step=access]");
    page.wait_for("document.querySelector('.player-access')");
    page.click("[data-player-step=barrier]");
    let at_barrier = said(&mut page);
    assert!(at_barrier.starts_with("Step ") && at_barrier.contains(" bar"), "{at_barrier}");
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn buttons_and_picture_of_a_step_are_in_the_window_together() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.resize(768, 800);
    open(&mut page, site, "stage02-shared", "");
    assert!(run(&mut page));
    assert!(page.evaluate::<bool>("document.querySelector('.player-counted').open"));
    step_through(&mut page, "computeForces_Tiling_Shared");
    assert!(!page.evaluate::<bool>("document.querySelector('.player-counted').open"));
    let place = |page: &mut Page, selector: &str| -> [f64; 2] {
        page.evaluate(&format!(
            "(box => [box.top, box.bottom])(document.querySelector({selector:?}).getBoundingClientRect())"
        ))
    };
    page.run("document.querySelector('.player-steps').scrollIntoView({ behavior: 'instant' })");
    let [top, bottom] = [place(&mut page, ".player-bar")[0], place(&mut page, ".player-access svg")[1]];
    assert!(top >= 0.0 && bottom < 500.0, "from {top} to {bottom}");
    // Further down the buttons stay.
    page.run("document.querySelector('.player-written').scrollIntoView({ block: 'end', behavior: 'instant' })");
    let [top, bottom] = place(&mut page, ".player-bar");
    assert!((0.0..=60.0).contains(&top) && bottom < 250.0, "from {top} to {bottom}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_player_says_that_a_kernel_has_no_barrier() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage01-naive", "");
    step_through(&mut page, "computeForces");
    page.click("[data-player-step=barrier]");
    assert!(said(&mut page).contains("no further barrier"), "{}", said(&mut page));
}

/// Types into a field and leaves it.
fn type_into(page: &mut Page, selector: &str, value: &str) {
    page.run(&format!(
        "const field = document.querySelector({selector:?});
        field.value = {value:?};
        field.dispatchEvent(new Event('change', {{ bubbles: true }}))"
    ));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn accesses_are_named_by_array_and_index() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage01-naive", "");
    // The stepper begins at the first memory access.
    step_through(&mut page, "computeForces");
    page.wait_for("document.querySelector('.player-access')");
    let own = said(&mut page);
    assert!(own.contains("Global load of x[0–31], 4 bytes per lane"), "{own}");
    let captions: Vec<String> =
        page.evaluate("[...document.querySelectorAll('.player-access text')].map(text => text.textContent)");
    assert!(captions.iter().any(|caption| caption == "x[0]") && captions.iter().any(|caption| caption == "[8]"));
    // Every address of every scene is in a named array.
    let nameless: Vec<String> = page.evaluate(
        "coalesced.carried(document.querySelector('script.player-scenes')).then(bytes => {
            const data = JSON.parse(new TextDecoder().decode(bytes));
            return data.scenes.filter(take => {
                const scene = kernelPlayer.model.resolve(data, take);
                const { source } = data.kernels.find(
                    kernel => kernel.name === take.kernel && kernel.language === take.language);
                return kernelPlayer.arrays.of(scene, source).length !== scene.memory.length;
            }).map(take => `${take.kernel} in ${take.language}`) })",
    );
    assert_eq!(nameless, [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn an_address_outside_of_all_arrays_has_no_name() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage01-naive", "");
    let names: Vec<Option<String>> = page.evaluate(
        "[96, 100, 162, 163, 164].map(address => kernelPlayer.arrays.nameAt(
            [{ name: 'y', first: 100, end: 164, element: 4 }], address))",
    );
    let some = |name: &str| Some(name.to_owned());
    assert_eq!(names, [None, some("y[0]"), some("y[15]"), some("y[15]"), None]);
}

/// Returns the cells of a row in the table of counters.
fn cells(page: &mut Page, row: &str) -> Vec<String> {
    page.evaluate(&format!(
        "[...document.querySelectorAll('.player-counters tbody tr')]
            .filter(row => row.cells[0].textContent === {row:?})
            .flatMap(row => [...row.cells].slice(1).map(cell => cell.textContent))"
    ))
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn counts_that_ptxas_changes_are_marked() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage03-unroll", "");
    choose(&mut page, "computeForces_Shared");
    assert!(run(&mut page));
    let [wavefronts, instructions] =
        ["shared load wavefronts", "warp instructions"].map(|row| cells(&mut page, row).concat());
    assert!(wavefronts.starts_with('~') && !instructions.starts_with('~'), "{wavefronts} {instructions}");
    let note: String = page.evaluate("document.querySelector('.player-counters .player-note').textContent");
    assert!(note.starts_with("~ counted in the PTX: ptxas reads several words"), "{note}");
    // There are readings only of kernels in CUDA C++.
    page.run("document.querySelector('.player-result').removeAttribute('data-verified')");
    page.run(
        "const choice = document.querySelector('[data-player-choice=language]'); choice.value = 'Rust';
        choice.dispatchEvent(new Event('change', { bubbles: true }));
        document.querySelector('.player-live input[type=checkbox]').checked = false",
    );
    assert!(run(&mut page));
    assert!(!cells(&mut page, "shared load wavefronts").concat().contains('~'));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_player_goes_from_shuffle_to_shuffle() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage04-shuffle", "");
    step_through(&mut page, "computeForces_Tiling_Shuffle");
    let mut steps = Vec::new();
    for _ in 0..3 {
        page.click("[data-player-step=shuffle]");
        steps.push(said(&mut page));
    }
    assert!(steps.iter().all(|said| said.starts_with("Step ") && said.contains("shfl.")), "{steps:?}");
    steps.dedup();
    assert_eq!(steps.len(), 3);
    step_through(&mut page, "reduceSmemUnroll");
    page.click("[data-player-step=shuffle]");
    assert!(said(&mut page).contains("no further shuffle"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_second_barrier_of_128_threads_is_reached() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage02-shared", "");
    for kernel in ["computeForces_Tiling_Shared", "computeForces_Shared"] {
        choose(&mut page, kernel);
        page.run(
            "const choice = document.querySelector('[data-player-choice=block]');
            choice.value = [...choice.options].find(option => option.textContent.startsWith('128 ')).value;
            choice.dispatchEvent(new Event('change', { bubbles: true }))",
        );
        page.run("document.querySelector('.player-steps').replaceChildren()");
        step_through(&mut page, kernel);
        let barriers = [(); 2].map(|()| {
            page.click("[data-player-step=barrier]");
            said(&mut page)
        });
        assert!(barriers.iter().all(|said| said.starts_with("Step ") && said.contains(" bar")), "{barriers:?}");
        assert_ne!(barriers[0], barriers[1]);
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_block_that_is_not_in_the_grid_is_replaced_with_a_word() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage01-naive", "");
    let label: String = page.evaluate("document.querySelector('[data-player-block]').labels[0].textContent.trim()");
    assert_eq!(label, "number");
    for (typed, said, taken) in [("99", "The grid has no block 99: block 3 is taken.", "3"), ("1", "", "1")] {
        type_into(&mut page, "[data-player-block]", typed);
        assert_eq!(page.evaluate::<String>("document.querySelector('.player-clamped').textContent"), said);
        assert_eq!(page.evaluate::<String>("document.querySelector('[data-player-block]').value"), taken);
    }
}
