//! The global memory traffic that kernels request through the L1 cache, relative to the minimum, which is each input and each
//! output once.

use super::chart::{self, Log, line, text};
use super::figure::{frame, open};
use super::notation::escape;
use super::records::Records;
use anyhow::{Result, bail};
use common::format::{scaled, significant};
use common::stage::{Rung, Stage};

const LEFT: f64 = 1.0;
const RIGHT: f64 = 440.0;
const ROW_HEIGHT: f64 = 54.0;
const GROUP_HEIGHT: f64 = 30.0;

/// The bytes of one launch.
struct Bar {
    rung: &'static Rung,
    is_baseline: bool,
    moved: f64,
    needed: f64,
}

impl Bar {
    fn ratio(&self) -> f64 {
        self.moved / self.needed
    }

    /// Describes the bytes: `34.0 MB requested, 459 kB needed: 74.1 ×`.
    fn label(&self) -> String {
        let moved = scaled(self.moved, "B");
        let needed = scaled(self.needed, "B");
        format!("{moved} requested, {needed} needed: {} ×", significant(self.ratio()))
    }
}

/// Returns the bars, with their source below them.
///
/// # Errors
/// Returns an error if a launch has no counts: that of the record, or the default one if there is no record.
pub fn render(stage: &Stage, rows: &[&'static Rung], records: &Records, counted: &Records) -> Result<String> {
    let mut bars = Vec::new();
    for rung in rows {
        let record =
            records.find(rung.kernel)?.map_or_else(|| counted.count_of(rung.kernel), |timed| Ok(timed.record))?;
        let moved = counted.bytes_moved(record)?;
        let needed = record.bytes_needed;
        bars.push(Bar { rung, is_baseline: stage.is_baseline(rung), moved, needed });
    }
    if bars.is_empty() {
        bail!("the stage has no rows");
    }
    let (body, height) = draw(&bars);
    let description: Vec<String> = bars.iter().map(|bar| format!("{}: {}", bar.rung.kernel, bar.label())).collect();
    let title = format!("Bytes requested against bytes needed in {}", stage.name);
    let svg = open(height as u32, &title, &description.join("; ")) + &body + "</svg>";
    Ok(frame(&svg, &caption(&bars)))
}

fn draw(bars: &[Bar]) -> (String, f64) {
    let most = bars.iter().map(Bar::ratio).fold(10.0, f64::max);
    let scale = Log::between(1.0, 10_f64.powf(most.log10().ceil()), LEFT, RIGHT);
    let mut rows = String::new();
    let mut y = 0.0;
    let mut problem = None;
    for bar in bars {
        let facts = bar.rung.work.facts();
        if problem != Some(facts) {
            y += 20.0;
            rows += &text(4.0, y, "group halo", &format!("{}, {}", facts.letter, facts.title));
            y += GROUP_HEIGHT - 20.0;
            problem = Some(facts);
        }
        rows += &draw_bar(bar, &scale, y);
        y += ROW_HEIGHT;
    }
    let mut svg = String::new();
    for tick in scale.ticks() {
        let x = scale.at(tick);
        svg += &line("grid", (x, 0.0), (x, y));
        let class = if tick == 1.0 { "" } else { "middle" };
        svg += &text(x, y + 18.0, class, &format!("{} ×", common::format::thousands(tick as u64)));
    }
    svg += &line("line", (LEFT, 0.0), (LEFT, y));
    svg += &text((LEFT + RIGHT) / 2.0, y + 37.0, "middle", "requested ÷ needed");
    (svg + &rows, y + chart::BELOW)
}

fn draw_bar(bar: &Bar, scale: &Log, y: f64) -> String {
    let class = if bar.is_baseline { "bar baseline" } else { "bar" };
    let length = scale.at(bar.ratio()) - LEFT;
    text(4.0, y + 13.0, "code halo", bar.rung.kernel)
        + &format!("<rect class=\"{class}\" x=\"{LEFT}\" y=\"{:.1}\" width=\"{length:.1}\" height=\"7\"/>\n", y + 18.0)
        + &text(4.0, y + 40.0, "halo", &bar.label())
}

fn caption(bars: &[Bar]) -> String {
    let baselines = if bars.iter().any(|bar| bar.is_baseline) { " Outlined: a rung of an earlier stage." } else { "" };
    let notes = super::roofline::notes(bars.iter().map(|bar| bar.rung.work.facts().traffic_note));
    escape(&format!(
        "Accesses to global memory of one launch at the tutorial's size, counted by the emulator. Requested: 32 bytes \
         per sector that a warp requests from the L1 cache, to read, write or add. The cache answers repeated reads, so \
         fewer bytes come from the L2 cache, and fewer again from memory. Needed: each input and each output once. The \
         scale is logarithmic; no bar means that nothing is requested twice.{baselines}{notes}"
    ))
}
