//! The data of pages for scripts, moved to separate files, so that pages stay small and browsers load the emulator only once.
//!
//! The files are scripts, because a page that is opened from disk cannot read other files. Pages of the stock mdBook contain
//! their data; `theme/emulator.js` supports both.

use anyhow::{Context, Result};
use std::fs;
use std::path::Path;

/// The folder of the files, next to the pages.
const FOLDER: &str = "carried";

/// The beginning of an element with data, and the classes of those. Other attributes may follow.
const ELEMENT: &str = "<script type=\"text/plain\" class=\"";
const CLASSES: [&str; 6] =
    ["editor-parts\"", "editor-wasm\"", "emulator-wasm\"", "exercise-data\"", "exercise-set\"", "player-scenes\""];
const END: &str = "</script>";

/// Moves the data of a page to files in the folder of the pages, and returns the page without it.
///
/// # Errors
/// Returns an error if a file cannot be written.
pub fn split_off(folder: &Path, page: &str) -> Result<String> {
    let (page, carried) = without_data(page);
    for (name, text) in &carried {
        let script = format!("coalesced.carry({name:?}, \"{text}\");\n");
        fs::create_dir_all(folder.join(FOLDER))
            .and_then(|()| fs::write(folder.join(name), script))
            .with_context(|| format!("cannot write {name}"))?;
    }
    Ok(page)
}

/// Returns whether a file of a site, by its path there, is data of pages.
#[must_use]
pub fn is_carried(name: &str) -> bool {
    name.starts_with(&format!("{FOLDER}/"))
}

/// Returns the files that a finished page names for its data of some classes.
pub fn files_of<'a>(page: &'a str, classes: &'a [&str]) -> impl Iterator<Item = &'a str> {
    page.split(ELEMENT).skip(1).filter_map(|rest| {
        let (class, rest) = rest.split_once('"')?;
        let (attributes, _) = rest.split_once('>')?;
        let (_, name) = attributes.split_once("data-file=\"")?;
        classes.contains(&class).then(|| name.trim_end_matches('"'))
    })
}

/// Returns a page with the names of files in place of its data, and the files.
fn without_data(page: &str) -> (String, Vec<(String, &str)>) {
    let mut short = String::with_capacity(page.len());
    let mut carried = Vec::new();
    let mut rest = page;
    while let Some(end) = end_of_class(rest) {
        let (before, after) = rest.split_at(end);
        let Some((attributes, (text, after))) =
            after.split_once('>').and_then(|(attributes, after)| Some((attributes, after.split_once(END)?)))
        else {
            break;
        };
        let name = format!("{FOLDER}/{:016x}.js", hash(text.as_bytes()));
        short += &format!("{before}{attributes} data-file=\"{name}\">{END}");
        carried.push((name, text.trim()));
        rest = after;
    }
    (short + rest, carried)
}

/// Returns where the class of the first element with data ends.
fn end_of_class(page: &str) -> Option<usize> {
    page.match_indices(ELEMENT).find_map(|(place, _)| {
        let begin = place + ELEMENT.len();
        CLASSES.into_iter().find(|class| page[begin..].starts_with(class)).map(|class| begin + class.len())
    })
}

/// Returns the FNV-1a hash, which names the file: changed data has another name, so that browsers do not use a cached file.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::{files_of, hash, is_carried, without_data};

    const SCENES: &str = "<script type=\"text/plain\" class=\"player-scenes\">QUJD</script>";

    #[test]
    fn data_is_named_and_all_else_stays() {
        let page = format!("<p>a</p>{SCENES}<p>b</p>{SCENES}<script>c()</script>");
        let (short, carried) = without_data(&page);
        let name = format!("carried/{:016x}.js", hash(b"QUJD"));
        let named = format!("<script type=\"text/plain\" class=\"player-scenes\" data-file=\"{name}\"></script>");
        assert_eq!(short, format!("<p>a</p>{named}<p>b</p>{named}<script>c()</script>"));
        assert_eq!(carried, [(name.clone(), "QUJD"), (name.clone(), "QUJD")]);
        assert_eq!(files_of(&short, &["player-scenes"]).collect::<Vec<_>>(), [&name, &name]);
        assert!(is_carried(&name) && !is_carried("index.html") && files_of(&short, &["editor-wasm"]).next().is_none());
    }

    #[test]
    fn a_page_without_data_stays_as_it_is() {
        for page in
            ["<p>a</p>", "<script>b()</script>", &SCENES[..30], "<script type=\"text/plain\" class=\"other\"></script>"]
        {
            assert_eq!(without_data(page), (page.to_owned(), Vec::new()));
        }
    }
}
