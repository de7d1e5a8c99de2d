//! `{{waits STAGE}}`, `{{waits STAGE KERNEL …}}`: the stall reasons of kernels, as bars.

use super::reasons::{REASONS, Reason};
use super::{Profile, Profiles, heading, older};
use crate::fill::chart::text;
use crate::fill::figure::{framed, open};
use crate::fill::notation::{escape, percent, three_digits};
use crate::fill::records::NOT_RECORDED;
use common::stage::Rung;
use std::fmt::Write;

const WIDTH: f64 = 476.0;
const ROW_HEIGHT: f64 = 60.0;
const GROUP_HEIGHT: f64 = 30.0;
const KEY_HEIGHT: f64 = 20.0;

/// The least width of a part with a number.
const NUMBERED: f64 = 14.0;

/// Returns a bar per kernel, with the list of parts below them.
pub fn render(rungs: &[&'static Rung], profiles: &Profiles) -> String {
    let rows: Vec<_> = rungs.iter().filter_map(|&rung| Some((rung, profiles.usual(rung.kernel)?))).collect();
    let Some((_, first)) = rows.first() else {
        return format!("<p class=\"source older\">What the warps wait for is {NOT_RECORDED}.</p>\n");
    };
    let (mut body, mut y, mut problem) = (String::new(), 0.0, None);
    for (rung, profile) in &rows {
        if let Some(title) = heading(rung, &mut problem) {
            body += &text(0.0, y + 20.0, "group", &title);
            y += GROUP_HEIGHT;
        }
        body += &bar(profile, y);
        y += ROW_HEIGHT;
    }
    for (index, reason) in REASONS.iter().enumerate() {
        body += &key(index, reason, y + 8.0 + KEY_HEIGHT * index as f64);
    }
    let height = y + 8.0 + KEY_HEIGHT * REASONS.len() as f64 + 4.0;
    let description: Vec<String> = rows.iter().map(|(_, profile)| in_words(profile)).collect();
    let svg = open(height as u32, "What warps wait for", &description.join("; ")) + &body + "</svg>";
    let caption = escape(&format!(
        "What an average warp does in the clocks from one of its instructions to the next, as shares. Read with the caches \
         emptied before the launch. {}.",
        first.source()
    ));
    framed(&svg, &caption) + &older(&rows)
}

fn bar(profile: &Profile, y: f64) -> String {
    let mut svg = text(0.0, y + 13.0, "code", &profile.kernel);
    let mut x = 1.0;
    for (index, reason) in REASONS.iter().enumerate() {
        let width = WIDTH * reason.clocks(profile) / profile.clocks();
        svg += &part(index, x, y + 19.0, width);
        x += width;
    }
    svg + &text(0.0, y + 51.0, "small", &summary(profile))
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
        svg += &text(x + width / 2.0, y + 13.0, "middle small halo", &(index + 1).to_string());
    }
    svg
}

fn key(index: usize, reason: &Reason, y: f64) -> String {
    part(index, 1.0, y, 22.0) + &text(30.0, y + 13.0, "small", reason.name)
}

/// Describes a bar: `4.0 clocks, 1.0 warps per scheduler: 0.25 instructions per clock`.
fn summary(profile: &Profile) -> String {
    let idle = 1.0 - profile.busy();
    let idle = if idle < 0.1 { String::new() } else { format!("; multiprocessors idle {}", percent(idle)) };
    format!(
        "{} clocks, {:.2} warps per scheduler: {:.2} instructions per clock{idle}",
        three_digits(profile.clocks()),
        profile.warps(),
        profile.issued()
    )
}

fn in_words(profile: &Profile) -> String {
    let share = |reason: &Reason| {
        let share = reason.clocks(profile) / profile.clocks();
        (share >= 0.01).then(|| format!("{} {}", percent(share), reason.name))
    };
    let shares: Vec<String> = REASONS.iter().filter_map(share).collect();
    format!("{}: {}; {}", profile.kernel, summary(profile), shares.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;
    use crate::fill::kernels::STAGES;

    #[test]
    fn a_kernel_has_a_bar_of_its_shares() {
        let html = render(&[STAGES[0].rungs[0]], &Profiles(vec![profile()]));
        assert!(html.contains("4.00 clocks, 1.00 warps per scheduler: 0.25 instructions per clock"), "{html}");
        assert!(html.contains("multiprocessors idle 50 %") && html.contains("75 % waits for global memory"), "{html}");
        assert!(html.contains("width=\"357.0\"") && html.contains("width=\"119.0\""), "{html}");
    }

    #[test]
    fn a_device_without_profiles_says_so() {
        assert!(render(&[STAGES[0].rungs[0]], &Profiles(Vec::new())).contains(NOT_RECORDED));
    }
}
