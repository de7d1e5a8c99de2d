//! The figures in a light and a dark theme: they change with the theme and have enough contrast.

use super::page::Page;
use super::site::reader;
use super::visits::visits;

/// The light theme and the dark theme for the checks of figures.
pub const LIGHT_AND_DARK: [&str; 2] = ["light", "navy"];

/// The figures of a page in a theme.
pub struct Figures {
    /// The parts with too little contrast.
    pub faint: Vec<String>,
    /// The colors of each figure.
    pub colors: Vec<String>,
}

impl Figures {
    /// Returns the figures of the open page.
    pub fn new(page: &mut Page) -> Self {
        Self { faint: page.evaluate("checks.faint()"), colors: page.evaluate("checks.colors()") }
    }
}

/// Returns the figures with the same colors in both themes.
pub fn unchanged(light: &Figures, dark: &Figures) -> Vec<String> {
    let same = light.colors.iter().zip(&dark.colors).filter(|(light, dark)| light == dark);
    same.map(|(colors, _)| format!("a figure keeps its colors: {colors}")).collect()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn figures_change_with_the_theme_and_can_be_seen() {
    let Some(visits) = visits() else { return };
    assert_eq!(visits.flat_map(|visit| &visit.figures_at_fault).collect::<Vec<_>>(), [""; 0]);
    let figures: usize = visits.pages.iter().map(|visit| visit.figures).sum();
    assert!(figures >= 9, "only {figures} figures");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
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
        let [light, dark] = LIGHT_AND_DARK.map(|theme| {
            page.choose_theme(theme);
            Figures::new(&mut page)
        });
        let mut found = unchanged(&light, &dark);
        for (theme, figures) in LIGHT_AND_DARK.iter().zip([light, dark]) {
            found.extend(figures.faint.iter().map(|what| format!("{theme}: {what}")));
        }
        assert!(found.iter().any(|found| found.contains(fault)), "{svg}: {found:?}");
    }
}
