//! The scripts that a page does not load at once: those of players and explorers wait for a reader to come near, and a page
//! without them does without their scripts.
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

const ALL: [Scripts; 5] = [
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
pub fn deferred(page: &str) -> String {
    let is_needed = ALL.map(|scripts| scripts.classes.iter().any(|class| page.contains(&format!("class=\"{class}\""))));
    page.split_inclusive('\n').map(|line| line_of(line, is_needed)).collect()
}

fn line_of(line: &str, is_needed: [bool; ALL.len()]) -> String {
    let Some(source) = line.trim().strip_prefix("<script src=\"").and_then(|rest| rest.strip_suffix("\"></script>"))
    else {
        return line.to_owned();
    };
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
    use super::deferred;

    const SCRIPTS: &str = "  <script src=\"theme/near-1.js\"></script>\n  <script src=\"theme/player-model-2.js\"></script>\n\
                           <script src=\"theme/galaxy-3.js\"></script>\n";

    #[test]
    fn scripts_of_a_player_wait_in_their_order() {
        let page = deferred(&format!("<div class=\"player\"></div>\n{SCRIPTS}"));
        assert_eq!(
            page,
            "<div class=\"player\"></div>\n  <script src=\"theme/near-1.js\"></script>\n<script type=\"text/plain\" \
             data-later=\".player, .editable, .exercise-desk\" data-src=\"theme/player-model-2.js\"></script>\n"
        );
    }

    #[test]
    fn a_page_without_players_has_none_of_their_scripts() {
        let page = deferred(&format!("<figure class=\"galaxy\">\n{SCRIPTS}"));
        assert!(page.contains("near-1.js") && page.contains("galaxy-3.js") && !page.contains("player"), "{page}");
    }
}
