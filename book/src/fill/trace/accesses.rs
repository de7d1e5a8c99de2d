//! A picture of the sectors or banks that an access of a warp's lanes touches.

use super::Traced;
use crate::fill::figure::{frame, open};
use crate::fill::notation::escape;
use anyhow::Result;
use emulator::{AccessedSpace, Direction, TracedAccess, WARP_SIZE};
use std::collections::BTreeMap;

/// The width of a picture and of a lane's box.
const WIDTH: f64 = 480.0;
const CELL: f64 = WIDTH / WARP_SIZE as f64;
const LANES_Y: f64 = 24.0;
const TARGETS_Y: f64 = 130.0;
const CELL_HEIGHT: f64 = 14.0;

/// A box for a sector or bank, and its label.
struct Target {
    left: f64,
    width: f64,
    label: String,
}

/// Returns the picture, with the cost in the caption.
pub fn render(traced: &Traced, line: u32, access: &TracedAccess) -> Result<String> {
    let active: Vec<usize> = (0..WARP_SIZE).filter(|lane| access.active >> lane & 1 != 0).collect();
    let (targets, lines) = match access.space {
        AccessedSpace::Shared => banks(access, &active),
        _ => sectors(access, &active),
    };
    let cost = cost(access, active.len());
    let title =
        format!("Lanes of a warp and {}", if access.space == AccessedSpace::Shared { "banks" } else { "sectors" });
    let below = match access.space {
        AccessedSpace::Shared => "banks 0 to 31, each with its number of different words",
        _ => "sectors of 32 bytes, numbered in the order of their addresses",
    };
    let mut svg = open(190, &title, &cost);
    svg += "<text class=\"small\" x=\"0\" y=\"18\">lanes 0 to 31</text>\n";
    for lane in 0..WARP_SIZE {
        let class = if active.contains(&lane) { "full" } else { "box dashed" };
        svg += &cell(class, lane as f64 * CELL + 1.0, LANES_Y, CELL - 2.0);
    }
    for (lane, x) in lines {
        let from = (lane as f64 + 0.5) * CELL;
        svg += &format!(
            "<line class=\"line\" x1=\"{from:.1}\" y1=\"{:.1}\" x2=\"{x:.1}\" y2=\"{TARGETS_Y:.1}\"/>\n",
            LANES_Y + CELL_HEIGHT
        );
    }
    svg += &format!("<text class=\"small\" x=\"0\" y=\"182\">{below}</text>\n");
    for target in &targets {
        svg += &cell("soft", target.left + 1.0, TARGETS_Y, target.width - 2.0);
        let middle = target.left + target.width / 2.0;
        svg += &format!(
            "<text class=\"small middle narrow\" x=\"{middle:.1}\" y=\"{:.1}\">{}</text>\n",
            TARGETS_Y + CELL_HEIGHT + 16.0,
            escape(&target.label)
        );
    }
    let caption = format!(
        "<strong>{}</strong>, warp 0, line {line} of {}: <code>{}</code>. {} From the emulator's trace.",
        escape(&traced.launch),
        escape(&traced.file),
        escape(traced.source_line(line)),
        escape(&cost)
    );
    Ok(frame(&(svg + "</svg>"), &caption))
}

fn cell(class: &str, x: f64, y: f64, width: f64) -> String {
    format!("<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{CELL_HEIGHT}\"/>\n")
}

/// Draws the sectors in the order of their addresses, with gaps for memory that is not touched, and a line from each lane to the
/// middle of its bytes.
fn sectors(access: &TracedAccess, active: &[usize]) -> (Vec<Target>, Vec<(usize, f64)>) {
    const SECTOR: u64 = 32;
    let bytes = u64::from(access.bytes);
    let spans = active.iter().flat_map(|&lane| {
        let address = access.addresses[lane];
        address / SECTOR..=(address + bytes - 1) / SECTOR
    });
    let mut order: Vec<u64> = spans.collect();
    order.sort_unstable();
    order.dedup();
    let gaps = order.windows(2).filter(|pair| pair[1] != pair[0] + 1).count();
    let gap = (WIDTH / 60.0).min(WIDTH / 4.0 / gaps.max(1) as f64);
    let width = ((WIDTH - gap * gaps as f64) / order.len() as f64).min(64.0);
    let mut places = BTreeMap::new();
    let mut x = 0.0;
    let mut last = None;
    for &sector in &order {
        x += if last.is_some_and(|last| sector != last + 1) { gap } else { 0.0 };
        places.insert(sector, x);
        x += width;
        last = Some(sector);
    }
    let lines = active.iter().map(|&lane| {
        let middle = access.addresses[lane] as f64 + bytes as f64 / 2.0;
        let sector = (middle / SECTOR as f64) as u64;
        let inside = middle / SECTOR as f64 - sector as f64;
        (lane, places.get(&sector).copied().unwrap_or_default() + inside * width)
    });
    let crowded = width < 24.0;
    let last = order.len() - 1;
    let label =
        |number: usize| if crowded && number > 0 && number < last { String::new() } else { (number + 1).to_string() };
    let lines = lines.collect();
    let targets = places.values().enumerate().map(|(number, &left)| Target { left, width, label: label(number) });
    (targets.collect(), lines)
}

/// Draws the banks, each with the number of different words that lanes access, and a line from each lane to each of its banks.
fn banks(access: &TracedAccess, active: &[usize]) -> (Vec<Target>, Vec<(usize, f64)>) {
    let mut words: Vec<Vec<u64>> = vec![Vec::new(); WARP_SIZE];
    let mut lines = Vec::new();
    for &lane in active {
        let first = access.addresses[lane] / 4;
        for word in first..first + u64::from(access.bytes).div_ceil(4) {
            let bank = (word % WARP_SIZE as u64) as usize;
            if !words[bank].contains(&word) {
                words[bank].push(word);
            }
            lines.push((lane, (bank as f64 + 0.5) * CELL));
        }
    }
    let target = |(bank, words): (usize, &Vec<u64>)| {
        let label = if words.is_empty() { String::new() } else { words.len().to_string() };
        Target { left: bank as f64 * CELL, width: CELL, label }
    };
    (words.iter().enumerate().map(target).collect(), lines)
}

/// Describes the access: `32 lanes load 4 bytes each: 4 sectors for 128 bytes.`
fn cost(access: &TracedAccess, lanes: usize) -> String {
    let verb = match access.direction {
        Direction::Load => "load",
        Direction::Store => "store",
        Direction::Atomic => "change",
    };
    let bytes = lanes as u64 * u64::from(access.bytes);
    let who = format!("{lanes} lanes {verb} {} bytes each", access.bytes);
    match (access.wavefronts, access.sectors) {
        (Some((wavefronts, conflicts)), _) => {
            format!(
                "{who}: wavefronts {wavefronts}, of them conflicts {conflicts}; below each bank, the number of different words accessed in it."
            )
        }
        (None, sectors) => {
            let sectors = sectors.unwrap_or_default();
            format!("{who}, {bytes} bytes in all: {}, {} bytes moved.", counted(sectors, "sector"), 32 * sectors)
        }
    }
}

/// Returns a number with its noun: `1 sector`, `2 sectors`.
fn counted(count: u64, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}
