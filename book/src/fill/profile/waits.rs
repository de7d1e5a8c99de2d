//! `{{waits STAGE}}`, `{{waits STAGE KERNEL …}}`: the stall reasons of kernels, as bars whose length is a time.

use super::reasons::{REASONS, Reason};
use super::{Profile, Profiles};
use crate::fill::chart::text;
use crate::fill::figure::{framed, open};
use crate::fill::notation::{escape, percent, three_digits};
use crate::fill::records::NOT_RECORDED;
use common::stage::Rung;
use std::fmt::Write;

/// The length of the longest bar of a problem. The rest of 480 is for its number.
const LONGEST: f64 = 384.0;
const ROW_HEIGHT: f64 = 62.0;
/// The height of a second line below a bar.
const LINE_HEIGHT: f64 = 17.0;
const GROUP_HEIGHT: f64 = 30.0;
const KEY_HEIGHT: f64 = 22.0;

/// The least width of a part with a number.
const NUMBERED: f64 = 14.0;

/// The quotient of the longest bar of a problem and the second longest above which the longest is cut. The scale stays linear for
/// the sake of the others: parts of a bar add up, which no logarithm would show.
const OUTLIER: f64 = 6.0;

/// A kernel and its profile.
type Row<'a> = (&'static Rung, &'a Profile);

/// Returns a bar per kernel, with the list of parts below them. The bars of a problem have one scale.
pub fn render(rungs: &[&'static Rung], profiles: &Profiles) -> String {
    let rows: Vec<Row> = rungs.iter().filter_map(|&rung| Some((rung, profiles.usual(rung.kernel)?))).collect();
    let Some((_, first)) = rows.first() else {
        return format!("<p class=\"source older\">What the warps wait for is {NOT_RECORDED}.</p>\n");
    };
    let (mut body, mut y) = (String::new(), 0.0);
    for group in rows.chunk_by(|one, other| one.0.work.facts() == other.0.work.facts()) {
        let facts = group[0].0.work.facts();
        body += &text(0.0, y + 20.0, "group", &format!("{}, {}", facts.letter, facts.title));
        y += GROUP_HEIGHT;
        let scale = Scale::of(group);
        for (_, profile) in group {
            let (bar, height) = bar(profile, &scale, y);
            body += &bar;
            y += height;
        }
    }
    for (index, reason) in REASONS.iter().enumerate() {
        body += &key(index, reason, y + 8.0 + KEY_HEIGHT * index as f64);
    }
    let height = y + 8.0 + KEY_HEIGHT * REASONS.len() as f64 + 4.0;
    let description: Vec<String> = rows.iter().map(|(_, profile)| in_words(profile)).collect();
    let svg = open(height as u32, "What warps wait for", &description.join("; ")) + &body + "</svg>";
    framed(&svg, &caption(&rows, first))
}

fn caption(rows: &[Row], first: &Profile) -> String {
    let groups = rows.chunk_by(|one, other| one.0.work.facts() == other.0.work.facts());
    let is_cut = |group: &[Row]| group.iter().any(|(_, profile)| Scale::of(group).cuts(profile));
    let cut = if groups.into_iter().any(is_cut) { " A bar with a gap is cut: its number says its length." } else { "" };
    escape(&format!(
        "What an average warp does in the clocks from one of its instructions to the next. Length is time; each problem \
         has its own scale.{cut} Read with the caches emptied before the launch. {}.",
        first.source()
    ))
}

/// The scale of a problem's bars.
struct Scale {
    /// The clocks of the longest bar that is shown whole.
    clocks: f64,
}

impl Scale {
    fn of(group: &[Row]) -> Self {
        let mut clocks: Vec<f64> = group.iter().map(|(_, profile)| profile.clocks()).collect();
        clocks.sort_by(f64::total_cmp);
        match clocks[..] {
            [.., second, longest] if longest > OUTLIER * second => Self { clocks: second },
            [.., longest] => Self { clocks: longest },
            [] => Self { clocks: 1.0 },
        }
    }

    fn cuts(&self, profile: &Profile) -> bool {
        profile.clocks() > self.clocks
    }

    fn width(&self, clocks: f64) -> f64 {
        LONGEST * clocks / self.clocks
    }
}

/// Returns the bar of a kernel, with its name above it, its clocks at its end and the rest below, and the height of all.
fn bar(profile: &Profile, scale: &Scale, y: f64) -> (String, f64) {
    let mut svg = text(0.0, y + 13.0, "code", &profile.kernel);
    let mut x = 1.0;
    for (index, reason) in REASONS.iter().enumerate() {
        let width = scale.width(reason.clocks(profile)).min(1.0 + LONGEST - x);
        svg += &part(index, x, y + 19.0, width);
        x += width;
    }
    if scale.cuts(profile) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            svg,
            "<path class=\"gap\" d=\"M{:.1} {:.1}l5 -9l-5 -5l5 -9h6l-5 9l5 5l-5 9z\"/>",
            x - 26.0,
            y + 39.0
        );
    }
    svg += &text(x + 6.0, y + 32.0, "", &format!("{} clocks", three_digits(profile.clocks())));
    svg += &text(0.0, y + 52.0, "small", &summary(profile));
    let Some(idle) = idle(profile) else { return (svg, ROW_HEIGHT) };
    (svg + &text(0.0, y + 52.0 + LINE_HEIGHT, "small", &idle), ROW_HEIGHT + LINE_HEIGHT)
}

/// Adds a part of a bar, with its number if there is room.
fn part(index: usize, x: f64, y: f64, width: f64) -> String {
    let mut svg = String::new();
    // Writing to a String cannot fail.
    let _ = writeln!(
        svg,
        "<rect class=\"waits waits-{}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"17\"/>",
        index + 1
    );
    if width >= NUMBERED {
        svg += &text(x + width / 2.0, y + 13.0, "middle small on-waits", &(index + 1).to_string());
    }
    svg
}

fn key(index: usize, reason: &Reason, y: f64) -> String {
    part(index, 1.0, y, 22.0) + &text(30.0, y + 13.0, "small", reason.name)
}

/// Describes how a scheduler fares: `1.00 warps per scheduler, 0.25 instructions per clock`.
fn summary(profile: &Profile) -> String {
    format!("{:.2} warps per scheduler, {:.2} instructions per clock", profile.warps(), profile.issued())
}

/// Says how long an average multiprocessor has nothing to do, if that is long.
fn idle(profile: &Profile) -> Option<String> {
    let idle = 1.0 - profile.busy();
    (idle >= 0.1).then(|| format!("multiprocessors idle {}", percent(idle)))
}

fn in_words(profile: &Profile) -> String {
    let clocks = |reason: &Reason| {
        let clocks = reason.clocks(profile);
        (clocks >= 0.005 * profile.clocks()).then(|| format!("{} {}", three_digits(clocks), reason.name))
    };
    let clocks: Vec<String> = REASONS.iter().filter_map(clocks).collect();
    let idle = idle(profile).map(|idle| format!(", {idle}")).unwrap_or_default();
    let total = three_digits(profile.clocks());
    format!("{}: {}{idle}; {total} clocks: {}", profile.kernel, summary(profile), clocks.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::{profile, stalled};
    use super::*;
    use crate::fill::kernels::STAGES;

    #[test]
    fn the_length_of_a_part_is_its_clocks() {
        let mut slower = profile();
        slower.kernel = "computeForces_Tiling".into();
        slower.metrics.insert("smsp__average_warp_latency_per_inst_issued.ratio".into(), 8.0);
        slower.metrics.insert(stalled("long_scoreboard"), 7.0);
        let html = render(&STAGES[0].rungs[..2], &Profiles(vec![profile(), slower]));
        assert!(html.contains("1.00 warps per scheduler, 0.25 instructions per clock"), "{html}");
        assert!(html.contains("multiprocessors idle 50 %") && html.contains("3.00 waits for global memory"), "{html}");
        // 384 units are 8 clocks: one clock, three and seven
        for width in ["48.0", "144.0", "336.0"] {
            assert!(html.contains(&format!("width=\"{width}\"")), "{width} in {html}");
        }
        assert!(html.contains(">4.00 clocks<") && html.contains(">8.00 clocks<"));
        assert!(!html.contains("class=\"gap\""));
    }

    #[test]
    fn a_bar_far_longer_than_the_others_is_cut_and_has_its_number() {
        let mut slower = profile();
        slower.kernel = "computeForces_Tiling".into();
        slower.metrics.insert("smsp__average_warp_latency_per_inst_issued.ratio".into(), 40.0);
        slower.metrics.insert(stalled("long_scoreboard"), 39.0);
        let html = render(&STAGES[0].rungs[..2], &Profiles(vec![profile(), slower]));
        assert_eq!(html.matches("class=\"gap\"").count(), 1);
        // the whole length is 4 clocks, the cut bar ends there too
        assert!(html.contains(">40.0 clocks<") && html.matches("width=\"288.0\"").count() == 2, "{html}");
        assert!(html.contains("A bar with a gap is cut"));
    }

    #[test]
    fn a_device_without_profiles_says_so() {
        assert!(render(&[STAGES[0].rungs[0]], &Profiles(Vec::new())).contains(NOT_RECORDED));
    }
}
