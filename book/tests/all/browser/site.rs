//! The book, which is built once for all tests, on disk and served.

use super::chromium::Browser;
use super::page::Page;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::thread;

/// The built pages and the address at which they are served.
pub struct Site {
    folder: PathBuf,
    address: String,
    /// The file names of all pages.
    pub pages: Vec<String>,
}

/// Returns the book, which all tests share.
pub fn site() -> &'static Site {
    static SITE: OnceLock<Site> = OnceLock::new();
    SITE.get_or_init(|| {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("book-in-browser");
        let folder =
            book::build::build_at(Path::new(env!("CARGO_MANIFEST_DIR")), &folder, "/", Default::default()).unwrap();
        let address = Site::serve(&folder);
        Site { pages: pages(&folder), folder, address }
    })
}

impl Site {
    /// Returns the folder of the pages.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Serves a folder as long as the tests run, and returns its address.
    pub fn serve(folder: &Path) -> String {
        let served = book::serve::Site::listen(None, 0).unwrap();
        let address = served.address().to_owned();
        let folder = folder.to_owned();
        thread::spawn(move || served.answer_all(&folder));
        address
    }

    /// Returns the address of a page on disk.
    pub fn on_disk(&self, page: &str) -> String {
        format!("file://{}", self.folder.join(page).display())
    }

    /// Returns the address of a page on the book's server.
    pub fn served(&self, page: &str) -> String {
        format!("{}{page}", self.address)
    }

    /// Returns all pages except the one for print, which contains all chapters again.
    pub fn chapters(&self) -> impl Iterator<Item = &str> {
        self.pages_on_disk().filter(|page| *page != "print.html")
    }

    /// Returns the first page whose HTML contains a text.
    pub fn page_with(&self, text: &str) -> &str {
        let holds = |page: &&str| fs::read_to_string(self.folder.join(page)).unwrap().contains(text);
        self.pages_on_disk().find(holds).unwrap_or_else(|| panic!("no page with {text}"))
    }

    /// Returns the pages that readers open from disk: all except the server's page for missing pages.
    pub fn pages_on_disk(&self) -> impl Iterator<Item = &str> {
        self.pages.iter().map(String::as_str).filter(|page| *page != "404.html")
    }
}

/// Returns the browser, a new page, and the book; none without a browser, which skips the calling test.
pub fn reader() -> Option<(Arc<Browser>, Page, &'static Site)> {
    let browser = Browser::shared()?;
    let page = Page::new(&browser);
    Some((browser, page, site()))
}

/// Returns all pages except the list of chapters, which pages without JavaScript show in a frame.
fn pages(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut pages: Vec<String> = entries.filter(|name| name.ends_with(".html") && name != "toc.html").collect();
    pages.sort();
    assert!(pages.len() > 10, "only {} pages", pages.len());
    pages
}
