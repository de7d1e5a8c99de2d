//! `{{levels KERNEL …}}`: a table of a launch's traffic at the L1 caches, the L2 cache and memory.

use super::{Profile, Profiles};
use crate::fill::records::NOT_RECORDED;
use common::format::{percent, scaled, significant};

/// Returns a table with a line per recorded kernel.
pub fn render(profiles: &Profiles, kernels: &[&str]) -> String {
    let found: Vec<&Profile> = kernels.iter().filter_map(|kernel| profiles.usual(kernel)).collect();
    let Some(first) = found.first() else {
        return format!("<p class=\"source older\">Bytes of the caches and of memory are {NOT_RECORDED}.</p>\n");
    };
    let mut text = String::from(
        "| kernel | asked of L1 | asked of L2 | of memory | L1 ÷ L2 | fp32 units | special | load/store |\n\
         |---|--:|--:|--:|--:|--:|--:|--:|\n",
    );
    text.extend(found.iter().map(|profile| {
        let bytes = profile.bytes();
        let pipes = ["fma", "xu", "lsu"].map(|unit| percent(profile.pipe(unit))).join(" | ");
        let ratio = significant(bytes[0] / bytes[1]);
        format!(
            "| `{}` | {} | {ratio} | {pipes} |\n",
            profile.kernel,
            bytes.map(|bytes| scaled(bytes, "B")).join(" | ")
        )
    }));
    text + &format!(
        "\n<p class=\"source\">Global memory of one launch; the caches are empty when it begins. Units: share of what they \
         can take, while a multiprocessor has work. {}.</p>\n",
        first.source()
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;

    #[test]
    fn levels_are_kept_apart() {
        let text = render(&Profiles(vec![profile()]), &["computeForces"]);
        assert!(text.contains("| 32.0 kB | 3.20 kB | 15.0 B | 10.0 | 12 % |"), "{text}");
    }
}
