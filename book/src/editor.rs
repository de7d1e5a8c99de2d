//! The editor of kernels in pages: its WebAssembly and its worker, which pages with editable kernels carry.
//!
//! Only this program adds them. Pages of the stock mdBook would contain all of it once more each, and have no editor.

use crate::fill::packed;
use anyhow::{Context, Result};
use cuda_cpp::header;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// The classes of elements that open an editor.
const EDITABLE: [&str; 2] = ["class=\"file editable\"", "class=\"exercise-desk\""];

/// The end of a page's text.
const END: &str = "</main>";

/// The elements with the parts of the editor.
pub struct Editor {
    elements: String,
}

impl Editor {
    /// Reads and packs the parts, `editor.wasm.gz` and the scripts of its worker in the folder of the book.
    ///
    /// # Errors
    /// Returns an error if a file is missing.
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
        Ok(Self { elements })
    }

    /// Returns a page with the editor, if something in it can be edited.
    pub fn add_to(&self, page: &str) -> String {
        if EDITABLE.iter().any(|class| page.contains(class)) {
            page.replacen(END, &format!("{}{END}", self.elements), 1)
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
        let editor = Editor { elements: "<script>parts</script>".into() };
        let listing = "<main><p class=\"file editable\" data-kernel=\"a\"></p></main>";
        assert!(editor.add_to(listing).ends_with("<script>parts</script></main>"));
        let plain = "<main><p class=\"file\"></p></main>";
        assert_eq!(editor.add_to(plain), plain);
    }
}
