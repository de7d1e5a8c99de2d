//! The book, built once for all tests, on disk and served.

use crate::browser::Browser;
use crate::page::Page;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread;

/// The built pages and the address at which they are served.
pub struct Site {
    folder: PathBuf,
    address: String,
    /// File names of all pages.
    pub pages: Vec<String>,
}

/// The book of all tests.
pub fn site() -> &'static Site {
    static SITE: OnceLock<Site> = OnceLock::new();
    SITE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book-in-browser");
        let folder = book::build::build_into(Path::new(env!("CARGO_MANIFEST_DIR")), &folder).unwrap();
        let served = book::serve::Site::listen(&folder, 0).unwrap();
        let address = served.address().to_owned();
        thread::spawn(move || served.answer_all());
        Site { pages: pages(&folder), folder, address }
    })
}

impl Site {
    /// The address of a page on disk.
    pub fn on_disk(&self, page: &str) -> String {
        format!("file://{}", self.folder.join(page).display())
    }

    /// The address of a page at the book's server.
    pub fn served(&self, page: &str) -> String {
        format!("{}{page}", self.address)
    }

    /// Pages with something of their own: not the one that has all chapters again, for print.
    pub fn chapters(&self) -> impl Iterator<Item = &str> {
        self.pages_on_disk().filter(|page| *page != "print.html")
    }

    /// The first page whose HTML holds a text.
    pub fn page_with(&self, text: &str) -> &str {
        let holds = |page: &&str| fs::read_to_string(self.folder.join(page)).unwrap().contains(text);
        self.pages_on_disk().find(holds).unwrap_or_else(|| panic!("no page with {text}"))
    }

    /// Pages that readers open from disk: all but the one that a server shows for a page that is not there.
    pub fn pages_on_disk(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(String::as_str).filter(|page| *page != "404.html")
    }
}

/// A browser, a page of its own to use as a reader does, and the book; nothing where there is no browser.
pub fn reader() -> Option<(Arc<Browser>, Page, &'static Site)> {
    let browser = Browser::shared()?;
    let page = Page::new(&browser);
    Some((browser, page, site()))
}

/// All pages but the list of chapters that pages without JavaScript show in a frame.
fn pages(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = entries.filter(|name| name.ends_with(".html") && name != "toc.html").collect();
    pages.sort();
    assert!(pages.len() > 10, "only {} pages", pages.len());
    pages
}
