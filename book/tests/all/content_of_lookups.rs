//! The content checks of exercises, of CUDA's words, and of metrics.

use crate::content::{assert_finds, findings};

#[test]
#[ignore = "slow: run by cargo x ci"]
fn an_exercise_needs_a_page_and_a_chapter_that_leads_to_it() {
    let found = findings(|copy| copy.replace_line("exercises-5.md", "{{exercise 52_address_by_lane}}", ""));
    let of_card: Vec<_> =
        found.iter().filter(|finding| finding.starts_with("exercises/52_address_by_lane/card.toml")).collect();
    assert!(of_card.len() == 1 && of_card[0].contains("no page shows it"), "{found:#?}");
    assert!(found.iter().any(|finding| finding.contains("has no heading `52-")), "and its link is dead: {found:#?}");
    let found = findings(|copy| copy.replace_line("stage05-coulomb.md", "{{exercises stage05-coulomb}}", ""));
    assert!(found.len() == 4 && found.iter().all(|finding| finding.contains("no chapter leads to it")), "{found:#?}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_word_of_cuda_that_a_kernel_uses_is_explained() {
    assert_finds("book/text/cuda-words.md:1: ", "`rsqrtf` is missing here, which ", |copy| {
        copy.edit("book/text/cuda-words.md", "`rsqrtf(x)`", "`squirt(x)`");
    });
    assert_finds("book/text/cuda-words.md:", "`thread_wall`: no kernel in Rust", |copy| {
        copy.edit("book/text/cuda-words.md", "`thread_fence()`", "`thread_wall()`");
    });
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_metric_is_one_of_the_readings() {
    assert_finds("book/text/nsight-compute.md:", "`smsp__nothing.sum` is not among the metrics", |copy| {
        copy.add_line("nsight-compute.md", "`smsp__nothing.sum`");
    });
}
