//! The content security policy of a page: scripts are the site's own files, and the inline scripts that the build has written,
//! by their hashes. Hosts of static files send no headers of ours, so it is an element of the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The policies after the one for scripts. Figures and mdBook have styles in attributes. The editor's worker is made by the page
/// from a text that it carries. Slides carry their fonts.
const OTHERS: &str = "style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self' data:; worker-src 'self' blob:; object-src 'none'; \
                      base-uri 'self'; form-action 'self'";

/// The element before which the policy is put: what comes earlier is not subject to it.
const PLACE: &str = "<meta charset=\"UTF-8\">";

/// Returns a page with its policy.
pub fn add(page: &str) -> String {
    let hashes: Vec<String> = inline_scripts(page).map(|script| format!(" 'sha256-{}'", hash(script))).collect();
    let scripts = format!("default-src 'self'; script-src 'self' 'wasm-unsafe-eval'{}", hashes.concat());
    let policy = format!("<meta http-equiv=\"Content-Security-Policy\" content=\"{scripts}; {OTHERS}\">");
    page.replacen(PLACE, &format!("{PLACE}\n        {policy}"), 1)
}

fn hash(script: &str) -> String {
    STANDARD.encode(Sha256::digest(script.as_bytes()))
}

/// Returns the scripts of a page that are in the page itself. Data for scripts have a type.
fn inline_scripts(page: &str) -> impl Iterator<Item = &str> {
    page.split("<script>").skip(1).filter_map(|rest| Some(rest.split_once("</script>")?.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_permits_its_own_inline_scripts_and_no_other_one() {
        let page = "<head><meta charset=\"UTF-8\"><script>one()</script><script src=\"a.js\"></script></head>";
        let page = add(page);
        // `printf 'one()' | openssl dgst -sha256 -binary | base64`
        assert!(page.contains("'sha256-HR7iaask9daLMRRskMI++QeJtjWDOjyPA6lGzYGzKW4='"), "{page}");
        assert_eq!(page.matches("'sha256-").count(), 1);
        assert!(!page.split("style-src").next().unwrap_or_default().contains("unsafe-inline"), "{page}");
    }
}
