//! A reader's text is not lost, and the editor is usable by keys alone, on phones, and in every theme.

use super::barriers::{THEMES, barriers};
use super::editor::{desk, end, open, open_exercise, replace, run, said, write, writer};
use super::handing_in::click;
use super::page::Page;
use super::site::{Site, reader};
use super::widths::{NARROW, WIDE, too_wide};
use std::fs;
use std::os::unix::fs::symlink;

const LISTING: &str = "stage01-naive.html";

/// Returns the text in the editor.
fn text(page: &mut Page) -> String {
    page.evaluate("document.querySelector('.editor-area').value")
}

fn edit(page: &mut Page, site: &Site) {
    page.open(&site.served(LISTING));
    open(page, "computeForces");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_text_survives_reload_back_and_another_tab() {
    let Some((_browser, mut page, site)) = reader() else { return };
    edit(&mut page, site);
    replace(&mut page, "float scale", "float factor");
    let mine = text(&mut page);
    edit(&mut page, site);
    assert_eq!(text(&mut page), mine, "after a reload");
    page.open(&site.served("glossary.html"));
    page.back();
    page.wait_for("location.pathname.endsWith('stage01-naive.html') && document.querySelector('.editable')");
    open(&mut page, "computeForces");
    assert_eq!(text(&mut page), mine, "after the back button");
    // Another document of the same site is another tab to the storage.
    page.run(
        "const tab = document.createElement('iframe');
        tab.src = 'glossary.html';
        document.body.append(tab);
        tab.onload = () => tab.contentWindow.localStorage.setItem('coalesced-kernel-computeForces', 'from the other tab')",
    );
    page.wait_for("document.querySelector('.editor-status button')");
    assert_eq!(text(&mut page), mine, "the other tab has replaced the text unasked");
    page.click(".editor-status button");
    assert_eq!(text(&mut page), "from the other tab");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_link_carries_a_kernel() {
    let Some((browser, mut page, site)) = reader() else { return };
    edit(&mut page, site);
    replace(&mut page, "float scale", "float größe");
    let mine = text(&mut page);
    page.click("[data-editor=link]");
    page.wait_for("location.hash.includes('code=')");
    let address: String = page.evaluate("location.href");
    assert!(address.len() < 2000, "a link of {} characters", address.len());
    let mut other = Page::new(&browser);
    other.open(&address);
    other.wait_for("document.querySelector('.editor-area')");
    assert_eq!(text(&mut other), mine);
    // A damaged link opens the course's kernel.
    other.open(&site.served("glossary.html"));
    other.open(&address.replace("code=", "code=%25%25"));
    other.wait_for("document.querySelector('.editor-area')");
    assert!(text(&mut other).contains("float scale"));
    // After a change the address has no kernel any more, which a reload would bring back.
    other.open(&site.served("glossary.html"));
    other.open(&address);
    other.wait_for("document.querySelector('.editor-area')");
    replace(&mut other, "float größe", "float size");
    assert!(!other.evaluate::<bool>("location.hash.includes('edit=')"));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn full_storage_is_said_and_stops_nothing() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.before_every_page(
        "Storage.prototype.setItem = () => { throw new DOMException('full', 'QuotaExceededError') };
        caches.open = () => Promise.reject(new DOMException('full', 'QuotaExceededError'))",
    );
    edit(&mut page, site);
    replace(&mut page, "float scale", "float factor");
    let status = said(&mut page, ".editor-status");
    assert!(status.starts_with("This browser keeps no text"), "{status}");
    replace(&mut page, "scale *", "factor *");
    replace(&mut page, "scale *", "factor *");
    replace(&mut page, "scale *", "factor *");
    assert_eq!(run(&mut page, ""), "✓ The results are right.");
    page.open(&site.served("first-kernels.html"));
    open_exercise(&mut page, "12_guard");
    page.click("[data-editor=hint]");
    click(&mut page, ".exercise-log input");
    page.wait_for("document.querySelector('[data-log-refused]').textContent");
    assert!(!page.evaluate::<bool>("document.querySelector('.exercise-log input').checked"));
    assert_eq!(page.problems(), [""; 0]);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_download_that_breaks_off_is_begun_again() {
    let Some((_browser, mut page, site)) = writer() else { return };
    // The same pages with a compiler of which only the beginning comes.
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(site.folder()).unwrap().map(Result::unwrap) {
        if entry.file_name() != "compiler" {
            symlink(entry.path(), folder.path().join(entry.file_name())).unwrap();
        }
    }
    let compiler = folder.path().join("compiler");
    fs::create_dir(&compiler).unwrap();
    for entry in fs::read_dir(site.folder().join("compiler")).unwrap().map(Result::unwrap) {
        symlink(entry.path(), compiler.join(entry.file_name())).unwrap();
    }
    let large = compiler.join("llvm.core.wasm");
    let whole = fs::read_link(&large).unwrap();
    fs::remove_file(&large).unwrap();
    fs::write(&large, &fs::read(&whole).unwrap()[..4_000_000]).unwrap();
    let address = Site::serve(folder.path());
    page.open(&format!("{address}{LISTING}"));
    open(&mut page, "computeForces");
    let status = run(&mut page, "");
    assert!(status.contains("the download of the compiler is incomplete"), "{status}");
    // And none at all.
    fs::remove_file(&large).unwrap();
    let status = run(&mut page, "");
    assert!(status.contains("the compiler is not beside these pages"), "{status}");
    symlink(whole, large).unwrap();
    assert_eq!(run(&mut page, ""), "✓ The results are right.");
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn keys_alone_edit_run_and_leave() {
    let Some((_browser, mut page, site)) = writer() else { return };
    page.open(&site.served(LISTING));
    page.run("document.querySelector('.editable').scrollIntoView({ behavior: 'instant' })");
    page.wait_for("document.querySelector('[data-editor-open]')");
    page.run("document.querySelector('[data-editor-open]').focus()");
    page.press("Enter");
    page.wait_for("document.activeElement.matches('.editor-area')");
    let before = text(&mut page);
    page.run("document.activeElement.setSelectionRange(0, 0)");
    page.press("Tab");
    assert_eq!(text(&mut page), format!("    {before}"));
    page.press("ArrowRight");
    assert!(page.evaluate::<bool>("location.pathname.endsWith('stage01-naive.html')"), "an arrow key turned the page");
    page.press("Escape");
    page.press("Tab");
    assert!(!page.evaluate::<bool>("document.activeElement.matches('.editor-area')"), "the field keeps the keyboard");
    page.run("document.querySelector('.editor-area').focus()");
    page.press_with("Enter", CONTROL);
    assert_eq!(end(&mut page, ""), "✓ The results are right.");
}

/// The protocol's number of the control key.
const CONTROL: u8 = 2;

#[test]
#[ignore = "slow: run by cargo x ci"]
fn an_open_editor_fits_and_keeps_nobody_out_in_any_theme() {
    let Some((_browser, mut page, site)) = writer() else { return };
    for width in [WIDE, NARROW] {
        // mdBook decides about its sidebar once, when the page opens.
        page.resize(width, 800);
        edit(&mut page, site);
        page.click("[data-editor=diff]");
        write(&mut page, "", "extern \"C\" __global__ void computeForces(float* x) { x[0] = 1; y }");
        run(&mut page, "");
        assert!(said(&mut page, ".editor-messages").contains("undeclared identifier"));
        look(&mut page, width);
        page.open(&site.served("exercises-2.html"));
        open_exercise(&mut page, "22_second_barrier");
        page.click("[data-editor=hint]");
        page.click("[data-editor=solution]");
        run(&mut page, &desk("22_second_barrier"));
        page.click("[data-exercise-step]");
        page.wait_for("document.querySelector('.exercise-player .player-said')");
        look(&mut page, width);
    }
}

/// Looks at the open page in a window of a width, in every theme.
fn look(page: &mut Page, width: u32) {
    for theme in THEMES {
        page.choose_theme(theme);
        assert_eq!(barriers(page), [""; 0], "{width} px, {theme}");
        assert_eq!(too_wide(page), [""; 0], "{width} px, {theme}");
    }
    assert_eq!(page.problems(), [""; 0]);
}
