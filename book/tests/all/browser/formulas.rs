//! Formulas: nothing of them is cut, and the font of the book has their letters and signs.

use super::page::Page;
use super::site::{Site, reader};
use std::fs;

/// A script that returns the formulas of which a part is outside of their box.
const CUT: &str = "[...document.querySelectorAll('.equation')]
    .filter(box => box.scrollHeight > box.clientHeight || [...box.querySelectorAll('math *')].some(part =>
        part.getBoundingClientRect().top < box.getBoundingClientRect().top))
    .map(box => box.textContent)";

/// A script that returns the signs of formulas that the font lacks. Letters of one-letter names are drawn slanted.
const MISSING: &str = "document.fonts.ready.then(() => {
    const font = [...document.fonts].find(({ family }) => family.includes('STIX'));
    const ranges = font.unicodeRange.split(',').map(range => range.trim().slice(2).split('-').map(end => parseInt(end, 16)));
    const has = sign => ranges.some(([first, last = first]) => first <= sign.codePointAt(0) && sign.codePointAt(0) <= last);
    const signs = [...document.querySelectorAll('.equation math')].flatMap(({ textContent }) => [...textContent.trim()]);
    return font.status === 'loaded' ? [...new Set(signs)].filter(sign => sign.trim() && !has(sign)) : ['no font'];
})";

fn pages(site: &Site) -> Vec<&str> {
    let has_formula = |page: &&str| {
        let file = site.on_disk(page);
        fs::read_to_string(file.trim_start_matches("file://")).unwrap().contains("class=\"equation\"")
    };
    site.chapters().filter(has_formula).collect()
}

fn found(page: &mut Page, script: &str) -> Vec<String> {
    page.evaluate(script)
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn formulas_are_whole_and_in_the_font_of_the_book() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let pages = pages(site);
    assert!(pages.len() >= 5, "{pages:?}");
    for name in pages {
        page.open(&site.on_disk(name));
        assert_eq!(found(&mut page, MISSING), [""; 0], "{name}");
        assert_eq!(found(&mut page, CUT), [""; 0], "{name}");
    }
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_formula_that_is_cut_or_has_a_strange_sign_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    page.open(&site.on_disk("stage01-naive.html"));
    page.run("document.querySelector('.equation').style = 'padding: 0; height: 20px; overflow: hidden'");
    assert_eq!(found(&mut page, CUT).len(), 1);
    page.run("document.querySelector('.equation mi').textContent = '\u{5b57}'");
    assert_eq!(found(&mut page, MISSING), ["\u{5b57}"]);
}
