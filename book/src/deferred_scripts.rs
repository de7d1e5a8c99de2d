//! The scripts that a page does not load at once: those of players and explorers wait for a reader to come near, and a page
//! without them does without their scripts. That of the log of minutes waits for a reader who keeps one.
//!
//! `theme/near.js` loads what waits. Pages of the stock mdBook load all scripts at once.

/// Scripts that only some pages need.
struct Scripts {
    /// The beginning of their names.
    prefix: &'static str,
    /// The classes of the elements that need them, as attributes have them.
    classes: &'static [&'static str],
    /// The selector of these elements, for scripts that wait until a reader comes near one; empty for others.
    wait: &'static str,
}

const ALL: [Scripts; 6] = [
    // On every page, for readers who keep a log; `near.js` gives the page's root this class.
    Scripts { prefix: "theme/log", classes: &["content"], wait: ".keeps-log, .exercise-desk" },
    Scripts {
        prefix: "theme/player",
        classes: &["player", "file editable", "exercise-desk"],
        wait: ".player, .editable, .exercise-desk",
    },
    Scripts { prefix: "theme/editor", classes: &["file editable", "exercise-desk"], wait: ".editable, .exercise-desk" },
    Scripts { prefix: "theme/exercise", classes: &["exercise-desk"], wait: ".exercise-desk" },
    Scripts { prefix: "theme/explorer", classes: &["explorer"], wait: ".explorer" },
    Scripts { prefix: "theme/galaxy", classes: &["galaxy"], wait: "" },
];

/// Returns a page in which scripts wait, or are missing if no element needs them.
pub fn defer(page: &str) -> String {
    let is_needed = ALL.map(|scripts| scripts.classes.iter().any(|class| page.contains(&format!("class=\"{class}\""))));
    page.split_inclusive('\n').map(|line| defer_line(line, is_needed)).collect()
}

/// Returns the attribute `src` of the script on a line; `None` if there is no script or if its text is on the line.
fn script_source(line: &str) -> Option<&str> {
    let attributes = line.trim().strip_prefix("<script ")?.strip_suffix("></script>")?;
    attributes.split_whitespace().find_map(|attribute| attribute.strip_prefix("src=\"")?.strip_suffix('"'))
}

/// Returns the address of the style sheet on a line, if its scripts are those of [`ALL`] that some pages do without.
fn style_source(line: &str) -> Option<&str> {
    let source = line.trim().strip_prefix("<link rel=\"stylesheet\" href=\"")?.strip_suffix("\">")?;
    // Those of players and editors are also for listings and drawings.
    source.starts_with("theme/explorer").then_some(source)
}

fn defer_line(line: &str, is_needed: [bool; ALL.len()]) -> String {
    if let Some(source) = style_source(line) {
        let is_unused =
            ALL.iter().zip(is_needed).any(|(scripts, needed)| source.starts_with(scripts.prefix) && !needed);
        return if is_unused { String::new() } else { line.to_owned() };
    }
    let Some(source) = script_source(line) else { return line.to_owned() };
    match ALL.iter().position(|scripts| source.starts_with(scripts.prefix)) {
        Some(kind) if !is_needed[kind] => String::new(),
        Some(kind) if !ALL[kind].wait.is_empty() => {
            let places = ALL[kind].wait;
            format!("<script type=\"text/plain\" data-later=\"{places}\" data-src=\"{source}\"></script>\n")
        }
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{defer, script_source};

    const SCRIPTS: &str = "  <script src=\"theme/near-1.js\"></script>\n  <script src=\"theme/player-model-2.js\"></script>\n\
                           <script src=\"theme/galaxy-3.js\"></script>\n";

    #[test]
    fn scripts_of_a_player_wait_in_their_order() {
        let page = defer(&format!("<div class=\"player\"></div>\n{SCRIPTS}"));
        assert_eq!(
            page,
            "<div class=\"player\"></div>\n  <script src=\"theme/near-1.js\"></script>\n<script type=\"text/plain\" \
             data-later=\".player, .editable, .exercise-desk\" data-src=\"theme/player-model-2.js\"></script>\n"
        );
    }

    #[test]
    fn a_script_is_found_by_its_source_among_other_attributes() {
        assert_eq!(script_source("  <script defer src=\"a.js\" async></script>\n"), Some("a.js"));
        assert_eq!(script_source("<script>run(\"src=\")</script>"), None);
        assert_eq!(script_source("<link href=\"a.js\">"), None);
    }

    #[test]
    fn a_page_without_explorers_has_none_of_their_styles() {
        let style = "  <link rel=\"stylesheet\" href=\"theme/explorers-1.css\">\n";
        let explorer = "<div class=\"explorer\"></div>\n";
        assert_eq!([defer(style), defer(&format!("{explorer}{style}"))], ["".into(), format!("{explorer}{style}")]);
    }

    #[test]
    fn a_page_without_players_has_none_of_their_scripts() {
        let page = defer(&format!("<figure class=\"galaxy\">\n{SCRIPTS}"));
        assert!(page.contains("near-1.js") && page.contains("galaxy-3.js") && !page.contains("player"), "{page}");
    }
}
