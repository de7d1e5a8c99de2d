//! Actions of tests on an editor in a page.

use super::chromium::Browser;
use super::page::Page;
use super::site::{Site, site};
use crate::support::skip;
use book::compiler::{self, Form};
use loading::workspace_root;
use std::sync::{Arc, OnceLock};

/// Returns the browser, a new page, and the book with the compiler beside its pages; none without a browser or npm, which
/// skips the calling test.
pub fn writer() -> Option<(Arc<Browser>, Page, &'static Site)> {
    static COPIED: OnceLock<()> = OnceLock::new();
    let browser = Browser::shared()?;
    if !compiler::is_npm_installed() {
        skip("install npm, which downloads the compiler of the pages");
        return None;
    }
    let site = site();
    COPIED.get_or_init(|| compiler::copy_to(site.folder(), Form::Plain).unwrap());
    Some((browser.clone(), Page::new(&browser), site))
}

/// Returns the text of a kernel file of the repository.
pub fn repository_file(path: &str) -> String {
    let file = workspace_root().join(path);
    std::fs::read_to_string(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
}

/// Opens the editor of a kernel on the open page.
pub fn open(page: &mut Page, kernel: &str) {
    open_by(page, kernel, "kernel");
}

/// Opens the editor of a kernel's text, or of its PTX (`kernel`, `ptx`).
pub fn open_by(page: &mut Page, kernel: &str, what: &str) {
    let listing = format!(".editable[data-kernel={kernel}]");
    page.run(&format!("document.querySelector('{listing}').scrollIntoView({{ behavior: 'instant' }})"));
    let button = format!("{listing} ~ .editor-open [data-editor-open={what}]");
    page.wait_for(&format!("document.querySelector('{button}')"));
    // Not by the mouse: what loads above moves the button.
    page.run(&format!("document.querySelector('{button}').click()"));
    page.wait_for("document.querySelector('.editor-area')");
}

/// Opens the editor of an exercise on the open page.
pub fn open_exercise(page: &mut Page, name: &str) {
    let desk = desk(name);
    page.run(&format!("document.querySelector('{desk}').scrollIntoView({{ behavior: 'instant' }})"));
    page.wait_for(&format!("document.querySelector('{desk} [data-exercise-open]')"));
    page.run(&format!("document.querySelector('{desk} [data-exercise-open]').click()"));
    page.wait_for(&format!("document.querySelector('{desk} .editor-area')"));
}

/// Returns the selector of an exercise's editor.
pub fn desk(name: &str) -> String {
    format!(".exercise-desk[data-exercise=\"{name}\"]")
}

/// Replaces the text in the editor inside of an element, as if it was pasted.
pub fn write(page: &mut Page, within: &str, text: &str) {
    page.run(&format!(
        "const area = document.querySelector('{within} .editor-area');
        area.focus();
        area.select();
        document.execCommand('insertText', false, {text:?})"
    ));
}

/// Replaces words of the text in the first editor, which must occur.
pub fn replace(page: &mut Page, words: &str, others: &str) {
    let text: String = page.evaluate("document.querySelector('.editor-area').value");
    assert!(text.contains(words), "no {words} in {text}");
    write(page, "", &text.replacen(words, others, 1));
}

/// Compiles and runs, or checks, and returns what the status says then.
pub fn run(page: &mut Page, within: &str) -> String {
    begin(page, within);
    end(page, within)
}

/// Begins a run.
pub fn begin(page: &mut Page, within: &str) {
    page.run(&format!("document.querySelector('{within} [data-editor=run]').click()"));
}

/// Waits for the end of a run, and returns what the status says.
pub fn end(page: &mut Page, within: &str) -> String {
    page.wait_for(&format!("!document.querySelector('{within} [data-editor=run]').disabled"));
    page.evaluate(&format!("document.querySelector('{within} .editor-status').textContent"))
}

/// Returns the text of the first element.
pub fn said(page: &mut Page, selector: &str) -> String {
    page.evaluate(&format!("document.querySelector('{selector}')?.textContent ?? ''"))
}
