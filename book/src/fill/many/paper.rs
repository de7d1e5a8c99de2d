//! `{{paper N}}`: efficiencies on more GPUs than were measured, predicted by the stage's model.

use super::{Run, Runs, not_recorded, row};
use common::format::{milliseconds, percent, significant, thousands};
use stage07_many::ranks::model::{Link, Model};

/// The number of GPUs that NVLink connects in one machine.
const IN_A_MACHINE: usize = 8;

/// The bytes per millisecond between machines per GPU, which has a network adapter of 400 Gb/s, as in NVIDIA's DGX H200.
const NETWORK: f64 = 50e6;

/// The number of bytes per body that are sent.
const BODY: f64 = 16.0;

const GPUS: [usize; 5] = [8, 64, 512, 1024, 4096];

/// Returns a table with a line for each number of GPUs, from the recorded `all_gather` at this n.
pub fn render(runs: &Runs, n: usize) -> String {
    let measured = runs.0.iter().find(|run| run.rung == "all_gather" && run.size == n);
    let Some((run, link)) = measured.and_then(|run| Some((run, run.link?))) else {
        return not_recorded();
    };
    let mut text =
        String::from("| GPUs | kernels | all bodies arrive in | `all_gather` | `own_block_first` | `ring` |\n");
    text += "|--:|--:|--:|--:|--:|--:|\n";
    text.extend(GPUS.map(|ranks| line(run, n, ranks, link)));
    text + &format!(
        "\n<p class=\"source\">Predicted, not measured: {} bodies; one GPU's time, latency ({}) and NVLink's bandwidth \
         ({} GB/s) of {}; {} GB/s for each GPU between machines of {IN_A_MACHINE}; a latency for each doubling of the GPUs in \
         a gather, and one for each step of the ring.</p>\n",
        thousands(n as u64),
        milliseconds(link.latency),
        significant(link.bandwidth / 1e6),
        run.source(),
        significant(NETWORK / 1e6),
    )
}

fn line(run: &Run, n: usize, ranks: usize, link: Link) -> String {
    let bandwidth = if ranks > IN_A_MACHINE { link.bandwidth.min(NETWORK) } else { link.bandwidth };
    let gather = Link { latency: link.latency * (ranks as f64).log2(), bandwidth };
    let bytes = BODY * n as f64 * (ranks - 1) as f64 / ranks as f64;
    let model = |link| Model { ranks: ranks as f64, alone: run.times().alone, link, bytes };
    let gather = model(gather);
    let ring = model(Link { bandwidth, ..link });
    let efficiency = |time: f64| percent(gather.compute() / time);
    let cells = [
        thousands(ranks as u64),
        milliseconds(gather.compute()),
        milliseconds(gather.exchange()),
        efficiency(gather.one_after_the_other()),
        efficiency(gather.own_block_first()),
        efficiency(ring.ring()),
    ];
    row(cells)
}

#[cfg(test)]
mod tests {
    use super::super::tests::run;
    use super::*;
    use crate::fill::records::NOT_RECORDED;

    #[test]
    fn efficiency_falls_with_the_gpus() {
        let text = render(&Runs(vec![run("all_gather", 1 << 20, 2, 54.0)]), 1 << 20);
        let efficiency = |gpus: &str| -> f64 {
            let line = text.lines().find(|line| line.starts_with(&format!("| {gpus} |"))).unwrap();
            line.split('|').nth(4).unwrap().trim().trim_end_matches("\u{a0}%").parse().unwrap()
        };
        assert!(efficiency("8") > 99.0 && efficiency("4,096") < 40.0, "{text}");
        assert!(text.contains("Predicted, not measured"));
        assert!(render(&Runs::default(), 1 << 20).contains(NOT_RECORDED));
    }
}
