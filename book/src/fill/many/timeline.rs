//! `{{timeline RUNG N RANKS}}`: the timeline of a step on each stream of each rank, from recorded events.

use super::{Run, Runs, Span, not_recorded};
use crate::fill::chart::{line, text};
use crate::fill::figure::{frame, open};
use crate::fill::notation::escape;
use common::format::milliseconds;
use std::fmt::Write;

const LEFT: f64 = 104.0;
const RIGHT: f64 = 470.0;
const LANE: f64 = 24.0;
const BAR: f64 = 16.0;
const TOP: f64 = 10.0;

/// Returns a figure with a lane for each stream of each rank.
pub fn render(runs: &Runs, rung: &str, size: usize, ranks: usize) -> String {
    match runs.one(rung, size, ranks).filter(|run| !run.timelines.is_empty()) {
        Some(run) => draw(run),
        None => not_recorded(),
    }
}

fn draw(run: &Run) -> String {
    let end = run.timelines.iter().flatten().map(|span| span.end).fold(0.0, f64::max);
    let at = |time: f64| LEFT + (RIGHT - LEFT) * time / end;
    let lanes: Vec<(String, Vec<&Span>)> =
        (0..).zip(&run.timelines).flat_map(|(rank, spans)| lanes(rank, spans)).collect();
    let bottom = TOP + LANE * lanes.len() as f64;
    let title = format!("One step of {} with {} bodies on {}", run.rung, run.size, run.source());
    let words: Vec<String> = lanes.iter().map(|(name, spans)| format!("{name}: {}", in_words(spans))).collect();
    let mut svg = open(bottom as u32 + 46, &title, &words.join("; "));
    for ((name, spans), top) in lanes.iter().zip((0..).map(|lane| TOP + LANE * f64::from(lane))) {
        svg += &text(0.0, top + 14.0, "", name);
        svg += &line("grid", (LEFT, top + LANE - 2.0), (RIGHT, top + LANE - 2.0));
        for span in spans {
            let class = if span.stream == "compute" { "bar" } else { "bar baseline" };
            let from = at(span.begin);
            let width = (at(span.end) - from).max(1.5);
            let _ = writeln!(
                svg,
                "<rect class=\"{class}\" x=\"{from:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{BAR}\"><title>{}</title></rect>",
                top + 2.0,
                escape(&format!("{}, {} to {}", span.what, milliseconds(span.begin), milliseconds(span.end)))
            );
        }
    }
    svg += &line("line", (LEFT, bottom), (RIGHT, bottom));
    svg += &text(LEFT, bottom + 18.0, "", "0");
    svg += &text(RIGHT, bottom + 18.0, "end", &milliseconds(end));
    svg += &text((LEFT + RIGHT) / 2.0, bottom + 37.0, "middle", "time from the common start");
    let caption = format!(
        "One step of <code>{}</code>, {}, from events around each kernel (filled) and transfer (outlined). An event costs \
         a few microseconds itself, and a transfer on one rank lasts until the others have come.",
        run.rung,
        escape(&run.source())
    );
    frame(&(svg + "</svg>"), &caption)
}

/// Returns the streams of a rank, the one with kernels first.
fn lanes(rank: usize, spans: &[Span]) -> Vec<(String, Vec<&Span>)> {
    let mut streams: Vec<&str> = spans.iter().map(|span| span.stream.as_str()).collect();
    streams.sort_unstable();
    streams.dedup();
    let spans_of = |stream: &str| spans.iter().filter(|span| span.stream == stream).collect();
    streams.into_iter().map(|stream| (format!("{rank} {stream}"), spans_of(stream))).collect()
}

fn in_words(spans: &[&Span]) -> String {
    let one = |span: &&Span| format!("{} from {} to {}", span.what, milliseconds(span.begin), milliseconds(span.end));
    spans.iter().map(one).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;
    use crate::fill::records::NOT_RECORDED;

    #[test]
    fn a_transfer_ends_where_the_kernel_begins() {
        let svg = render(&Runs(vec![run("all_gather", 64, 2, 1.5)]), "all_gather", 64, 2);
        assert!(svg.contains("0 compute") && svg.contains("0 transfers"), "{svg}");
        // A tenth of 366.
        assert!(svg.contains("x=\"140.6\"") && svg.contains("width=\"36.6\""), "{svg}");
        assert!(render(&Runs::default(), "ring", 64, 2).contains(NOT_RECORDED));
    }
}
