//! The DevTools protocol over a WebSocket: commands, answers, and the events between them.

use super::page::PATIENCE;
use serde_json::{Value, json};
use std::net::TcpStream;
use tungstenite::{Message, WebSocket};

/// A WebSocket of the browser, with the events that came before an expected answer.
pub struct Socket {
    stream: WebSocket<TcpStream>,
    pub events: Vec<Value>,
    last_id: u64,
}

impl Socket {
    pub fn connect(address: &str) -> Self {
        let (host, _) = address.trim_start_matches("ws://").split_once('/').unwrap();
        let stream = TcpStream::connect(host).unwrap_or_else(|error| panic!("no browser at {host}: {error}"));
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let (stream, _) = tungstenite::client(address, stream).unwrap();
        Self { stream, events: Vec::new(), last_id: 0 }
    }

    pub fn ask(&mut self, method: &str, parameters: Value) -> Value {
        self.last_id += 1;
        let message = json!({ "id": self.last_id, "method": method, "params": parameters });
        self.stream.send(Message::text(message.to_string())).unwrap();
        loop {
            let mut answer = self.read(method);
            if answer["id"] == self.last_id {
                assert!(answer.get("error").is_none(), "{method}: {}", answer["error"]);
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }

    /// Returns the first matching event, which may have come already.
    pub fn wait_for_event(&mut self, is_meant: impl Fn(&Value) -> bool, whose: &str) -> Value {
        if let Some(event) = self.events.iter().find(|event| is_meant(event)) {
            return event.clone();
        }
        loop {
            let event = self.read(whose);
            self.events.push(event.clone());
            if is_meant(&event) {
                return event;
            }
        }
    }

    fn read(&mut self, whose: &str) -> Value {
        match self.stream.read() {
            Ok(message) => serde_json::from_str(message.to_text().unwrap()).unwrap(),
            Err(error) => panic!("{whose}: no answer within {} s: {error}", PATIENCE.as_secs()),
        }
    }
}
