//! Links to a step of the player.

use super::page::Page;
use super::player::{open, step_through};
use super::site::reader;

fn said(page: &mut Page) -> String {
    page.evaluate("document.querySelector('.player-said')?.textContent ?? ''")
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_address_of_a_step_leads_back_to_it() {
    let Some((_browser, mut page, site)) = reader() else { return };
    for address in [site.on_disk("stage02-shared.html"), site.served("stage02-shared.html")] {
        page.open(&address);
        page.wake();
        step_through(&mut page, "computeForces_Tiling_Shared");
        for step in ["access", "barrier", "forward"] {
            page.click(&format!("[data-player-step={step}]"));
        }
        let before = said(&mut page);
        let step = before.split(' ').nth(1).unwrap().to_owned();
        page.wait_for(&format!("location.hash.endsWith('&step={step}')"));
        let link: String = page.evaluate("location.href");
        page.open("about:blank");
        page.open(&link);
        page.wait_for("document.querySelector('.player-said')");
        page.wait_for("scrollY > 0");
        assert_eq!(said(&mut page), before);
        assert_eq!(page.problems(), [""; 0]);
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_link_to_another_player_or_to_a_heading_opens_no_step() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open(&mut page, site, "stage02-shared", "location.hash = '#player=stage01-naive&step=3'");
    page.run("location.hash = '#run-it-here'");
    assert_eq!(said(&mut page), "");
}
