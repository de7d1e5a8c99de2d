//! The book as a site: in a subfolder of a static host, with its policy for scripts, and without a network.

use super::editor::{desk, open, open_exercise, run, said, writer};
use super::page::Page;
use super::site::Site;
use book::site::write;
use std::fs;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::thread;

/// The greatest size of the first page, with all that it loads before a reader scrolls, compressed.
const MAX_FIRST_BYTES: u64 = 300_000;

/// The greatest size of any chapter, likewise.
const MAX_BYTES: u64 = 600_000;

/// The greatest size of the slides of a session, which contain the emulator.
const MAX_SLIDES_BYTES: u64 = 700_000;

/// The greatest size of what a first visit loads in the background, likewise.
const MAX_BACKGROUND_BYTES: u64 = 3_000_000;

/// The greatest size of the compiler's download.
const MAX_COMPILER_BYTES: u64 = 20_000_000;

/// Returns the folder of the host, which has the site in `course`.
fn published() -> &'static Path {
    static HOST: OnceLock<PathBuf> = OnceLock::new();
    HOST.get_or_init(|| {
        let host = Path::new(env!("CARGO_TARGET_TMPDIR")).join("published");
        write(Path::new(env!("CARGO_MANIFEST_DIR")), &host.join("course"), &"/course/".parse().unwrap(), true, false)
            .unwrap();
        host
    })
}

/// Returns the names of the site's pages.
fn pages(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> =
        names.filter(|name| name.ends_with(".html") && !["toc.html", "print.html"].contains(&name.as_str())).collect();
    names.sort();
    names
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_site_compiles_under_its_policy_and_opens_without_a_network() {
    let Some((_browser, mut page, _)) = writer() else { return };
    let host = published();
    let bytes = fs::metadata(host.join("course/compiler/llvm.core.wasm.br")).unwrap().len();
    assert!(bytes < MAX_COMPILER_BYTES, "the compiler has {bytes} bytes");
    let network = Network::to(&Site::serve(host));
    let address = format!("{}course/", network.address);
    page.open(&format!("{address}stage01-naive.html"));
    open(&mut page, "computeForces");
    assert_eq!(run(&mut page, ""), "✓ The results are right.");
    assert!(said(&mut page, ".editor .player-result").contains("✓ The results are right"));
    page.wait_for("navigator.serviceWorker.controller");
    assert_eq!(page.problems(), [""; 0]);
    // The small files of the compiler are kept once they come by the service worker.
    page.open(&format!("{address}stage01-naive.html"));
    open(&mut page, "computeForces");
    assert_eq!(run(&mut page, ""), "✓ The results are right.");
    network.is_there.store(false, Ordering::Relaxed);
    for name in ["index.html", "stage06-limit.html", ""] {
        page.open(&format!("{address}{name}"));
        assert!(page.evaluate::<bool>("document.querySelector('main h1') !== null"), "{name} is not kept");
    }
    page.open(&format!("{address}stage01-naive.html"));
    open(&mut page, "computeForces");
    assert_eq!(run(&mut page, ""), "✓ The results are right.");
    assert_eq!(page.problems(), [""; 0]);
    // Exercises are kept without a visit, and the player of a page is not.
    page.open(&format!("{address}exercises-2.html"));
    open_exercise(&mut page, "21_tile");
    run(&mut page, &desk("21_tile"));
    assert!(said(&mut page, &format!("{} .editor-verdict", desk("21_tile"))).contains("21_tile"));
    page.open(&format!("{address}stage02-shared.html"));
    page.run("document.querySelector('.player').scrollIntoView({ behavior: 'instant' })");
    let told =
        "document.querySelector('.player').textContent.includes('this browser has not kept it: is there a network?')";
    page.wait_for(told);
    page.problems();
    page.open(&format!("{address}slides/session-1.html"));
    assert!(page.evaluate::<String>("document.body.textContent").contains("This page is not kept in your browser"));
}

/// A way to a host that can go away.
struct Network {
    address: String,
    is_there: Arc<AtomicBool>,
}

impl Network {
    /// Forwards each connection to a host, or closes it at once.
    fn to(host: &str) -> Self {
        let host = host.trim_start_matches("http://").trim_end_matches('/').to_owned();
        let listener = TcpListener::bind("localhost:0").unwrap();
        let address = format!("http://localhost:{}/", listener.local_addr().unwrap().port());
        let is_there = Arc::new(AtomicBool::new(true));
        let gate = is_there.clone();
        thread::spawn(move || {
            for here in listener.incoming().map_while(Result::ok).filter(|_| gate.load(Ordering::Relaxed)) {
                let there = TcpStream::connect(&host).unwrap();
                for (mut from, mut to) in [(here.try_clone().unwrap(), there.try_clone().unwrap()), (there, here)] {
                    thread::spawn(move || {
                        let _ = io::copy(&mut from, &mut to);
                        let _ = to.shutdown(Shutdown::Write);
                    });
                }
            }
        });
        Self { address, is_there }
    }
}

/// The compressed bytes of what the service worker has kept.
const KEPT_BYTES: &str = "caches.keys().then(names => names.find(name => name.startsWith('coalesced-pages-'))).then(name => caches.open(name))
    .then(store => store.matchAll()).then(kept => kept.reduce((sum, { headers }) => sum + Number(headers.get('content-length')), 0))";

#[test]
#[ignore = "slow: run by cargo x ci"]
fn a_first_visit_keeps_at_most_3_mb_and_none_if_its_reader_saves_data() {
    let Some((_browser, mut page, _)) = writer() else { return };
    let address = format!("{}course/", Site::serve(published()));
    page.open(&address);
    page.wait_for("navigator.serviceWorker.controller");
    let bytes = page.evaluate::<u64>(KEPT_BYTES);
    println!("a first visit keeps {bytes} bytes");
    assert!((1_000_000..=MAX_BACKGROUND_BYTES).contains(&bytes), "{bytes} bytes");
    let Some((_browser, mut frugal, _)) = writer() else { return };
    frugal.before_every_page("Object.defineProperty(navigator, 'connection', { value: { saveData: true } })");
    frugal.open(&address);
    frugal.evaluate::<()>("new Promise(done => setTimeout(() => done(null), 1000))");
    let workers = "navigator.serviceWorker.getRegistrations().then(all => all.length)";
    assert_eq!(frugal.evaluate::<u64>(workers) + frugal.evaluate::<u64>("caches.keys().then(all => all.length)"), 0);
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn every_page_of_a_site_keeps_its_policy_and_is_light() {
    let Some((_browser, mut page, _)) = writer() else { return };
    let host = published();
    let address = format!("{}course/", Site::serve(host));
    page.before_every_page("delete Navigator.prototype.serviceWorker");
    page.forget_files();
    let mut heaviest = 0;
    let mut name_of_heaviest = String::new();
    for name in pages(&host.join("course")) {
        let bytes = weigh(&mut page, &format!("{address}{name}"));
        let most = if name == "index.html" { MAX_FIRST_BYTES } else { MAX_BYTES };
        assert!(bytes > 50_000 && bytes <= most, "{name} has {bytes} bytes");
        if bytes > heaviest {
            (heaviest, name_of_heaviest) = (bytes, name);
        }
    }
    println!("the heaviest page of the site is {name_of_heaviest}, {heaviest} bytes compressed");
    // A script that is not the site's is not run.
    page.open(&format!("{address}glossary.html"));
    page.run(
        "document.body.insertAdjacentHTML('beforeend', '<b></b>');
        document.body.append(Object.assign(document.createElement('script'), { textContent: 'window.foreign = true' }))",
    );
    assert!(page.evaluate::<bool>("window.foreign === undefined"), "a foreign script has run");
    assert!(page.problems().iter().any(|problem| problem.contains("Content Security Policy")));
}

#[test]
#[ignore = "slow: run by cargo x ci"]
fn slides_keep_the_policy_of_a_site_and_their_explorers_are_live() {
    let Some((_browser, mut page, _)) = writer() else { return };
    let address = format!("{}course/slides/", Site::serve(published()));
    page.forget_files();
    for session in 1..=5 {
        let bytes = weigh(&mut page, &format!("{address}session-{session}.html"));
        assert!(bytes <= MAX_SLIDES_BYTES, "session {session} has {bytes} bytes");
    }
    page.open(&format!("{address}session-1.html"));
    page.run("location.hash = document.querySelector('.slide:has(.explorer)').id");
    page.wait_for("document.querySelector('.explorer').dataset.ready === 'true'");
    assert!(page.evaluate::<bool>("document.fonts.check('700 20px \"Open Sans\"')"));
    assert_eq!(page.problems(), [""; 0]);
}

/// Returns the bytes of a page and of what it loads, as they are sent, and requires that it has no problems.
fn weigh(page: &mut Page, address: &str) -> u64 {
    page.problems();
    page.open(address);
    let (bytes, problems) = page.sent();
    assert_eq!(problems, [""; 0], "{address}");
    bytes
}
