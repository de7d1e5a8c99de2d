//! `{{waits STAGE}}`, `{{waits STAGE KERNEL …}}`: the stall reasons of kernels, as bars whose length is a time.

use super::reasons::{REASONS, Reason};
use super::{Profile, Profiles};
use crate::fill::chart::{heading, text};
use crate::fill::figure::{frame, open};
use crate::fill::notation::escape;
use crate::fill::records::NOT_RECORDED;
use common::format::{milliseconds, percent, significant};
use common::problem::Facts;
use common::stage::Rung;
use std::fmt::Write;

/// The length of the longest bar of a problem. The rest of 480 is for its number.
const LONGEST: f64 = 384.0;
const ROW_HEIGHT: f64 = 79.0;
/// The height of a line below a bar.
const LINE_HEIGHT: f64 = 17.0;
const GROUP_HEIGHT: f64 = 30.0;
const KEY_HEIGHT: f64 = 22.0;

/// The least width of a part with a number.
const NUMBERED: f64 = 14.0;

/// The quotient of the longest bar of a problem and the second longest above which the longest is cut. The scale stays linear for
/// the sake of the others: parts of a bar add up, which no logarithm would show.
const OUTLIER: f64 = 3.0;

/// A kernel and its profile.
struct Row<'a> {
    rung: &'static Rung,
    profile: &'a Profile,
    /// The milliseconds of the profiled launch; of the recorded run, if each of its steps has several launches.
    time: f64,
    /// The number of these launches.
    launches: u32,
}

/// Returns a bar per kernel, with the list of parts below them. The bars of a problem have one scale. `run` has the milliseconds of a
/// kernel's recorded run.
pub fn render(rungs: &[&'static Rung], profiles: &Profiles, run: impl Fn(&Rung) -> Option<f64>) -> String {
    let row = |&rung: &&'static Rung| {
        let profile = profiles.usual(rung.kernel)?;
        let time = profile.metric("gpu__time_duration.sum") / 1e6;
        let launches = profile.launches(rung.work.facts());
        let whole = run(rung).filter(|_| launches > 1);
        Some(Row { rung, profile, time: whole.unwrap_or(time), launches: whole.map_or(1, |_| launches) })
    };
    let rows: Vec<Row> = rungs.iter().filter_map(row).collect();
    let Some(first) = rows.first() else {
        return format!("<p class=\"source older\">What the warps wait for is {NOT_RECORDED}.</p>\n");
    };
    let mut body = String::new();
    let mut y = 0.0;
    for group in groups(&rows) {
        let facts = group[0].facts();
        body += &heading(y + 20.0, &format!("{}, {}", facts.letter, facts.title));
        y += GROUP_HEIGHT;
        let scale = Scale::new(group);
        for row in group {
            body += &bar(row, &scale, y);
            y += ROW_HEIGHT;
        }
    }
    for (index, reason) in REASONS.iter().enumerate() {
        body += &key(index, reason, y + 8.0 + KEY_HEIGHT * index as f64);
    }
    let height = y + 8.0 + KEY_HEIGHT * REASONS.len() as f64 + 4.0;
    let description: Vec<String> = rows.iter().map(in_words).collect();
    let svg = open(height as u32, "What warps wait for", &description.join("; ")) + &body + "</svg>";
    frame(&svg, &caption(&rows, first.profile))
}

impl Row<'_> {
    fn facts(&self) -> &'static Facts {
        self.rung.work.facts()
    }

    /// Describes a warp, how long an average multiprocessor has nothing to do, if that is long, and the launches, if there are several:
    /// `4.00 clocks per instruction; multiprocessors idle 52 %; 3 launches`.
    fn waits(&self) -> String {
        let mut words = format!("{} clocks per instruction", significant(self.profile.clocks()));
        let idle = 1.0 - self.profile.busy();
        if idle >= 0.1 {
            words += &format!("; multiprocessors idle {}", percent(idle));
        }
        if self.launches > 1 {
            words += &format!("; {} launches", self.launches);
        }
        words
    }
}

/// Returns the rows by problem.
fn groups<'r, 'p>(rows: &'r [Row<'p>]) -> impl Iterator<Item = &'r [Row<'p>]> {
    rows.chunk_by(|one, other| one.facts() == other.facts())
}

fn caption(rows: &[Row], first: &Profile) -> String {
    let is_cut = |group: &[Row]| group.iter().any(|row| Scale::new(group).cuts(row));
    let cut = if groups(rows).any(is_cut) {
        " A bar with a gap is shortened: its number is its length, and its parts keep their shares."
    } else {
        ""
    };
    let several = if rows.iter().any(|row| row.launches > 1) {
        " Where a run has several launches, it is the recorded time of the run, and the parts are those of one launch."
    } else {
        ""
    };
    escape(&format!(
        "The length of a bar is the time of a launch; each problem has its own scale. The parts are what an average \
         warp does in this time.{several}{cut} Read with the caches emptied before the launch. {}.",
        first.source()
    ))
}

/// The scale of a problem's bars.
struct Scale {
    /// The milliseconds of the longest bar that is shown whole.
    longest: f64,
}

impl Scale {
    fn new(group: &[Row]) -> Self {
        let mut times: Vec<f64> = group.iter().map(|row| row.time).collect();
        times.sort_by(f64::total_cmp);
        let longest = match times[..] {
            [.., second, longest] if longest > OUTLIER * second => second,
            [.., longest] => longest,
            [] => 1.0,
        };
        Self { longest }
    }

    fn cuts(&self, row: &Row) -> bool {
        row.time > self.longest
    }

    fn width(&self, milliseconds: f64) -> f64 {
        LONGEST * milliseconds / self.longest
    }
}

/// Returns the bar of a kernel, with its name above it, its time at its end and two lines below.
fn bar(row: &Row, scale: &Scale, y: f64) -> String {
    let &Row { profile, time, .. } = row;
    let mut svg = text(0.0, y + 13.0, "code", &profile.kernel);
    let mut x = 1.0;
    for (index, reason) in REASONS.iter().enumerate() {
        let share = reason.clocks(profile) / profile.clocks();
        let width = scale.width(time.min(scale.longest) * share);
        svg += &part(index, x, y + 19.0, width);
        x += width;
    }
    if scale.cuts(row) {
        // Writing to a String cannot fail.
        let _ = writeln!(
            svg,
            "<path class=\"gap\" d=\"M{:.1} {:.1}l5 -9l-5 -5l5 -9h6l-5 9l5 5l-5 9z\"/>",
            x - 26.0,
            y + 39.0
        );
    }
    svg += &text(x + 6.0, y + 32.0, "", &milliseconds(time));
    svg += &text(0.0, y + 52.0, "small", &summary(profile));
    svg + &text(0.0, y + 52.0 + LINE_HEIGHT, "small", &row.waits())
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

/// Describes a scheduler and its warps: `1.00 warps per scheduler, 0.25 instructions per clock`.
fn summary(profile: &Profile) -> String {
    format!("{:.2} warps per scheduler, {:.2} instructions per clock", profile.warps(), profile.issued())
}

fn in_words(row: &Row) -> String {
    let profile = row.profile;
    let share = |reason: &Reason| {
        let share = reason.clocks(profile) / profile.clocks();
        (share >= 0.005).then(|| format!("{} {}", percent(share), reason.name))
    };
    let shares: Vec<String> = REASONS.iter().filter_map(share).collect();
    let shares = shares.join(", ");
    format!("{}: {}, {}, {}; {shares}", profile.kernel, milliseconds(row.time), summary(profile), row.waits())
}

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;
    use crate::fill::kernels::STAGES;

    /// A second kernel that takes `times` as long, with the same shares.
    fn slower(times: f64) -> Profile {
        let mut slower = profile();
        slower.kernel = "computeForces_Tiling".into();
        *slower.metrics.get_mut("gpu__time_duration.sum").unwrap() *= times;
        slower
    }

    #[test]
    fn the_length_of_a_part_is_its_share_of_the_time() {
        let html = render(&STAGES[0].rungs[..2], &Profiles(vec![profile(), slower(2.0)]), |_| Some(7.0));
        assert!(html.contains("1.00 warps per scheduler, 0.25 instructions per clock"), "{html}");
        assert!(html.contains("4.00 clocks per instruction; multiprocessors idle 50 %"), "{html}");
        assert!(html.contains("75 % waits for global memory"), "{html}");
        // 384 units are 0.8 ms: a quarter and three quarters of 0.4 ms and of 0.8 ms
        for width in ["48.0", "144.0", "96.0", "288.0"] {
            assert!(html.contains(&format!("width=\"{width}\"")), "{width} in {html}");
        }
        assert!(html.contains(">0.400 ms<") && html.contains(">0.800 ms<"), "{html}");
        assert!(!html.contains("class=\"gap\""));
    }

    #[test]
    fn a_bar_far_longer_than_the_others_is_cut_and_has_its_number() {
        let html = render(&STAGES[0].rungs[..2], &Profiles(vec![profile(), slower(10.0)]), |_| None);
        assert_eq!(html.matches("class=\"gap\"").count(), 1);
        assert!(html.contains(">4.00 ms<") && html.contains("A bar with a gap is shortened"), "{html}");
        // Both bars are 384 units long, a quarter and three quarters.
        assert_eq!(html.matches("width=\"288.0\"").count(), 2, "{html}");
    }

    #[test]
    fn a_device_without_profiles_says_so() {
        assert!(render(&[STAGES[0].rungs[0]], &Profiles(Vec::new()), |_| None).contains(NOT_RECORDED));
    }

    #[test]
    fn a_run_of_several_launches_has_its_recorded_time() {
        let chunk = Profile { kernel: "coulombConstant".into(), size: 10_000, ..profile() };
        let rung = STAGES[4].rungs.iter().find(|rung| rung.kernel == chunk.kernel).unwrap();
        let html = render(&[rung], &Profiles(vec![chunk]), |_| Some(11.7));
        assert!(
            html.contains(">11.7 ms<")
                && html.contains("; 3 launches<")
                && html.contains("the recorded time of the run"),
            "{html}"
        );
    }
}
