//! A writer of events, in the framing of a provider.

use super::Dice;
use super::json::{ANY_BLANK, BLANKS_IN_LINE, BLANKS_WITH_LF, string};

/// A writer of events, from templates of JSON with placeholders `$0`, `$1` and so on.
pub(super) struct EventWriter<'d> {
    pub(super) events: Vec<Vec<u8>>,
    pub(super) dice: &'d mut Dice,
    pub(super) framing: Framing,
    /// There is white space between the tokens of an event.
    pub(super) spread: bool,
    /// The number of events written.
    pub(super) written: usize,
    /// The reasoning that is left to send, last piece first; `None` if it is noise.
    pub(super) reasoning: Option<Vec<Vec<u16>>>,
    /// The event of a piece of reasoning.
    pub(super) reasoning_event: Option<&'static str>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Framing {
    Events,
    Lines,
    Array,
    /// Amazon's binary frames.
    Binary,
    /// Binary frames of an invoked model: every payload is in the base64 of a chunk.
    Chunks,
}

/// A binary frame, with these headers as strings.
pub fn binary_frame(headers: &[(&str, &str)], payload: &[u8]) -> Vec<u8> {
    let mut written = Vec::new();
    for (name, value) in headers {
        written.push(u8::try_from(name.len()).expect("a short name"));
        written.extend(name.as_bytes());
        written.push(7);
        written.extend(u16::try_from(value.len()).expect("a short value").to_be_bytes());
        written.extend(value.as_bytes());
    }
    let len = |len: usize| u32::try_from(len).expect("a short frame").to_be_bytes();
    let mut frame = [len(16 + written.len() + payload.len()), len(written.len())].concat();
    frame.extend(checksum(&frame));
    frame.extend([&written, payload].concat());
    frame.extend(checksum(&frame));
    frame
}

/// The CRC-32 of the bytes, a bit at a time.
pub(super) fn checksum(bytes: &[u8]) -> [u8; 4] {
    let mut crc = u32::MAX;
    for byte in bytes {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { crc >> 1 ^ 0xEDB8_8320 } else { crc >> 1 };
        }
    }
    (!crc).to_be_bytes()
}

/// The frame of an event, or with `model` that of a chunk whose payload it is.
pub(super) fn event_frame(payload: &str, model: bool) -> Vec<u8> {
    let (name, payload) = match model {
        true => ("chunk", format!("{{\"bytes\":\"{}\",\"p\":\"abcd\"}}", base64(payload.as_bytes()))),
        false => {
            // An event has one key, its name.
            let mut parts = payload.splitn(3, '"').skip(1);
            let (name, rest) = (parts.next().expect("a name"), parts.next().expect("a value"));
            let (_, value) = rest.split_once(':').expect("a value");
            (name, value[..value.rfind('}').expect("an end")].to_owned())
        }
    };
    let headers = [(":event-type", name), (":content-type", "application/json"), (":message-type", "event")];
    binary_frame(&headers, payload.as_bytes())
}

pub fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in bytes.chunks(3) {
        let bits = (0..3).fold(0, |bits, i| bits << 8 | usize::from(group.get(i).copied().unwrap_or(0)));
        for i in 0..4 {
            let digit = char::from(DIGITS[bits >> (18 - 6 * i) & 63]);
            out.push(if i <= group.len() { digit } else { '=' });
        }
    }
    out
}

/// Returns whether an event from this template says something in the reasoning.
pub(super) fn has_reasoning(template: &str) -> bool {
    ["reasoning", "thinking", "thought"].iter().any(|word| template.contains(word))
}

impl EventWriter<'_> {
    pub(super) fn event(&mut self, name: &str, template: &str, values: &[&str]) {
        let payload = self.fill(template, values);
        self.written += 1;
        match self.framing {
            Framing::Events => self.server_sent(name, &payload),
            Framing::Lines => {
                let end = self.dice.pick(&["\n", "\n", "\r\n", "\n\n"]);
                self.events.push([&payload, end].concat().into_bytes());
            }
            Framing::Array => {
                let start = if self.written == 1 { self.dice.pick(&["[", "[\n", " [ "]) } else { "" };
                let between = self.dice.pick(&[",", ",\n", "\n,\r\n"]);
                let between = if self.written == 1 { "" } else { between };
                self.events.push([start, between, &payload].concat().into_bytes());
            }
            Framing::Binary => self.events.push(event_frame(&payload, false)),
            Framing::Chunks => self.events.push(event_frame(&payload, true)),
        }
    }

    pub(super) fn fill(&mut self, template: &str, values: &[&str]) -> String {
        let blanks = match self.framing {
            _ if !self.spread => &[""],
            Framing::Lines => BLANKS_IN_LINE,
            Framing::Events => BLANKS_WITH_LF,
            Framing::Array | Framing::Binary | Framing::Chunks => ANY_BLANK,
        };
        let (mut out, mut in_string) = (String::new(), false);
        let mut rest = template.chars();
        while let Some(c) = rest.next() {
            match c {
                '$' => {
                    let index = rest.next().and_then(|c| c.to_digit(10)).expect("a placeholder has a digit");
                    out.push_str(values[index as usize]);
                    continue;
                }
                '"' => in_string = !in_string,
                '}' | ']' if !in_string => out.push_str(self.dice.pick(blanks)),
                _ => {}
            }
            out.push(c);
            if !in_string && matches!(c, '{' | '[' | ',' | ':') {
                out.push_str(self.dice.pick(blanks));
            }
        }
        out
    }

    pub(super) fn server_sent(&mut self, name: &str, payload: &str) {
        let end = self.dice.pick(&["\n", "\n", "\r\n", "\r"]);
        let (mut lines, mut after) = (Vec::new(), Vec::new());
        match self.dice.below(6) {
            0 | 1 => {}
            2 | 3 => lines.push(format!("event: {name}")),
            4 => lines.push(format!("id: {}", self.written)),
            _ => after.push(format!("event:{name}")),
        }
        for line in payload.split('\n') {
            let tight = !line.starts_with(' ') && self.dice.once_in(4);
            lines.push(format!("data:{}{line}", if tight { "" } else { " " }));
            match self.dice.below(24) {
                23 => lines.push(": a comment".to_owned()),
                22 => lines.push("retry: 3000".to_owned()),
                21 => lines.push("datum: {\"choices\":1}".to_owned()),
                _ => {}
            }
        }
        lines.extend(after);
        lines.push(String::new());
        if self.dice.once_in(12) {
            lines.extend([":", "", ": keep-alive", "", "event: ping", ""].map(String::from));
        }
        self.events.push(lines.iter().flat_map(|line| [line, end]).collect::<String>().into_bytes());
    }

    /// Picks a template for text, without reasoning of its own if there is some to send.
    pub(super) fn text_template(&mut self, templates: &[&'static str]) -> &'static str {
        let template = self.dice.pick(templates);
        if has_reasoning(template) && self.reasoning.is_some() { templates[0] } else { template }
    }

    /// Events that mean nothing, and the next piece of reasoning.
    pub(super) fn noise(&mut self, noise: &[&str]) {
        while self.dice.once_in(6) {
            let template = self.dice.pick(noise);
            if !(has_reasoning(template) && self.reasoning.is_some()) {
                self.event("noise", template, &[]);
            }
        }
        if self.reasoning.is_some() && self.dice.once_in(2) {
            self.reason();
        }
    }

    /// Sends the next piece of reasoning. Returns whether there was one.
    pub(super) fn reason(&mut self) -> bool {
        let Some(template) = self.reasoning_event else { return false };
        let Some(piece) = self.reasoning.as_mut().and_then(Vec::pop) else { return false };
        let piece = string(&piece, self.dice);
        self.event("reasoning", template, &[&piece]);
        true
    }

    /// The end of the body.
    pub(super) fn end(&mut self, done: bool) {
        while self.reason() {}
        match self.framing {
            Framing::Events => {
                if done && !self.dice.once_in(4) {
                    self.events.push(b"data: [DONE]\n\n".to_vec());
                }
            }
            Framing::Lines => {}
            // Nothing can be added to binary frames.
            Framing::Binary | Framing::Chunks => return,
            Framing::Array => self.events.push(self.dice.pick(&["]", "\n]\n", " ] "]).into()),
        }
        // An empty message may have no event.
        let Some(last) = self.events.last_mut() else { return };
        // The end of the body ends the last event too.
        if self.framing != Framing::Array && self.dice.once_in(4) {
            last.truncate(last.trim_ascii_end().len());
        }
        let first = &mut self.events[0];
        match self.dice.below(12) {
            9 => drop(first.splice(..0, *b"\xEF\xBB\xBF")),
            10 => drop(first.splice(..0, *b"\n\n")),
            11 if self.framing == Framing::Events => drop(first.splice(..0, *b": hello\n\n")),
            _ => {}
        }
    }
}
