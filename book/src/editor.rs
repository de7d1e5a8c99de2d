//! The editor of kernels in pages: its WebAssembly and its worker, which pages with editable kernels carry.
//!
//! Only this program adds them. Pages of the stock mdBook would contain all of it once more each, and have no editor.

use crate::fill::{exercises, packed};
use anyhow::{Context, Result};
use cuda_cpp::header;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The element in which an exercise is solved.
const DESK: &str = "class=\"exercise-desk\"";

/// The classes of elements that open an editor.
const EDITABLE: [&str; 2] = ["class=\"file editable\"", DESK];

/// The end of a page's text.
const END: &str = "</main>";

/// The elements with the parts of the editor.
pub struct Editor {
    elements: String,
    /// The beginning of exercises, for pages with exercises.
    set: String,
}

impl Editor {
    /// Reads and packs the parts, `editor.wasm.gz` and the scripts of its worker in the folder of the book.
    ///
    /// # Errors
    /// Returns an error if a file is missing, or if an exercise is invalid.
    pub fn pack(book: &Path) -> Result<Self> {
        let read = |name: &str| {
            let file = book.join(name);
            fs::read(&file).with_context(|| format!("cannot read {}", file.display()))
        };
        let headers: BTreeMap<_, _> = header::files().collect();
        let script = String::from_utf8([read("theme/instance.js")?, read("theme/editor-worker.js")?].concat())?;
        let parts = serde_json::to_vec(&json!({ "script": script, "headers": headers }))?;
        let module = packed::element("editor-wasm", &packed::module(book, "editor.wasm.gz")?);
        let elements = module + &packed::element("editor-parts", &packed::pack(&parts)?);
        let set = packed::element("exercise-set", &packed::pack(&serde_json::to_vec(&exercises::initial_texts()?)?)?);
        Ok(Self { elements, set })
    }

    /// Returns a page with the editor, if something in it can be edited.
    pub fn add_to(&self, page: &str) -> String {
        if EDITABLE.iter().any(|class| page.contains(class)) {
            let set = if page.contains(DESK) { &self.set } else { "" };
            page.replacen(END, &format!("{}{set}{END}", self.elements), 1)
        } else {
            page.to_owned()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_pages_with_editable_kernels_carry_the_editor() {
        let editor = Editor { elements: "<script>parts</script>".into(), set: "<script>set</script>".into() };
        let listing = "<main><p class=\"file editable\" data-kernel=\"a\"></p></main>";
        assert!(editor.add_to(listing).ends_with("<script>parts</script></main>"));
        let desk = "<main><div class=\"exercise-desk\"></div></main>";
        assert!(editor.add_to(desk).ends_with("<script>parts</script><script>set</script></main>"));
        let plain = "<main><p class=\"file\"></p></main>";
        assert_eq!(editor.add_to(plain), plain);
    }
}
