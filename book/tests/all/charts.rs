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

pub fn records_of<'a>(records: &'a mut [Value], kernel: &'a str) -> impl Iterator<Item = &'a mut Value> {
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
    chart_if_any(page, title).unwrap_or_else(|| panic!("no {title}"))
}

fn chart_if_any<'a>(page: &'a Html, title: &str) -> Option<(ElementRef<'a>, String)> {
    let select = |selector| Selector::parse(selector).unwrap();
    let title_of = select("title");
    let desc = select("desc");
    let words = |svg: ElementRef, of: &Selector| svg.select(of).flat_map(|part| part.text()).collect::<String>();
    let svg = page.select(&select("figure.drawing svg")).find(|svg| words(*svg, &title_of).starts_with(title))?;
    Some((svg, words(svg, &desc)))
}

pub fn texts(svg: ElementRef) -> Vec<String> {
    svg.select(&Selector::parse("text").unwrap()).map(|text| text.text().collect()).collect()
}

/// A measured peak rate, as `cargo run -p limits -- --json` prints it.
pub fn limit(name: &str, amount: f64, milliseconds: f64) -> Value {
    serde_json::json!({
        "limit": name, "kernel": "someRate", "amount": amount, "unit": "x",
        "time_ms": {"median": milliseconds, "low": milliseconds, "high": milliseconds, "runs": 20},
        "rate": amount / (milliseconds / 1e3), "clock_hz": 1.98e9, "nominal_clock_hz": 1.98e9, "multiprocessors": 132,
        "device": "NVIDIA H200", "compute_capability": "9.0", "driver": "580", "code": "prebuilt PTX",
        "kernel_sha256": null, "date": "2026-11-22T06:00:00Z", "verified": true,
    })
}

/// Replaces a kernel's recorded time, and the traffic of its profile: sectors of L1 and L2, and bytes of memory.
fn set_run(book: &Copy, stage: &str, kernel: &str, milliseconds: f64, [l1, l2, memory]: [u64; 3]) {
    change(book, &format!("results/nvidia-h200/{stage}.json"), |records| {
        for record in records_of(records, kernel) {
            let faster = record["time_ms"]["median"].as_f64().unwrap() / milliseconds;
            record["time_ms"]["median"] = milliseconds.into();
            // The nominal rates follow from the rate and its share of them.
            for name in ["/rate/value", "/limit_share"] {
                let Some(value) = record.pointer_mut(name) else { continue };
                if let Some(was) = value.as_f64() {
                    *value = (was * faster).into();
                }
            }
        }
    });
    change(book, &format!("results/nvidia-h200/{stage}-profile.json"), |profiles| {
        for profile in records_of(profiles, kernel) {
            profile["metrics"]["l1tex__t_sectors.sum"] = l1.into();
            profile["metrics"]["lts__t_sectors_srcunit_tex.sum"] = l2.into();
            profile["metrics"]["dram__bytes_read.sum"] = memory.into();
            profile["metrics"]["dram__bytes_write.sum"] = 0.into();
        }
    });
}

#[test]
fn a_roofline_has_the_numbers_that_a_hand_computes() {
    let book = Copy::new();
    // 1e12 multiply-adds of warps per second, and 4.5 TB/s
    let limits = vec![limit("fp32", 1e9, 1.0), limit("memory", 4.5e9, 1.0)];
    fs::write(book.file("results/nvidia-h200/limits.json"), Value::from(limits).to_string()).unwrap();
    set_run(&book, "stage01", "computeForces", 1.0, [32 << 20, 256 << 10, 268_435]);
    set_run(&book, "stage01", "reduceGmem", 0.1, [7 << 20, 1 << 20, 1 << 26]);
    let page = page(&book, "stage01-naive.md");
    let (svg, words) = chart(&page, "Roofline of stage01-naive, A");
    // 32 × 2 operations of each instruction; 128 bytes per clock from each of 132 L1 caches at 1.98 GHz
    assert!(
        words.starts_with("Roofs: arithmetic 64.0 T/s; L1 caches 33.5 TB/s, nominal; memory 4.50 TB/s."),
        "{words}"
    );
    // 20 × 16384² operations in 1 ms; 32 bytes for each sector
    let computed = "computeForces: 5.37 T/s at 5.00 per byte of L1, 640 of L2, 20,000 of memory";
    assert!(words.contains(computed), "{words}");
    // a point a level for each of the two kernels of A, and three in the list
    assert_eq!(svg.select(&Selector::parse(".mark").unwrap()).count(), 2 * 3 + 3);
    assert!(texts(svg).contains(&"computeForces".to_owned()));
    // 2^24 additions in 100 µs, and no roof of fused multiply-adds
    book.add_line("glossary.md", "{{roofline stage01-naive B C D}}");
    let page = self::page(&book, "glossary.md");
    let (svg, words) = chart(&page, "Roofline of stage01-naive, C");
    assert!(words.starts_with("Roofs: L1 caches 33.5 TB/s") && !texts(svg).concat().contains("arithmetic"), "{words}");
    assert!(words.contains("reduceGmem: 168 G/s at 0.0714 per byte of L1"), "{words}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn launches_in_chunks_and_steps_of_a_launch_count_together() {
    let book = Copy::new();
    // 512² points × 10,000 atoms in 10 ms; three launches, each reads and writes 4 bytes per point
    set_run(&book, "stage05", "coulombConstant", 10.0, [1 << 16; 3]);
    let (_, words) = chart(&page(&book, "stage05-coulomb.md"), "Roofline of stage05-coulomb");
    assert!(words.contains("coulombConstant: 262 G/s at 417 per byte of L1"), "{words}");
    // 14 × 4096² operations a step in 10 ms / 1000; the profiled launch takes 1000 steps and 5.87 GB
    set_run(&book, "stage06", "periodicPersistent", 10.0, [175 << 20; 3]);
    let page = page(&book, "stage06-limit.md");
    let (_, words) = chart(&page, "Roofline of stage06-limit, B");
    assert!(words.contains("periodicPersistent: 23.5 T/s at 40.0 per byte of L1"), "{words}");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn copies_to_shared_memory_are_bytes_of_the_caches() {
    let book = Copy::new();
    let read = |book: &Copy| chart(&page(book, "stage06-limit.md"), "Roofline of stage06-limit, C").1;
    let words = read(&book);
    // 2^24 additions, and 64 MiB from L1 or past it
    for kernel in ["reduceAsyncCopy", "reduceBulkCopy"] {
        let (_, rest) = words.split_once(&format!("{kernel}: ")).unwrap();
        let numbers = rest.split_once(" at ").unwrap().1;
        assert!(numbers.starts_with("0.250 per byte of L1, 0.250 of L2"), "{kernel}: {numbers}");
    }
    // Without a profile, the emulator's counts say the same about L1.
    change(&book, "results/nvidia-h200/stage06-profile.json", |profiles| profiles.clear());
    let words = read(&book);
    assert!(words.contains("at 0.250 per byte of L1; reduceBulkCopy: "), "{words}");
}

/// Returns the number at the beginning of a text with a prefix of its unit: 6.02e12 of `6.02 T/s at …`.
fn scaled(text: &str) -> f64 {
    let (digits, unit) = text.split_once(' ').unwrap();
    let factor = match unit.as_bytes()[0] {
        b'T' => 1e12,
        b'G' => 1e9,
        _ => panic!("{text}"),
    };
    digits.parse::<f64>().unwrap() * factor
}

/// Returns the operations per byte of a level: 595 of `6.02 T/s at 5.00 per byte of L1, 595 of L2`.
fn per_byte(numbers: &str, level: &str) -> Option<f64> {
    let (_, intensities) = numbers.split_once(" at ").unwrap();
    let of_level = |part: &&str| part.ends_with(&format!(" of {level}"));
    let part = intensities.split_inclusive(level).find(of_level)?;
    let digits = part.rsplit(", ").next().unwrap().split(' ').next().unwrap();
    digits.replace(',', "").parse().ok()
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn no_point_is_above_a_roof_except_where_an_algorithm_is_cheaper() {
    let book = Copy::new();
    let mut points = 0;
    let mut passing = Vec::new();
    for stage in ["1-naive", "2-shared", "3-unroll", "4-shuffle", "5-coulomb", "6-limit"] {
        let page = page(&book, &format!("stage0{stage}.md"));
        for problem in ["A", "B", "C", "D", "E", "F"] {
            let title = format!("Roofline of stage0{stage}, {problem}");
            let Some((_, words)) = chart_if_any(&page, &title) else { continue };
            let (roofs, kernels) = words.split_once("B/s. ").unwrap();
            let after = |words: &str| scaled(roofs.split_once(words).unwrap().1);
            let flat = match problem {
                // Its operations are not those of a unit with a roof.
                "C" | "F" => f64::INFINITY,
                "E" => after("square roots "),
                _ => after("arithmetic "),
            };
            for kernel in kernels.split("; ") {
                let (name, numbers) = kernel.split_once(": ").unwrap();
                for (level, slope) in [("L1", after("L1 caches ")), ("memory", after("memory "))] {
                    let most = per_byte(numbers, level).map(|intensity| intensity * slope);
                    assert!(most.is_none_or(|most| scaled(numbers) <= most), "{level}: {kernel}");
                    points += usize::from(most.is_some());
                }
                if scaled(numbers) > flat {
                    passing.push(name.to_owned());
                }
            }
        }
    }
    assert!(points > 100, "{points}");
    assert_eq!(passing, ["coulombSoftwareRoot"]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn bars_have_the_bytes_of_the_counts() {
    let book = Copy::new();
    let read = |book: &Copy| {
        let page = page(book, "stage02-shared.md");
        chart(&page, "Bytes requested against bytes needed in stage02-shared").1
    };
    assert!(read(&book).contains("reduceSmem: 71.3 MB requested, 67.6 MB needed: 1.05 ×"));
    change(&book, "results/emulator/stage02.json", |records| {
        for record in records_of(records, "reduceSmem") {
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
        let shape = records_of(records, kernel).find(|record| record["block"] == Value::from(vec![64, 1, 1]));
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

#[test]
fn the_time_of_a_block_is_the_time_of_the_run_divided_by_its_blocks() {
    let book = Copy::new();
    book.add_line("glossary.md", "{{starts reduceSmem reduceGridStride}}");
    // Of a kernel's sweeps in several stages the latest counts: these times are not shown.
    change(&book, "results/nvidia-h200/stage02-sweep.json", |records| {
        records_of(records, "reduceSmem").for_each(|record| {
            record["time_ms"]["median"] = 7.0.into();
            record["date"] = "2020-01-01T00:00:00Z".into();
        });
    });
    change(&book, "results/nvidia-h200/stage06-sweep.json", |records| {
        let mut of_128 = records_of(records, "reduceSmem").filter(|record| record["block"][0] == 128);
        of_128.next().unwrap()["time_ms"]["median"] = 0.0830.into();
    });
    let page = page(&book, "glossary.md");
    let (svg, words) = chart(&page, "Time per block against threads per block");
    // 2^24 integers in blocks of 128: 83.0 µs for 131,072 blocks
    assert!(words.contains("0.633 ns at 128"), "{words}");
    // 1,048,576 empty blocks in 0.6363 ms
    assert!(words.starts_with("An empty block: 0.607 ns; reduceSmem: "), "{words}");
    assert!(texts(svg).contains(&"an empty block: 0.607 ns".to_owned()));
    assert_eq!(svg.select(&Selector::parse("line.roof").unwrap()).count(), 1);
    assert_eq!(missing_words(svg, &words), [""; 0]);
}

#[test]
fn what_a_plot_of_block_starts_lacks_is_said_or_refused() {
    let book = Copy::new();
    book.add_line("glossary.md", "{{starts reduceSmem reduceGmem}}");
    for stage in 1..=6 {
        change(&book, &format!("results/nvidia-h200/stage0{stage}-sweep.json"), |records| {
            records.retain(|record| record["kernel"] != "reduceGmem");
        });
    }
    fs::remove_file(book.file("results/nvidia-h200/limits.json")).unwrap();
    let page = book.page("glossary.md");
    assert!(page.contains("Not recorded yet: <code>reduceGmem</code>."));
    assert!(page.contains("The time of an empty block is not recorded."));
    for (line, reason) in [("{{starts}}", "name the kernels"), ("{{starts reduce}}", "there is no kernel reduce;")] {
        let book = Copy::new();
        book.add_line("glossary.md", line);
        assert!(complaint(&book, "glossary.md").contains(reason));
    }
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
fn a_climb_has_the_time_of_the_fastest_kernel_of_each_stage() {
    let book = Copy::new();
    change(&book, "results/nvidia-h200/stage03.json", |records| {
        for record in records_of(records, "computeForces_unroll64") {
            record["time_ms"]["median"] = 0.24.into();
        }
    });
    let page = page(&book, "index.md");
    let (svg, words) = chart(&page, "From the first kernel to the fastest");
    assert!(words.contains("; stage 3: 0.240 ms; stage 4: ") && words.contains("ms, slower; "), "{words}");
    assert!(texts(svg).contains(&"stage 3: computeForces_unroll64".to_owned()));
    assert_eq!(words.matches("stage ").count(), 5, "stage 5 has no kernel of A: {words}");
}

#[test]
fn a_plot_of_times_has_a_dot_and_a_range_for_each_kernel() {
    let book = Copy::new();
    change(&book, "results/nvidia-h200/stage04.json", |records| {
        for record in records_of(records, "computeForces_Tiling_Shuffle") {
            record["time_ms"] = serde_json::json!({"median": 2.0, "low": 1.0, "high": 4.0, "runs": 20});
        }
        for record in records_of(records, "computeForces_Tiling_unroll64") {
            record["time_ms"] = serde_json::json!({"median": 1.0, "low": 1.0, "high": 1.0, "runs": 20});
        }
    });
    book.add_line("glossary.md", "{{plot stage04-shuffle}}");
    let page = page(&book, "glossary.md");
    let (svg, words) = chart(&page, "Times of stage04-shuffle");
    assert!(words.contains("computeForces_Tiling_Shuffle: 2.00 ms"), "{words}");
    assert!(words.contains(", 1.00 ms to 4.00 ms"), "{words}");
    let attribute = |part: ElementRef, name: &str| part.value().attr(name).unwrap().parse::<f64>().unwrap();
    let select = |selector| svg.select(&Selector::parse(selector).unwrap()).take(2).collect::<Vec<_>>();
    let dots = select("circle.mark");
    let ranges = select("line.whisker");
    // The scale is logarithmic: from 1 to 2 as far as from 2 to 4.
    let [one, two] = [0, 1].map(|index| attribute(dots[index], "cx"));
    let low = attribute(ranges[1], "x1");
    let high = attribute(ranges[1], "x2");
    assert!((low - one).abs() < 0.2 && (high - two - (two - one)).abs() < 0.2, "{one} {two} {low} {high}");
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
    assert!(reason.contains("is not counted in") && reason.contains(file), "{reason}");
}

#[test]
fn a_launch_that_was_not_counted_is_refused() {
    let book = Copy::new();
    change(&book, "results/nvidia-h200/stage01.json", |records| {
        records_of(records, "reduceGmem").for_each(|record| record["block"] = vec![256, 1, 1].into());
    });
    let reason = complaint(&book, "stage01-three-problems.md");
    let words = "reduceGmem of 16777216 in [131072, 1, 1] blocks of [256, 1, 1] is not counted in";
    assert!(reason.contains("{{roofline") && reason.contains(words), "{reason}");
}

#[test]
fn wrong_results_and_a_single_block_size_are_refused_in_a_sweep() {
    let sweep = "results/nvidia-h200/stage01-sweep.json";
    let book = || {
        let book = Copy::new();
        book.add_line("glossary.md", "{{sweep stage01-naive reduceGmem}}");
        book
    };
    let wrong = book();
    change(&wrong, sweep, |records| {
        records_of(records, "reduceGmem").for_each(|record| record["verified"] = false.into())
    });
    assert!(complaint(&wrong, "glossary.md").contains("reduceGmem has wrong results in"));
    let single = book();
    change(&single, sweep, |records| {
        records.retain(|record| record["kernel"] != "reduceGmem" || record["block"] == Value::from(vec![64, 1, 1]));
    });
    assert!(complaint(&single, "glossary.md").contains("reduceGmem is recorded with only one block size"));
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
fn a_device_without_a_limit_has_no_roofline() {
    let book = Copy::new();
    fs::remove_file(book.file("results/nvidia-h200/limits.json")).unwrap();
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
        records_of(records, "reduceGmem").for_each(|record| record["time_ms"]["median"] = 4321.0.into());
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
    let first = results.find("NVIDIA H200").unwrap();
    let second = results.find("Made Up 1").unwrap();
    assert!(first < second);
    assert!(results.contains("4.32 s"));
    let row = results.split("<tr>").find(|row| row.contains("<code>reduceSmem</code>")).unwrap();
    assert_eq!(row.matches("–").count(), 2, "not recorded there: {row}");
    let chapter = book.page("stage01-naive.md");
    assert!(!chapter.contains("Made Up 1") && !chapter.contains("4.32 s"));
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
#[ignore = "slow: run by cargo x ci"]
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
