//! The server of the built pages, for this machine or for a room.

mod answer;
mod room;

use anyhow::{Context, Result, anyhow};
use std::io::ErrorKind;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::path::Path;
use std::thread;
use std::time::Duration;

/// A server of pages.
pub struct Site {
    listener: TcpListener,
    addresses: Vec<String>,
}

impl Site {
    /// Listens at localhost, or at `host` for a room: an address of this machine, or `0.0.0.0` for all of them. Port 0 is any free port.
    ///
    /// # Errors
    /// Returns an error, with what to do, if the port is in use or not permitted, or if the host is not this machine's.
    pub fn listen(host: Option<IpAddr>, port: u16) -> Result<Self> {
        let place = SocketAddr::new(host.unwrap_or(Ipv4Addr::LOCALHOST.into()), port);
        let listener = TcpListener::bind(place).map_err(|error| refusal(place, error.kind(), &error.to_string()))?;
        let port = listener.local_addr().context("cannot listen")?.port();
        let addresses = match host {
            None => vec![format!("http://localhost:{port}/")],
            Some(host) => {
                room::hosts(host)?.into_iter().map(|host| format!("http://{}/", SocketAddr::new(host, port))).collect()
            }
        };
        Ok(Self { listener, addresses })
    }

    /// Returns the address of the first page, `http://localhost:3000/`: of several the one by which this machine reaches others.
    pub fn address(&self) -> &str {
        self.addresses.first().map_or("", String::as_str)
    }

    /// Says where the pages are served; to a room also as a QR code, if a terminal shows it.
    pub fn announce(&self, is_room: bool) {
        if is_room {
            room::announce(&self.addresses);
        } else {
            println!("It is served at {} (Ctrl-C ends)", self.address());
        }
    }

    /// Opens the first page in the browser of this machine.
    pub fn open(&self) {
        if let Err(error) = opener::open_browser(self.address()) {
            println!("No browser could be opened ({error}): open the address yourself");
        }
    }

    /// Answers requests for the pages in `folder` as long as the program runs.
    ///
    /// Each connection has its own thread, since browsers open connections before they use them.
    pub fn answer_all(&self, folder: &Path) {
        thread::scope(|threads| {
            for stream in self.listener.incoming() {
                let Ok(stream) = stream else {
                    // No file descriptor is free, so wait for one.
                    thread::sleep(Duration::from_millis(50));
                    continue;
                };
                // A browser may close the connection before the end of an answer.
                let _ = thread::Builder::new().spawn_scoped(threads, || answer::answer(folder, stream));
            }
        });
    }
}

/// Returns what to say if no socket can listen at a place.
fn refusal(place: SocketAddr, kind: ErrorKind, error: &str) -> anyhow::Error {
    let port = place.port();
    match kind {
        ErrorKind::AddrInUse => anyhow!("port {port} is taken: choose another with `serve --port N`, or 0 for any"),
        ErrorKind::PermissionDenied => anyhow!("port {port} is not permitted: choose one over 1023 with --port"),
        ErrorKind::AddrNotAvailable => {
            let own: Vec<String> = room::all().unwrap_or_default().iter().map(ToString::to_string).collect();
            let own = if own.is_empty() { "none in a network".to_owned() } else { own.join(", ") };
            anyhow!("--host {} is no address of this machine, which has {own}; 0.0.0.0 is all of them", place.ip())
        }
        _ => anyhow!("cannot listen at {place}: {error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::TcpStream;

    /// Serves a folder with `a.html`. Returns the folder, which lasts as long as the value, and the port.
    fn serve() -> (tempfile::TempDir, u16) {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("a.html"), "a page").expect("a file");
        let site = Site::listen(None, 0).expect("a free port");
        let port = site.listener.local_addr().expect("an address").port();
        let pages = folder.path().to_owned();
        thread::spawn(move || site.answer_all(&pages));
        (folder, port)
    }

    #[test]
    fn text_is_packed_for_browsers_that_unpack_it() {
        let (_folder, port) = serve();
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
        let (_folder, port) = serve();
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

    fn get(port: u16, headers: &str) -> Vec<u8> {
        let mut stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("a limit");
        write!(stream, "GET /llvm.br HTTP/1.1\r\nHost: room\r\n{headers}\r\n").expect("sent");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("an answer within the limit");
        answer
    }

    /// As many bytes as the compiler has, for as many learners as a class has.
    #[test]
    fn a_class_gets_the_compiler_at_once_and_each_browser_only_once() {
        const BYTES: usize = 17_000_000;
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("llvm.br"), vec![7; BYTES]).expect("a file");
        let site = Site::listen(Some(Ipv4Addr::UNSPECIFIED.into()), 0).expect("a free port");
        let port = site.listener.local_addr().expect("an address").port();
        assert!(site.addresses.iter().all(|address| address.ends_with(&format!(":{port}/"))), "{:?}", site.addresses);
        let pages = folder.path().to_owned();
        thread::spawn(move || site.answer_all(&pages));
        let class: Vec<_> = (0..25).map(|_| thread::spawn(move || get(port, ""))).collect();
        let mut tag = String::new();
        for learner in class {
            let answer = learner.join().expect("an answer");
            let end = answer.windows(4).position(|bytes| bytes == b"\r\n\r\n").expect("headers") + 4;
            assert!(answer.len() - end == BYTES && answer[end..].iter().all(|&byte| byte == 7));
            let headers = String::from_utf8_lossy(&answer[..end]).into_owned();
            tag = headers.lines().find_map(|line| line.strip_prefix("ETag: ")).expect("a tag").to_owned();
        }
        let again = get(port, &format!("If-None-Match: {tag}\r\n"));
        assert!(again.starts_with(b"HTTP/1.1 304 ") && again.len() < 200, "{} bytes", again.len());
        assert!(get(port, "If-None-Match: \"other\"\r\n").len() > BYTES);
    }

    #[test]
    fn a_place_where_nobody_can_listen_is_told_with_advice() {
        let error = |host: &str, port| match Site::listen(Some(host.parse().expect("an address")), port) {
            Ok(_) => panic!("{host}:{port} can be listened at"),
            Err(error) => error.to_string(),
        };
        let other = error("198.51.100.1", 0);
        assert!(other.contains("--host 198.51.100.1 is no address of this machine"), "{other}");
        let first = Site::listen(None, 0).expect("a free port");
        let port = first.listener.local_addr().expect("an address").port();
        assert!(error("127.0.0.1", port).contains(&format!("port {port} is taken")));
    }
}
