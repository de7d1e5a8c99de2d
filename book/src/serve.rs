//! The server of the built pages, which only this machine can reach.

use anyhow::{Result, anyhow, bail};
use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Component, Path, PathBuf};
use std::thread;
use std::time::Duration;

/// The time that a browser may leave a connection unused.
const PATIENCE: Duration = Duration::from_secs(30);

/// The greatest size of a request, which browsers do not approach.
const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// Serves `folder` at localhost until the program is stopped, and opens the first page if `open` is set. Port 0 is any free port.
///
/// # Errors
/// Returns an error if the port is in use or not permitted.
pub fn serve(folder: &Path, port: u16, open: bool) -> Result<()> {
    let site = Site::listen(folder, port)?;
    println!("It is served at {} (Ctrl-C ends)", site.address);
    if open && let Err(error) = opener::open_browser(&site.address) {
        println!("No browser could be opened ({error}): open the address yourself");
    }
    site.answer_all();
    bail!("the server has ended")
}

/// A server of pages at a local address.
pub struct Site {
    folder: PathBuf,
    listener: TcpListener,
    address: String,
}

impl Site {
    /// Listens at localhost. Port 0 is any free port.
    ///
    /// # Errors
    /// Returns an error if the port is in use or not permitted.
    pub fn listen(folder: &Path, port: u16) -> Result<Self> {
        let listener = listen(port)?;
        let address = format!("http://localhost:{}/", listener.local_addr()?.port());
        Ok(Self { folder: folder.to_path_buf(), listener, address })
    }

    /// Returns the address of the first page: `http://localhost:3000/`.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Answers requests as long as the program runs.
    ///
    /// Each connection has its own thread, since browsers open connections before they use them.
    pub fn answer_all(&self) {
        thread::scope(|threads| {
            for stream in self.listener.incoming() {
                let Ok(stream) = stream else {
                    // No file descriptor is free, so wait for one.
                    thread::sleep(Duration::from_millis(50));
                    continue;
                };
                // A browser may close the connection before the end of an answer.
                let _ = thread::Builder::new().spawn_scoped(threads, || answer(&self.folder, stream));
            }
        });
    }
}

fn listen(port: u16) -> Result<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| match error.kind() {
        ErrorKind::AddrInUse => anyhow!("port {port} is taken: choose another with `serve --port N`, or 0 for any"),
        ErrorKind::PermissionDenied => anyhow!("port {port} is not permitted: choose one over 1023 with --port"),
        _ => anyhow!("cannot listen at port {port}: {error}"),
    })
}

/// Answers the only request of a connection.
fn answer(folder: &Path, mut stream: TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let asked = read_request(&mut stream)?;
    if !matches!(asked.method.as_str(), "GET" | "HEAD") {
        return respond(&mut stream, "405 Method Not Allowed", Path::new(""), Vec::new(), &asked);
    }
    let (status, path) = match page(folder, &asked.url) {
        Some(path) => ("200 OK", path),
        None => ("404 Not Found", folder.join("404.html")),
    };
    respond(&mut stream, status, &path, fs::read(&path).unwrap_or_default(), &asked)
}

/// The request of a browser.
struct Asked {
    method: String,
    url: String,
    /// Whether the browser accepts gzip.
    takes_gzip: bool,
}

fn read_request(stream: &mut TcpStream) -> io::Result<Asked> {
    let mut bytes = Vec::new();
    let mut part = [0; 4096];
    while bytes.len() < MAX_REQUEST_BYTES {
        match stream.read(&mut part)? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            length => bytes.extend_from_slice(&part[..length]),
        }
        let mut headers = [httparse::EMPTY_HEADER; 100];
        let mut request = httparse::Request::new(&mut headers);
        let status = request.parse(&bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))?;
        if let (true, Some(method), Some(url)) = (status.is_complete(), request.method, request.path) {
            let method = method.to_owned();
            let url = url.to_owned();
            return Ok(Asked { method, url, takes_gzip: takes_gzip(request.headers) });
        }
    }
    Err(ErrorKind::InvalidData.into())
}

fn takes_gzip(headers: &[httparse::Header]) -> bool {
    let accepted = headers.iter().filter(|header| header.name.eq_ignore_ascii_case("accept-encoding"));
    accepted.flat_map(|header| header.value.split(|&byte| byte == b',')).any(|one| one.trim_ascii() == b"gzip")
}

/// Compresses text if the browser accepts it, which makes a chapter a third as long.
fn respond(stream: &mut TcpStream, status: &str, path: &Path, body: Vec<u8>, asked: &Asked) -> io::Result<()> {
    let kind = content_type(path);
    let is_packed = asked.takes_gzip && kind.starts_with("text/");
    let (body, encoding) = if is_packed { (compress(&body)?, "Content-Encoding: gzip\r\n") } else { (body, "") };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n{encoding}Connection: close\r\n\r\n",
        body.len()
    )?;
    if asked.method != "HEAD" {
        stream.write_all(&body)?;
    }
    Ok(())
}

fn compress(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    encoder.finish()
}

/// Returns the file of a URL's path; none if it is outside of `folder`.
fn page(folder: &Path, url: &str) -> Option<PathBuf> {
    let path = url.split(['?', '#']).next()?.trim_start_matches('/');
    let inside = Path::new(path).components().all(|part| matches!(part, Component::Normal(_)));
    let file = folder.join(path);
    let file = if file.is_dir() { file.join("index.html") } else { file };
    (inside && file.is_file()).then_some(file)
}

fn content_type(path: &Path) -> &'static str {
    match path.extension().and_then(|extension| extension.to_str()) {
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
    }
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

    #[test]
    fn text_is_packed_for_browsers_that_unpack_it() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.html"), "a page").expect("a file");
        let site = Site::listen(folder.path(), 0).expect("a free port");
        let port = site.listener.local_addr().expect("an address").port();
        thread::spawn(move || site.answer_all());
        for (accepted, is_packed) in [("gzip", true), ("deflate, gzip, br", true), ("identity", false)] {
            let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
            write!(stream, "GET /a.html HTTP/1.1\r\naccept-encoding: {accepted}\r\n\r\n").expect("sent");
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).expect("an answer");
            let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("headers") + 4;
            let mut body = String::new();
            if is_packed {
                flate2::read::GzDecoder::new(&answer[end..]).read_to_string(&mut body).expect("gzip")
            } else {
                (&answer[end..]).read_to_string(&mut body).expect("text")
            };
            assert_eq!(body, "a page", "{accepted}");
            let headers = String::from_utf8_lossy(&answer[..end]);
            assert_eq!(headers.contains("Content-Encoding: gzip"), is_packed, "{headers}");
        }
    }

    #[test]
    fn connections_that_a_browser_leaves_unused_keep_nobody_waiting() {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.html"), "a page").expect("a file");
        let site = Site::listen(folder.path(), 0).expect("a free port");
        let port = site.listener.local_addr().expect("an address").port();
        thread::spawn(move || site.answer_all());
        let connect = || TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
        let _unused: Vec<_> = (0..20).map(|_| connect()).collect();
        let mut asking: Vec<_> = (0..20).map(|_| connect()).collect();
        for stream in &mut asking {
            stream.write_all(b"GET /a.html HTTP/1.1\r\nHost: localhost\r\n\r\n").expect("sent");
        }
        for mut stream in asking {
            stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a limit");
            let mut answer = String::new();
            stream.read_to_string(&mut answer).expect("an answer within the limit");
            assert!(answer.starts_with("HTTP/1.1 200 OK\r\n") && answer.ends_with("\r\n\r\na page"), "{answer}");
        }
    }
}
