//! Loading of every page, from disk and from the server, without errors and without requests to other hosts.

use super::site::reader;
use super::visits::visits;

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_page_loads_on_disk() {
    let Some(visits) = visits() else { return };
    assert_eq!(visits.flat_map(|visit| &visit.problems_on_disk).collect::<Vec<_>>(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_page_loads_from_the_server() {
    let Some(visits) = visits() else { return };
    assert_eq!(visits.flat_map(|visit| &visit.problems_served).collect::<Vec<_>>(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_page_that_fails_while_it_loads_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let wrong = [
        ("console.error('wrong')", "console.error: "),
        ("setTimeout(() => { throw new Error('wrong') })", "Error: wrong"),
        ("new Image().src = 'missing.png'", "ERR_FILE_NOT_FOUND"),
        ("fetch('https://coalesced.invalid/').catch(() => {})", "asks the network for https://coalesced.invalid/"),
    ];
    let address = site.on_disk("glossary.html");
    for (script, problem) in wrong {
        // Each fault separately.
        page.before_every_page(&format!("if (location.hash === '#wrong') {{ {script} }}"));
        page.open(&format!("{address}?{}#wrong", problem.len()));
        let found = page.problems();
        assert!(found.iter().any(|found| found.contains(problem)), "{script}: {found:?}");
    }
}

/// Returns the colors at a few places of the galaxy as a text.
const GALAXY: &str = "(canvas => Array.from(
    canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data).join())(
    document.querySelector('.galaxy canvas'))";

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_galaxy_turns_unless_the_reader_wants_no_motion() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for (wish, turns) in [("no-preference", true), ("reduce", false)] {
        page.prefer_motion(wish);
        page.open(&site.on_disk("index.html"));
        page.wait_for("document.querySelector('.galaxy canvas').dataset.ready");
        // It stands still where nobody sees it.
        page.run("document.querySelector('.galaxy').scrollIntoView({ behavior: 'instant' })");
        let first: String = page.evaluate(GALAXY);
        assert!(first.contains("255"), "nothing is drawn");
        let _: Option<u8> = page.evaluate("new Promise(done => setTimeout(() => done(null), 500))");
        assert_eq!(page.evaluate::<String>(GALAXY) != first, turns, "{wish}");
    }
}
