//! The footer of every page: authors, version, license, and how to cite the course.

/// The authors, as in the licenses and in `CITATION.cff`.
pub const AUTHORS: &str = "the Coalesced authors";
/// The title, as in `CITATION.cff`.
pub const TITLE: &str = "Coalesced: a course in GPU kernel optimization, in Rust";
/// The version of the workspace.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
/// The license of text, figures and code, as Cargo writes it: `MIT OR Apache-2.0`.
pub const LICENSE: &str = env!("CARGO_PKG_LICENSE");

/// The end of a page's text.
const END: &str = "</main>";

/// Returns a page with the footer at the end of its text.
pub fn add(page: &str) -> String {
    page.replacen(END, &(element() + END), 1)
}

/// Returns the footer.
pub fn element() -> String {
    let license = LICENSE.replace(" OR ", " or ");
    format!(
        "<footer class=\"book-footer\">\n<p>Coalesced {VERSION}, by {AUTHORS}. Text, figures and code may be used under the \
         license {license}, as you choose.</p>\n<p>To cite it: The Coalesced authors, <cite>{TITLE}</cite>, version {VERSION}; \
         <code>CITATION.cff</code> in the repository has the same for programs.</p>\n</footer>\n"
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use loading::workspace_root;
    use std::fs;

    #[test]
    fn a_page_ends_with_its_version_and_license() {
        let page = add("<main>\n<p>a</p>\n</main>\n<nav></nav>");
        assert!(
            page.starts_with("<main>\n<p>a</p>\n<footer") && page.ends_with("</footer>\n</main>\n<nav></nav>"),
            "{page}"
        );
        assert!(page.contains(VERSION) && page.contains("MIT or Apache-2.0"), "{page}");
    }

    #[test]
    fn the_citation_file_says_the_same() {
        let file = workspace_root().join("CITATION.cff");
        let citation = fs::read_to_string(file).expect("CITATION.cff at the root of the repository");
        for line in [
            format!("title: \"{TITLE}\""),
            format!("version: {VERSION}"),
            "  - name: The Coalesced authors".to_owned(),
            "  - MIT".to_owned(),
            "  - Apache-2.0".to_owned(),
        ] {
            assert!(citation.lines().any(|found| found == line), "{line} in {citation}");
        }
    }
}
