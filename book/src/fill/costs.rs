//! `{{cost …}}`: what single actions cost, from `results/DEVICE/costs.json`, recorded by `cargo run -p limits -- --costs`.

use super::records::NOT_RECORDED;
use anyhow::{Context, Result};
use common::format::{nanoseconds, scaled, significant};
use limits::costs::{Cost, Measured};

/// Returns one cost: nanoseconds per block, clocks per load, or bytes per second.
///
/// # Errors
/// Returns an error if there is no such cost.
pub fn one(costs: &[Measured], words: &[&str]) -> Result<String> {
    let unknown = || {
        format!(
            "there is no cost {}; the forms are start BODY THREADS, constant-chain BYTES WORDS, constant-stream BYTES WARPS, \
             store STRIDE BYTES, l2 BYTES SHARING and bulk CHUNK SHARING BYTES",
            words.join(" ")
        )
    };
    let wanted = parse(words).with_context(unknown)?;
    if costs.is_empty() {
        return Ok(NOT_RECORDED.into());
    }
    let one = costs.iter().find(|one| one.cost == wanted && one.verified).with_context(unknown)?;
    number(one).with_context(unknown)
}

fn parse(words: &[&str]) -> Option<Cost> {
    Some(match words {
        ["start", body, threads] => {
            Cost::Start { body: serde_json::from_value((*body).into()).ok()?, threads: threads.parse().ok()? }
        }
        ["constant-chain", bytes, words] => {
            Cost::ConstantChain { bytes: bytes.parse().ok()?, words: words.parse().ok()? }
        }
        ["constant-stream", bytes, warps] => {
            Cost::ConstantStream { bytes: bytes.parse().ok()?, warps: warps.parse().ok()? }
        }
        ["store", stride, bytes] => Cost::Store { stride: stride.parse().ok()?, bytes: bytes.parse().ok()? },
        ["l2", bytes, sharing] => Cost::L2 { bytes: bytes.parse().ok()?, sharing: sharing.parse().ok()? },
        ["bulk", chunk, sharing, bytes] => {
            let [chunk, sharing] = [chunk, sharing].map(|number| number.parse().ok());
            Cost::BulkCopy { chunk: chunk?, sharing: sharing?, bytes: bytes.parse().ok()? }
        }
        _ => return None,
    })
}

fn number(one: &Measured) -> Option<String> {
    let rate = one.rate?;
    Some(match one.cost {
        Cost::Start { .. } => nanoseconds(1e9 / rate),
        Cost::ConstantChain { .. } => significant(one.nominal_clock_hz? / rate),
        _ => scaled(rate, "B/s"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use common::ceilings::Provenance;

    fn measured(cost: Cost, rate: f64) -> Measured {
        Measured {
            cost,
            kernel: "a kernel".into(),
            amount: 1.0,
            unit: cost.unit().into(),
            time_ms: None,
            rate: Some(rate),
            nominal_clock_hz: Some(2e9),
            multiprocessors: Some(132),
            made: Provenance::default(),
            verified: true,
        }
    }

    #[test]
    fn a_cost_is_in_the_unit_of_its_kind() {
        let costs = [
            measured(Cost::ConstantChain { bytes: 1024, words: 2 }, 4e7),
            measured(Cost::Store { stride: 8, bytes: 64 }, 5e11),
        ];
        assert_eq!(one(&costs, &["constant-chain", "1024", "2"]).unwrap(), "50.0");
        assert_eq!(one(&costs, &["store", "8", "64"]).unwrap(), scaled(5e11, "B/s"));
        assert!(one(&costs, &["store", "8", "65"]).is_err());
        assert_eq!(parse(&["bulk", "4", "2", "64"]), Some(Cost::BulkCopy { chunk: 4, sharing: 2, bytes: 64 }));
        assert_eq!(parse(&["l2", "64"]), None);
    }

    #[test]
    fn what_is_not_recorded_is_called_so_and_what_does_not_exist_is_an_error() {
        assert_eq!(one(&[], &["start", "tree", "32"]).unwrap(), NOT_RECORDED);
        assert!(one(&[], &["start", "forest", "32"]).unwrap_err().to_string().contains("the forms are"));
    }
}
