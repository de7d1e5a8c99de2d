//! The theme switch changes the figures with the page, and they can be seen in both themes.

use crate::page::Page;
use crate::site::reader;

/// What is wrong with the figures of the page that is open: hard to see, or of the same colors in both themes.
fn faults(page: &mut Page) -> Vec<String> {
    let mut found = Vec::new();
    let mut colors: Vec<Vec<String>> = Vec::new();
    for theme in ["light", "navy"] {
        page.choose_theme(theme);
        let faint: Vec<String> = page.evaluate("checks.faint()");
        found.extend(faint.iter().map(|what| format!("{theme}: {what}")));
        colors.push(page.evaluate("checks.colors()"));
    }
    let same = colors[0].iter().zip(&colors[1]).filter(|(light, dark)| light == dark);
    found.extend(same.map(|(colors, _)| format!("a figure keeps its colors: {colors}")));
    found
}

#[test]
fn figures_change_with_the_theme_and_can_be_seen() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let (mut found, mut figures) = (Vec::new(), 0);
    for name in site.chapters() {
        page.open(&site.on_disk(name));
        page.wake();
        figures += page.evaluate::<usize>("checks.colors().length");
        found.extend(faults(&mut page).iter().map(|what| format!("{name}, {what}")));
    }
    assert_eq!(found, [""; 0]);
    assert!(figures >= 9, "only {figures} figures");
}

#[test]
fn a_figure_of_fixed_or_faint_colors_is_noticed() {
    let Some((_browser, mut page, site)) = reader() else { return };
    let wrong = [
        ("<rect width='20' height='20' fill='#777'/>", "a figure keeps its colors"),
        ("<rect width='20' height='20' fill='#222'/>", "navy: rect"),
        ("<text y='20' fill='#eee'>pale</text>", "light: text \"pale\""),
        (
            "<rect width='60' height='30' style='fill: currentColor'/><text y='20' fill='currentColor'>on</text>",
            "text \"on\"",
        ),
        ("<path d='M0 0h20' fill='none' stroke='currentColor' opacity='0.1'/>", "light: path"),
    ];
    for (svg, fault) in wrong {
        page.open(&site.on_disk("sources.html"));
        let html = format!("<figure><svg width='100' height='50'>{svg}</svg></figure>");
        page.run(&format!("document.querySelector('main').insertAdjacentHTML('beforeend', {html:?})"));
        let found = faults(&mut page);
        assert!(found.iter().any(|found| found.contains(fault)), "{svg}: {found:?}");
    }
}
