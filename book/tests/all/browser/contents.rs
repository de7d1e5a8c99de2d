//! mdBook's own keys and its table of contents: arrow keys that turn pages, and the list for keys and for ears.

use super::page::Page;
use super::site::reader;
use super::visits::for_each_page;
use super::widths::{NARROW, WIDE, open_at};

const PAGE: &str = "stage02-shared.html";
const EXPLORER: &str = "how-a-gpu-runs.html";

/// Presses an arrow key where an element has the focus, or the whole page for `body`, and returns whether mdBook turns the page.
fn turns(page: &mut Page, selector: &str, key: &str) -> bool {
    // A turn is then seen at the address, and the page stays.
    page.run("document.querySelectorAll('.nav-chapters').forEach((link) => (link.href = '#turned'))");
    page.run("history.replaceState(null, '', '#'); document.activeElement.blur()");
    if selector != "body" {
        page.run(&format!("document.querySelector({selector:?}).focus()"));
    }
    assert!(page.evaluate::<bool>(&format!("document.activeElement.matches({selector:?})")), "{selector}: no focus");
    page.press(key);
    page.evaluate("location.hash === '#turned'")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn arrow_keys_turn_the_page_only_where_nothing_has_the_focus() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let table = ".table-wrapper[tabindex]";
    let of_stage =
        [table, ".player select", "[data-player-run]", "[role=tab]", "summary", "main p a", "#mdbook-theme-toggle"];
    let of_explorer = [".explorer select", ".explorer input"];
    for (name, places) in [(EXPLORER, &of_explorer[..]), (PAGE, &of_stage)] {
        open_at(&mut page, NARROW, &site.served(name));
        page.wake();
        for key in ["ArrowLeft", "ArrowRight"] {
            for place in places {
                page.wait_for(&format!("document.querySelector({place:?})"));
                assert!(!turns(&mut page, place, key), "{key} at {place} turned the page");
            }
            assert!(turns(&mut page, "body", key), "{key}: mdBook's own keys are gone");
        }
    }
    // The table scrolls instead, and after the skip link the keys are mdBook's.
    turns(&mut page, table, "ArrowRight");
    page.wait_for(&format!("document.querySelector({table:?}).scrollLeft > 0"));
    page.run("document.querySelector('main').tabIndex = -1");
    assert!(turns(&mut page, "main", "ArrowRight"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn keys_close_and_open_the_contents() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open_at(&mut page, WIDE, &site.on_disk(PAGE));
    let toggle = "#mdbook-sidebar-toggle";
    // Without transitions, mdBook only moves the closed contents out of the window.
    let state = |page: &mut Page| -> [String; 3] {
        page.evaluate(&format!(
            "[document.querySelector('{toggle}').getAttribute('aria-expanded'),
              document.querySelector('#mdbook-sidebar').getAttribute('aria-hidden'),
              document.querySelector('#mdbook-sidebar a').getAttribute('tabindex')]"
        ))
    };
    assert_eq!(state(&mut page), ["true", "false", "0"]);
    assert!(!turns(&mut page, "#mdbook-sidebar a", "ArrowRight"), "an arrow key in the contents turned the page");
    for expected in [["false", "true", "-1"], ["true", "false", "0"]] {
        page.run(&format!("document.querySelector('{toggle}').focus()"));
        assert!(page.evaluate::<bool>(&format!("document.activeElement.matches('{toggle}[role=button]')")));
        page.press("Enter");
        assert_eq!(state(&mut page), expected);
    }
}

/// A script that returns the mistakes in the open page's contents for those who hear it.
const FAULTS: &str = "(() => {
    const list = document.querySelector('nav#mdbook-sidebar');
    const current = [...list.querySelectorAll('[aria-current=page]')].map((link) => link.href);
    const mute = [...list.querySelectorAll('a:not([href])')].map((link) => `${link.textContent}: a link to nothing`);
    const here = location.href.split('#')[0];
    return current.length === 1 && current[0] === here ? mute : [...mute, `current: ${current} in ${here}`];
})()";

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_contents_name_the_current_page_and_every_entry_leads_somewhere() {
    let Some((browser, mut page, site)) = reader() else { return };
    let faults = for_each_page(&browser, site.chapters().collect(), |page, name| {
        page.open(&site.on_disk(name));
        page.evaluate::<Vec<String>>(FAULTS)
    });
    assert_eq!(faults.concat(), [""; 0]);
    page.open(&site.on_disk(PAGE));
    page.run("document.querySelector('#mdbook-sidebar a:not(.active)').removeAttribute('href')");
    page.run("document.querySelector('#mdbook-sidebar .active').removeAttribute('aria-current')");
    assert_eq!(page.evaluate::<Vec<String>>(FAULTS).len(), 2);
}
