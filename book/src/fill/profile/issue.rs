//! `{{issue SIZE SIZE KERNEL …}}`: instructions per interaction, and the use of issue slots by few and by many warps.

use super::{Profile, Profiles};
use crate::fill::peaks::LANES;
use crate::fill::records::NOT_RECORDED;
use common::format::{significant, thousands};

/// Returns a table with a line per kernel that is recorded at both numbers of bodies.
pub fn render(profiles: &Profiles, sizes: [usize; 2], kernels: &[&str]) -> String {
    let pair = |kernel: &&str| Some([profiles.at(kernel, sizes[0])?, profiles.at(kernel, sizes[1])?]);
    let pairs: Vec<[&Profile; 2]> = kernels.iter().filter_map(pair).collect();
    let Some([first, _]) = pairs.first() else {
        return format!("<p class=\"source older\">Warps and instructions per clock are {NOT_RECORDED}.</p>\n");
    };
    let [few, many] = sizes.map(|size| thousands(size as u64));
    let mut text = format!(
        "| kernel | instructions per interaction | warps, n = {few} | clocks per interaction | per clock | warps, n = {many} | per clock |\n\
         |---|--:|--:|--:|--:|--:|--:|\n"
    );
    text.extend(pairs.iter().map(|[few, many]| {
        let each = few.metric("smsp__inst_executed.sum") * LANES / (few.size as f64).powi(2);
        let (each, clocks) = (significant(each), significant(each * few.clocks()));
        let [before, after] =
            [few, many].map(|profile| (format!("{:.1}", profile.warps()), format!("{:.2}", profile.issued())));
        let cells = [each, before.0, clocks, before.1, after.0, after.1];
        format!("| `{}` | {} |\n", few.kernel, cells.join(" | "))
    }));
    text + &format!(
        "\n<p class=\"source\">Warps: of a scheduler. Clocks per interaction: of a warp, for one source and its 32 bodies. Per clock: \
         instructions of a scheduler, of at most 1. {}.</p>\n",
        first.source()
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::profile;
    use super::*;

    #[test]
    fn instructions_are_per_pair_of_bodies() {
        let many = Profile { size: 131_072, ..profile() };
        let profiles = Profiles(vec![profile(), many]);
        let text = render(&profiles, [16_384, 131_072], &["computeForces", "nbody_sim"]);
        assert!(text.contains("| `computeForces` | 30.0 | 1.0 | 120 | 0.25 | 1.0 | 0.25 |"), "{text}");
        assert!(!text.contains("nbody_sim"));
    }
}
