//! Tables on a phone: what scrolls says so, and its first column stays.

use super::site::reader;
use super::widths::{NARROW, open_at};

#[test]
#[ignore = "slow: run by cargo x ci"]
fn the_first_column_of_a_wide_table_stays() {
    let Some((_browser, mut page, site)) = reader() else { return };
    open_at(&mut page, NARROW, &site.on_disk("stage02-shared.html"));
    let table = "[...document.querySelectorAll('.table-wrapper')].find(box => box.scrollWidth > 1.5 * box.clientWidth)";
    page.wait_for(&format!("{table}?.classList.contains('goes-right')"));
    let hint: String = page.evaluate(&format!("getComputedStyle({table}, '::before').content"));
    assert!(hint.contains("scroll"), "{hint}");
    let first = format!("{table}.querySelector('tbody td').getBoundingClientRect().left");
    let before: f64 = page.evaluate(&first);
    page.run(&format!("{table}.scrollLeft = 200"));
    page.wait_for(&format!("{table}.classList.contains('goes-left')"));
    let after: f64 = page.evaluate(&first);
    assert!((after - before).abs() < 2.0, "from {before} to {after}");
}
