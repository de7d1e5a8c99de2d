//! The answer to a browser's request: a file of the folder.

use flate2::Compression;
use flate2::write::GzEncoder;
use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::path::{Component, Path, PathBuf};
use std::time::{Duration, UNIX_EPOCH};

/// The time that a browser may leave a connection unused.
const PATIENCE: Duration = Duration::from_secs(30);

/// The greatest size of a request, which browsers do not approach.
const MAX_REQUEST_BYTES: usize = 64 * 1024;

/// Answers the only request of a connection.
///
/// # Errors
/// Returns an error if the browser closes the connection, or waits for longer than [`PATIENCE`].
pub fn answer(folder: &Path, mut stream: TcpStream) -> io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let asked = read_request(&mut stream)?;
    if !matches!(asked.method.as_str(), "GET" | "HEAD") {
        return write!(stream, "HTTP/1.1 405 Method Not Allowed\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
    }
    let (status, path) = match page(folder, &asked.url) {
        Some(path) => ("200 OK", path),
        None => ("404 Not Found", folder.join("404.html")),
    };
    match File::open(&path) {
        Ok(file) => send(&mut stream, status, &path, file, &asked),
        // A folder without a page for missing pages.
        Err(_) => write!(stream, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"),
    }
}

/// The request of a browser.
struct Asked {
    method: String,
    url: String,
    /// Whether the browser accepts gzip.
    takes_gzip: bool,
    /// The mark of the version that the browser has.
    has: Option<String>,
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
            let has = header(request.headers, "if-none-match").next();
            let has = has.and_then(|value| String::from_utf8(value.to_vec()).ok());
            return Ok(Asked { method, url, takes_gzip: takes_gzip(request.headers), has });
        }
    }
    Err(ErrorKind::InvalidData.into())
}

fn header<'a>(headers: &'a [httparse::Header], name: &'a str) -> impl Iterator<Item = &'a [u8]> {
    headers.iter().filter(move |header| header.name.eq_ignore_ascii_case(name)).map(|header| header.value)
}

fn takes_gzip(headers: &[httparse::Header]) -> bool {
    let accepted = header(headers, "accept-encoding");
    accepted.flat_map(|value| value.split(|&byte| byte == b',')).any(|one| one.trim_ascii() == b"gzip")
}

/// Sends a file, or that the browser has it already: without HTTPS it keeps the compiler, 17 MB, in its own cache alone. Text is
/// compressed if the browser accepts it, which makes a chapter a third as long.
fn send(stream: &mut TcpStream, status: &str, path: &Path, mut file: File, asked: &Asked) -> io::Result<()> {
    let about = file.metadata()?;
    let tag = tag(&about);
    if status == "200 OK" && asked.has.as_deref() == Some(&tag) {
        return write!(stream, "HTTP/1.1 304 Not Modified\r\nETag: {tag}\r\nConnection: close\r\n\r\n");
    }
    let kind = content_type(path);
    let packed = if asked.takes_gzip && kind.starts_with("text/") { Some(compress(&mut file)?) } else { None };
    let encoding = if packed.is_some() { "Content-Encoding: gzip\r\n" } else { "" };
    let length = packed.as_ref().map_or(about.len(), |bytes| bytes.len() as u64);
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\n{encoding}ETag: {tag}\r\nCache-Control: \
         no-cache\r\nConnection: close\r\n\r\n"
    )?;
    match packed {
        _ if asked.method == "HEAD" => Ok(()),
        Some(bytes) => stream.write_all(&bytes),
        // In pieces: a room asks for the compiler at once.
        None => io::copy(&mut file, stream).map(drop),
    }
}

/// Returns the mark of a file's version.
fn tag(about: &Metadata) -> String {
    let changed = about.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    format!("\"{:x}-{:x}\"", about.len(), changed.as_nanos())
}

fn compress(file: &mut File) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    io::copy(file, &mut encoder)?;
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
}
