//! Serves the built pages to this machine alone.

use anyhow::{Result, anyhow, bail};
use std::fs::File;
use std::io::ErrorKind;
use std::net::{Ipv4Addr, TcpListener};
use std::path::{Component, Path, PathBuf};
use tiny_http::{Header, Method, Request, Response, Server, StatusCode};

/// Serves `folder` at localhost until the program is ended; opens its first page if `open`. Port 0 takes any free one.
///
/// # Errors
/// When the port is taken or not permitted.
pub fn serve(folder: &Path, port: u16, open: bool) -> Result<()> {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!("port {port} is taken: choose another with `serve --port N`, or 0 for any"),
        ErrorKind::PermissionDenied => anyhow!("port {port} is not permitted: choose one over 1023 with --port"),
        _ => anyhow!("cannot listen at port {port}: {error}"),
    })?;
    let address = format!("http://localhost:{}/", listener.local_addr()?.port());
    let server = Server::from_listener(listener, None).map_err(|error| anyhow!("cannot serve: {error}"))?;
    println!("It is served at {address} (Ctrl-C ends)");
    if open && let Err(error) = opener::open_browser(&address) {
        println!("No browser could be opened ({error}): open the address yourself");
    }
    for request in server.incoming_requests() {
        // a browser that hangs up in the middle of an answer is its own business
        let _ = answer(folder, request);
    }
    bail!("the server has ended")
}

fn answer(folder: &Path, request: Request) -> std::io::Result<()> {
    if !matches!(request.method(), Method::Get | Method::Head) {
        return request.respond(Response::empty(StatusCode(405)));
    }
    match page(folder, request.url()).and_then(|path| Some((content_type(&path), File::open(path).ok()?))) {
        Some((content_type, file)) => request.respond(Response::from_file(file).with_header(content_type)),
        None => match File::open(folder.join("404.html")) {
            Ok(file) => {
                let page = Response::from_file(file).with_header(content_type(Path::new("404.html")));
                request.respond(page.with_status_code(404))
            }
            Err(_) => request.respond(Response::empty(StatusCode(404))),
        },
    }
}

/// The file that a URL's path names; none outside of `folder`.
fn page(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let file = folder.join(path);
    let file = if file.is_dir() { file.join("index.html") } else { file };
    (inside && file.is_file()).then_some(file)
}

fn content_type(path: &Path) -> Header {
    let value = match path.extension().and_then(|extension| extension.to_str()) {
        Some("html") => "text/html; charset=utf-8",
        Some("css") => "text/css; charset=utf-8",
        Some("js") => "text/javascript; charset=utf-8",
        Some("json") => "application/json",
        Some("svg") => "image/svg+xml",
        Some("png") => "image/png",
        Some("woff2") => "font/woff2",
        Some("wasm") => "application/wasm",
        Some("txt" | "md" | "cu" | "ptx") => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    };
    Header::from_bytes("Content-Type", value).expect("both are ASCII")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_inside_of_the_folder_are_served() {
        let folder = tempfile::tempdir().expect("a folder");
        let pages = folder.path().join("pages");
        std::fs::create_dir_all(pages.join("part")).expect("folders");
        for file in ["secret.html", "pages/index.html", "pages/part/index.html", "pages/a.html"] {
            std::fs::write(folder.path().join(file), file).expect("a file");
        }
        let served = |url: &str| page(&pages, url);
        assert_eq!(served("/"), Some(pages.join("index.html")));
        assert_eq!(served("/a.html?highlight=warp#x"), Some(pages.join("a.html")));
        assert_eq!(served("/part/"), Some(pages.join("part/index.html")));
        assert_eq!(served("/none.html"), None);
        assert_eq!(served("/../secret.html"), None);
        assert_eq!(served("//../secret.html"), None);
    }
}
