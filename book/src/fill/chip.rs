//! `{{chip UNIT}}`: a small picture of an H200 with one of its units lit.

use super::figure;
use super::notation::escape;
use anyhow::{Context, Result, bail};
use std::path::Path;

/// The picture in `book/figures`, with a class for each unit.
pub const TEMPLATE: &str = "chip";

/// A unit of the picture.
struct Unit {
    /// The name in directives, and the class in the picture.
    name: &'static str,
    /// The caption of the lit part.
    caption: &'static str,
    /// The purpose of the part, as the picture's alternative text.
    does: &'static str,
}

/// All units, from the smallest to the largest part of the chip. The numbers are those of the white paper *NVIDIA H100 Tensor Core
/// GPU Architecture* for the H100 SXM5, whose chip the H200 has too; its data sheet names the six stacks of memory.
const UNITS: [Unit; 10] = [
    Unit {
        name: "schedulers",
        caption: "4 warp schedulers in each multiprocessor",
        does: "each issues at most one instruction of a warp per clock",
    },
    Unit {
        name: "registers",
        caption: "65,536 registers in each multiprocessor",
        does: "they hold the values of all resident threads",
    },
    Unit { name: "fp32", caption: "128 FP32 lanes in each multiprocessor", does: "they add and multiply" },
    Unit {
        name: "special",
        caption: "16 special-function lanes in each multiprocessor",
        does: "they compute roots, reciprocals, exponentials and sines",
    },
    Unit {
        name: "shared",
        caption: "shared memory of each multiprocessor",
        does: "the threads of a block exchange values there",
    },
    Unit {
        name: "l1",
        caption: "L1 cache of each multiprocessor",
        does: "it keeps what its threads have read; it and shared memory are one memory of 256 KB",
    },
    Unit { name: "multiprocessors", caption: "132 multiprocessors", does: "each runs the blocks that it was given" },
    Unit { name: "blocks", caption: "distributor of blocks", does: "it starts blocks on the multiprocessors" },
    Unit { name: "l2", caption: "L2 cache", does: "all multiprocessors share it" },
    Unit { name: "memory", caption: "memory: 6 stacks beside the chip", does: "it holds the arrays of the program" },
];

/// Returns the picture with a unit lit.
///
/// # Errors
/// Returns an error that lists the units if there is no such unit, or if the picture lacks it.
pub fn render(book: &Path, name: &str) -> Result<String> {
    let Some(unit) = UNITS.iter().find(|unit| unit.name == name) else {
        let names = UNITS.map(|unit| unit.name).join(", ");
        bail!("there is no unit {name}; the units are {names}");
    };
    let drawing = figure::read(book, TEMPLATE)?;
    let class = format!("\"unit {name}\"");
    if drawing.matches(&class).count() != 1 {
        bail!("the picture needs one element with class={class}");
    }
    let words = format!("Lit: {}; {}.", unit.caption, unit.does);
    let lit = drawing.replace(&class, &format!("\"unit {name} lit\""));
    let (before, rest) = lit.split_once("</title>").context("the picture needs a <title>")?;
    let (_, after) = rest.split_once("</desc>").context("the picture needs a <desc>")?;
    let svg = format!("{before}</title>\n<desc>{}</desc>{after}", escape(&words));
    Ok(format!("<figure class=\"chip\">\n{}\n<figcaption>{}</figcaption>\n</figure>\n", svg.trim_end(), unit.caption))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOOK: &str = env!("CARGO_MANIFEST_DIR");

    #[test]
    fn each_unit_is_lit_alone_and_said() {
        for unit in UNITS {
            let html = render(Path::new(BOOK), unit.name).unwrap();
            assert_eq!(html.matches(" lit\"").count(), 1, "{}", unit.name);
            assert!(html.contains(&format!("class=\"unit {} lit\"", unit.name)));
            assert!(html.contains(&format!("<desc>Lit: {}", unit.caption)) && html.contains("role=\"img\""), "{html}");
            assert!(!html.contains("\n\n"), "a blank line ends a block of HTML");
        }
    }

    #[test]
    fn an_unknown_unit_is_refused_and_the_known_ones_are_listed() {
        let error = render(Path::new(BOOK), "warp").unwrap_err().to_string();
        assert!(error.starts_with("there is no unit warp; the units are schedulers, registers, fp32"), "{error}");
    }

    #[test]
    fn a_picture_without_the_unit_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("figures")).unwrap();
        std::fs::write(folder.path().join("figures/chip.svg"), "<svg><title>a</title><desc>b</desc></svg>").unwrap();
        let error = render(folder.path(), "l2").unwrap_err().to_string();
        assert_eq!(error, "the picture needs one element with class=\"unit l2\"");
    }
}
