//! Charts of records: numbers, text alternatives, and errors.

use crate::support::Copy;
use scraper::{ElementRef, Html, Selector};
use serde_json::Value;
use std::fs;

/// Changes a file of records.
pub fn change(book: &Copy, file: &str, change: impl FnOnce(&mut Vec<Value>)) {
    let file = book.file(file);
    let mut records: Vec<Value> = serde_json::from_str(&fs::read_to_string(&file).unwrap()).unwrap();
    change(&mut records);
    fs::write(&file, Value::from(records).to_string()).unwrap();
}

pub fn of<'a>(records: &'a mut [Value], kernel: &'a str) -> impl Iterator<Item = &'a mut Value> {
    records.iter_mut().filter(move |record| record["kernel"] == kernel)
}

/// Returns the errors of a chapter's lines whose records are missing.
pub fn complaint(book: &Copy, chapter: &str) -> String {
    let error = book.build_of(chapter).expect_err("a chapter that cannot be filled");
    let place = format!("{chapter}:");
    let lines: Vec<&str> = error.lines().filter(|line| line.contains(&place)).collect();
    assert!(!lines.is_empty(), "no {place} in {error}");
    lines.join("\n")
}

pub fn page(book: &Copy, chapter: &str) -> Html {
    Html::parse_document(&book.page(chapter))
}

/// Returns the chart whose title begins with a text: its drawing and its text alternative.
pub fn chart<'a>(page: &'a Html, title: &str) -> (ElementRef<'a>, String) {
    let select = |selector| Selector::parse(selector).unwrap();
    let (title_of, desc) = (select("title"), select("desc"));
    let words = |svg: ElementRef, of: &Selector| svg.select(of).flat_map(|part| part.text()).collect::<String>();
    let found = page.select(&select("figure.drawing svg")).find(|svg| words(*svg, &title_of).starts_with(title));
    let svg = found.unwrap_or_else(|| panic!("no {title}"));
    (svg, words(svg, &desc))
}

pub fn texts(svg: ElementRef) -> Vec<String> {
    svg.select(&Selector::parse("text").unwrap()).map(|text| text.text().collect()).collect()
}

#[test]
fn a_roofline_has_the_numbers_that_a_hand_computes() {
    let page = page(&Copy::new(), "stage01-naive.md");
    let (svg, words) = chart(&page, "Roofline of stage01-naive");
    // 132 multiprocessors with 128 lanes at 1.98 GHz, and 128 bytes per clock from each L1 cache
    assert!(words.starts_with("Roofs: arithmetic 66.9 T/s, L1 caches 33.5 TB/s, memory 4.81 TB/s."), "{words}");
    // 20 × 16384² operations, 4 sectors of 32 bytes for each source and warp
    assert!(words.contains("computeForces: 5.00 per byte, 6.02 T/s"), "{words}");
    // 2^24 additions in 83.5 µs
    assert!(words.contains("reduceGmem: 0.0714 per byte, 201 G/s"), "{words}");
    assert!(texts(svg).contains(&"5.00 per byte, 6.02 T/s".to_owned()));
}

#[test]
fn launches_in_chunks_count_together() {
    let page = page(&Copy::new(), "stage05-coulomb.md");
    // 512² points × 10,000 atoms; three launches, each reads and writes 4 bytes per point
    let (_, words) = chart(&page, "Roofline of stage05-coulomb");
    assert!(words.contains("coulombConstant: 417 per byte"), "{words}");
}

#[test]
fn bars_have_the_bytes_of_the_counts() {
    let book = Copy::new();
    let read = |book: &Copy| {
        let page = page(book, "stage02-shared.md");
        chart(&page, "Bytes requested against bytes needed in stage02-shared").1
    };
    assert!(read(&book).contains("reduceSmem: 71.3 MB requested, 67.6 MB needed: 1.05 ×"));
    change(&book, "results/emulator/stage02.json", |records| {
        for record in of(records, "reduceSmem") {
            record["counters"]["global_load_sectors"] = 1_000_000_000.into();
        }
    });
    assert!(read(&book).contains("reduceSmem: 32.0 GB requested"));
}

#[test]
fn a_sweep_shows_the_fastest_grid_of_each_block_size() {
    let book = Copy::new();
    book.add_line("glossary.md", "{{sweep stage02-shared computeForces_Tiling}}");
    let kernel = "computeForces_Tiling";
    change(&book, "results/nvidia-h200/stage02-sweep.json", |records| {
        let shape = of(records, kernel).find(|record| record["block"] == Value::from(vec![64, 1, 1]));
        shape.unwrap()["time_ms"]["median"] = 0.125.into();
    });
    let page = page(&book, "glossary.md");
    let (svg, words) = chart(&page, "Block sizes of stage02-shared");
    assert!(words.contains("computeForces_Tiling: fastest 0.125 ms at 64"), "{words}");
    let line = svg.select(&Selector::parse("polyline").unwrap()).next().unwrap();
    let places: Vec<(f64, f64)> = line.value().attr("points").unwrap().split(' ').map(place).collect();
    // 32 to 1024, evenly spaced; the second is the lowest point, and low on a picture is a large y
    assert_eq!(places.len(), 6);
    let steps: Vec<f64> = places.windows(2).map(|pair| (pair[1].0 - pair[0].0).round()).collect();
    assert!(steps.iter().all(|step| *step == steps[0]), "{places:?}");
    assert!(places.iter().enumerate().all(|(index, place)| index == 1 || place.1 < places[1].1), "{places:?}");
}

fn place(text: &str) -> (f64, f64) {
    let (x, y) = text.split_once(',').unwrap();
    (x.parse().unwrap(), y.parse().unwrap())
}

/// Returns what a chart lacks for readers who cannot distinguish colors, or cannot see it.
pub fn missing_words(svg: ElementRef, words: &str) -> Vec<String> {
    let mut missing = Vec::new();
    let of_class = |selector| {
        let selector = Selector::parse(selector).unwrap();
        svg.select(&selector).map(|text| text.text().collect::<String>()).collect::<Vec<_>>()
    };
    let numbers = of_class("text.number");
    for number in &numbers {
        // Once at the line or point, and once in the list below.
        if numbers.iter().filter(|other| *other == number).count() != 2 {
            missing.push(format!("number {number}"));
        }
    }
    let names = of_class("text.code:not(.number)").into_iter();
    missing.extend(names.filter(|name| !words.contains(name.as_str())));
    if svg.value().attr("role") != Some("img") {
        missing.push("role".into());
    }
    missing
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn charts_can_be_read_without_colors_and_without_eyes() {
    let book = Copy::new();
    let mut charts = 0;
    for stage in ["stage01-naive", "stage02-shared", "stage03-unroll", "stage04-shuffle", "stage05-coulomb"] {
        for title in ["Roofline", "Block sizes", "Bytes requested"] {
            if stage == "stage03-unroll" && title == "Bytes requested" {
                continue;
            }
            // The answer to an exercise has no list.
            let name = if (stage, title) == ("stage02-shared", "Block sizes") { "exercises-2" } else { stage };
            let page = page(&book, &format!("{name}.md"));
            let (svg, words) = chart(&page, title);
            assert_eq!(missing_words(svg, &words), [""; 0], "{title} of {stage}");
            // Colors come from the theme.
            assert!(!svg.html().contains('#') && !svg.html().contains("style="), "{title} of {stage}");
            charts += 1;
        }
    }
    assert_eq!(charts, 14);
}

#[test]
fn a_chart_without_numbers_or_words_is_noticed() {
    let page = Html::parse_fragment(
        "<svg><desc>fast</desc><text class=\"code number\">1</text><text class=\"code\">nbody_sim</text></svg>",
    );
    let svg = page.select(&Selector::parse("svg").unwrap()).next().unwrap();
    assert_eq!(missing_words(svg, "fast"), ["number 1", "nbody_sim", "role"]);
}

#[test]
fn a_climb_has_the_fastest_kernel_of_each_stage() {
    let book = Copy::new();
    change(&book, "results/nvidia-h200/stage02.json", |records| {
        for record in of(records, "computeForces_Tiling_Shared") {
            record["time_ms"]["median"] = 0.0125.into();
            record["limit_share"] = 0.77.into();
        }
    });
    let page = page(&book, "index.md");
    let (svg, words) = chart(&page, "From the first kernel to the limit");
    assert!(words.contains("; stage 2: 12.5 µs, 77 %; stage 3: "), "{words}");
    assert!(texts(svg).contains(&"stage 2: computeForces_Tiling_Shared".to_owned()));
    assert_eq!(words.matches("stage ").count(), 5, "stage 5 has no kernel of A: {words}");
}

#[test]
fn a_climb_of_a_problem_that_nobody_has_is_refused() {
    let book = Copy::new();
    book.add_line("glossary.md", "{{climb Z}}");
    assert!(complaint(&book, "glossary.md").contains("no kernel of problem Z is recorded in"));
}

#[test]
fn a_missing_count_fails_the_lines_that_need_it() {
    let file = "emulator/stage05.json";
    let book = Copy::new();
    fs::remove_file(book.file("results").join(file)).unwrap();
    let reason = complaint(&book, "stage05-coulomb.md");
    assert!(reason.contains("cannot read") && reason.contains(file), "{reason}");
}

#[test]
fn a_launch_that_was_not_counted_is_refused() {
    let book = Copy::new();
    change(&book, "results/nvidia-h200/stage01.json", |records| {
        of(records, "reduceGmem").for_each(|record| record["block"] = vec![256, 1, 1].into());
    });
    let reason = complaint(&book, "stage01-naive.md");
    let words = "reduceGmem of 16777216 in [131072, 1, 1] blocks of [256, 1, 1] is not counted in";
    assert!(reason.contains("{{roofline") && reason.contains(words), "{reason}");
}

#[test]
fn wrong_results_and_a_single_block_size_are_refused_in_a_sweep() {
    let sweep = "results/nvidia-h200/stage01-sweep.json";
    let book = Copy::new();
    change(&book, sweep, |records| of(records, "reduceGmem").for_each(|record| record["verified"] = false.into()));
    assert!(complaint(&book, "stage01-naive.md").contains("reduceGmem has wrong results in"));
    let book = Copy::new();
    change(&book, sweep, |records| {
        records.retain(|record| record["kernel"] != "reduceGmem" || record["block"] == Value::from(vec![64, 1, 1]));
    });
    assert!(complaint(&book, "stage01-naive.md").contains("reduceGmem is recorded with only one block size"));
}

#[test]
fn a_sweep_of_a_whole_stage_leaves_out_what_has_one_block_size() {
    let book = Copy::new();
    book.add_line("glossary.md", "{{sweep stage01-naive}}");
    change(&book, "results/nvidia-h200/stage01-sweep.json", |records| {
        let is_kept = |record: &Value| record["kernel"] != "nbody_sim_notile" || record["block"][0] == 64;
        records.retain(is_kept);
    });
    let page = page(&book, "glossary.md");
    let (_, words) = chart(&page, "Block sizes of stage01-naive");
    let kernels: Vec<&str> = words.split("; ").filter_map(|part| Some(part.split_once(':')?.0)).collect();
    assert_eq!(kernels, ["computeForces", "computeForces_Tiling", "reduceGmem"]);
}

#[test]
fn a_device_without_a_share_of_a_limit_has_no_roofline() {
    let book = Copy::new();
    for stage in ["stage05", "stage06"] {
        change(&book, &format!("results/nvidia-h200/{stage}.json"), |records| {
            records.iter_mut().for_each(|record| record["limit_share"] = Value::Null);
        });
    }
    assert!(complaint(&book, "stage05-coulomb.md").contains("has a share of a limit in Gevaluations/s"));
}

/// Adds a device with another name and the first stage's records, one of them with another time.
fn add_device(book: &Copy, folder: &str) {
    let file = format!("results/{folder}/stage01.json");
    fs::create_dir_all(book.file("results").join(folder)).unwrap();
    fs::copy(book.file("results/nvidia-h200/stage01.json"), book.file(&file)).unwrap();
    change(book, &file, |records| {
        for record in records.iter_mut() {
            record["device"] = "Made Up 1".into();
        }
        of(records, "reduceGmem").for_each(|record| record["time_ms"]["median"] = 4321.0.into());
    });
    // One record per line, as a program prints them.
    let records: Vec<Value> = serde_json::from_str(&fs::read_to_string(book.file(&file)).unwrap()).unwrap();
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    fs::write(book.file(&file), lines.join("\n")).unwrap();
}

#[test]
fn the_results_page_shows_every_device_and_the_chapters_the_first() {
    let book = Copy::new();
    // Sorted only by name, it would come first.
    add_device(&book, "a-made-up-device");
    let results = book.page("results.md");
    let (first, second) = (results.find("NVIDIA H200").unwrap(), results.find("Made Up 1").unwrap());
    assert!(first < second);
    assert!(results.contains("4,320 ms"));
    let row = results.split("<tr>").find(|row| row.contains("<code>reduceSmem</code>")).unwrap();
    assert_eq!(row.matches("–").count(), 2, "not recorded there: {row}");
    let chapter = book.page("stage01-naive.md");
    assert!(!chapter.contains("Made Up 1") && !chapter.contains("4,320 ms"));
}

#[test]
fn a_file_that_holds_no_records_is_named() {
    let book = Copy::new();
    add_device(&book, "a-made-up-device");
    fs::write(book.file("results/a-made-up-device/stage01.json"), "{}\n").unwrap();
    let reason = complaint(&book, "results.md");
    assert!(reason.contains("a-made-up-device/stage01.json is not in the expected form: missing field"), "{reason}");
}

#[test]
fn without_the_first_device_the_next_is_shown_and_without_any_the_build_fails() {
    let book = Copy::new();
    add_device(&book, "a-made-up-device");
    for recorded in ["nvidia-h200", "nvidia-h100"] {
        fs::remove_dir_all(book.file("results").join(recorded)).unwrap();
    }
    // The added device has no profile.
    assert!(complaint(&book, "stage02-shared.md").contains("a-made-up-device/nsight-compute.json"));
    fs::remove_dir_all(book.file("results/a-made-up-device")).unwrap();
    let reason = complaint(&book, "stage01-naive.md");
    assert!(reason.contains("has a GPU's run of a stage, such as `cargo run -p stage01-naive"), "{reason}");
}
