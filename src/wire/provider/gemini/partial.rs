//! From values at JSON paths to the JSON they make up, as it would have been written.

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::hash::Fnv;
use crate::wire::text::{Raw, is_true, name, string};

/// One value of the arguments, or more of it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct PartialArg<'a> {
    #[serde(borrow)]
    json_path: Raw<'a>,
    #[serde(borrow)]
    string_value: Raw<'a>,
    #[serde(borrow)]
    number_value: Raw<'a>,
    #[serde(borrow)]
    bool_value: Raw<'a>,
    #[serde(borrow)]
    will_continue: Raw<'a>,
}

/// A step of a path: into an object or an array.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Step {
    Key(String),
    Index(u64),
}

/// How many places are kept in mind.
const PLACES: usize = 4096;

/// How many steps a path may have. JSON that is nested deeper is not read.
const DEEPEST: usize = 128;

/// The JSON written so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Json {
    /// Where its last value stands.
    last: Vec<Step>,
    /// That is a string, and goes on.
    in_string: bool,
    /// The places that have been written, as hashes. What is closed can't be written on: it would be there twice.
    written: BTreeSet<u64>,
}

impl Json {
    /// Writes on.
    pub(super) fn write(&mut self, arg: &PartialArg<'_>, out: &mut Vec<u8>) {
        let path = path(&String::from_utf8_lossy(&name(arg.json_path)));
        if path.is_empty() {
            return;
        }
        let text = string(arg.string_value);
        let value = arg.number_value.or(arg.bool_value);
        if text.is_none() && value.is_none() {
            // Nothing but the end of a string, or the announcement of one.
            let goes_on = self.in_string && path == self.last;
            if goes_on && !is_true(arg.will_continue) {
                return self.end_string(out);
            }
            if goes_on || is_true(arg.will_continue) {
                return;
            }
        }
        if !(self.in_string && text.is_some() && path == self.last) {
            self.go_to(path, out);
        }
        match text {
            Some(text) => {
                if !core::mem::replace(&mut self.in_string, true) {
                    out.push(b'"');
                }
                escape(&text, out);
                if !is_true(arg.will_continue) {
                    self.end_string(out);
                }
            }
            None => out.extend_from_slice(value.map_or("null", RawValue::get).as_bytes()),
        }
    }

    /// Closes all that is open. Nothing if nothing was written.
    pub(super) fn close(&mut self, out: &mut Vec<u8>) {
        self.leave(0, out);
        self.last.clear();
    }

    fn end_string(&mut self, out: &mut Vec<u8>) {
        if core::mem::take(&mut self.in_string) {
            out.push(b'"');
        }
    }

    /// Leaves the arrays and objects that are deeper than `depth`, outermost 0, or as deep.
    fn leave(&mut self, depth: usize, out: &mut Vec<u8>) {
        self.end_string(out);
        for step in self.last.drain(depth.min(self.last.len())..).rev() {
            out.push(match step {
                Step::Key(_) => b'}',
                Step::Index(_) => b']',
            });
        }
    }

    /// Whether nothing has been written at that place, or at the arrays and objects deeper than `depth` that lead to it.
    fn is_new(&mut self, path: &[Step], depth: usize) -> bool {
        let mut hash = Fnv::default();
        let mut new = true;
        for (i, step) in path.iter().enumerate() {
            match step {
                Step::Key(key) => hash.text(key),
                Step::Index(index) => hash.number(!index),
            }
            new &= i < depth || (self.written.len() < PLACES && self.written.insert(hash.value()));
        }
        new
    }

    /// Goes from the last value to the one at `path`, which is not the same.
    fn go_to(&mut self, path: Vec<Step>, out: &mut Vec<u8>) {
        let same = self.last.iter().zip(&path).take_while(|(a, b)| a == b).count();
        // A value has nothing inside it, and does not come twice: what looks like that stands beside it.
        let same = same.min(path.len() - 1).min(self.last.len().saturating_sub(1));
        let goes_on = !self.last.is_empty();
        self.leave(same + 1, out);
        if path.len() > DEEPEST || !self.is_new(&path, same) {
            // This is no JSON, so that nobody takes a part of a text for all of it.
            out.push(b'!');
        }
        for (depth, step) in path.iter().enumerate().skip(same) {
            match (step, depth == same && goes_on) {
                (_, true) => out.push(b','),
                (Step::Key(_), false) => out.push(b'{'),
                (Step::Index(_), false) => out.push(b'['),
            }
            if let Step::Key(key) = step {
                out.push(b'"');
                escape(key.as_bytes(), out);
                out.extend_from_slice(b"\":");
            }
        }
        self.last = path;
    }
}

/// The steps of a path such as `$.follow_up[0].text` or `$['follow_up'][0]['text']` (RFC 9535); of one that has too many, one too many.
fn path(text: &str) -> Vec<Step> {
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    let mut steps = Vec::new();
    while !rest.is_empty() && steps.len() <= DEEPEST {
        let step;
        (step, rest) = match rest.strip_prefix('[') {
            Some(inside) => bracketed(inside),
            None => {
                let name = rest.strip_prefix('.').unwrap_or(rest);
                let end = name.find(['.', '[']).unwrap_or(name.len());
                (Step::Key(name[..end].into()), &name[end..])
            }
        };
        steps.push(step);
    }
    steps
}

/// A step in brackets, behind the first, and what follows it.
fn bracketed(inside: &str) -> (Step, &str) {
    if let Some(quote @ ('\'' | '"')) = inside.chars().next() {
        let (key, rest) = inside[1..].split_once(quote).unwrap_or((&inside[1..], ""));
        return (Step::Key(key.into()), rest.strip_prefix(']').unwrap_or(rest));
    }
    let (index, rest) = inside.split_once(']').unwrap_or((inside, ""));
    (index.parse().map_or_else(|_| Step::Key(index.into()), Step::Index), rest)
}

/// Writes text as it stands in a JSON string. It may hold halves of surrogate pairs.
fn escape(text: &[u8], out: &mut Vec<u8>) {
    for &byte in text {
        match byte {
            b'"' | b'\\' => out.extend_from_slice(&[b'\\', byte]),
            b'\n' => out.extend_from_slice(b"\\n"),
            0..0x20 => out.extend_from_slice(&[b'\\', b'u', b'0', b'0', b'0' + (byte >> 4), hex(byte & 0xF)]),
            _ => out.push(byte),
        }
    }
}

fn hex(digit: u8) -> u8 {
    if digit < 10 { b'0' + digit } else { b'a' + digit - 10 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(args: &[&str]) -> String {
        let (mut json, mut out) = (Json::default(), Vec::new());
        for arg in args {
            json.write(&serde_json::from_str(arg).unwrap(), &mut out);
        }
        json.close(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn values_at_paths_become_the_json_they_make_up() {
        for (args, json) in [
            (&[][..], ""),
            (&[r#"{"jsonPath":"$.a","stringValue":"x\"\\\n\u0001y"}"#], r#"{"a":"x\"\\\n\u0001y"}"#),
            (
                &[
                    r#"{"jsonPath":"$.a","stringValue":"x","willContinue":true}"#,
                    r#"{"jsonPath":"$.a","stringValue":"y"}"#,
                ],
                r#"{"a":"xy"}"#,
            ),
            (&[r#"{"jsonPath":"$.a","stringValue":"x","willContinue":true}"#], r#"{"a":"x"}"#),
            (
                &[
                    r#"{"jsonPath":"$.l[0].t","stringValue":"A","willContinue":true}"#,
                    r#"{"jsonPath":"$['l'][0][\"m\"]","nullValue":null}"#,
                    r#"{"jsonPath":"$.l[1].t","numberValue":1.5}"#,
                    r#"{"jsonPath":"$.q","boolValue":true}"#,
                ],
                r#"{"l":[{"t":"A","m":null},{"t":1.5}],"q":true}"#,
            ),
            (
                &[
                    r#"{"jsonPath":"$.l[0]","stringValue":"A"}"#,
                    r#"{"jsonPath":"$.l[1]","stringValue":"B"}"#,
                    r#"{"jsonPath":"$.l[1]","stringValue":"C"}"#,
                ],
                r#"{"l":["A","B"!,"C"]}"#,
            ),
            (
                &[
                    r#"{"jsonPath":"$.a.b","stringValue":"A"}"#,
                    r#"{"jsonPath":"$.c","stringValue":"B"}"#,
                    r#"{"jsonPath":"$.a.d","stringValue":"C"}"#,
                ],
                r#"{"a":{"b":"A"},"c":"B"!,"a":{"d":"C"}}"#,
            ),
            (
                &[
                    r#"{"jsonPath":"$.q","willContinue":true}"#,
                    r#"{"jsonPath":"$.q","stringValue":"A","willContinue":true}"#,
                    r#"{"jsonPath":"$.q"}"#,
                    r#"{"jsonPath":"$.m"}"#,
                ],
                r#"{"q":"A","m":null}"#,
            ),
            (
                &[r#"{"jsonPath":"$.a.b.c","stringValue":"A"}"#, r#"{"jsonPath":"$.d[0][1]","stringValue":"B"}"#],
                r#"{"a":{"b":{"c":"A"}},"d":[["B"]]}"#,
            ),
            // A string that another value ends; one that goes on, when nothing comes; and one beside another.
            (
                &[r#"{"jsonPath":"$.q","stringValue":"A","willContinue":true}"#, r#"{"jsonPath":"$.m"}"#],
                r#"{"q":"A","m":null}"#,
            ),
            (
                &[
                    r#"{"jsonPath":"$.q","stringValue":"A","willContinue":true}"#,
                    r#"{"jsonPath":"$.q","willContinue":true}"#,
                    r#"{"jsonPath":"$.q","stringValue":"B"}"#,
                ],
                r#"{"q":"AB"}"#,
            ),
            (
                &[
                    r#"{"jsonPath":"$.q","stringValue":"A","willContinue":true}"#,
                    r#"{"jsonPath":"$.r","stringValue":"B"}"#,
                ],
                r#"{"q":"A","r":"B"}"#,
            ),
            // What is there already, or in what was a value.
            (&[r#"{"jsonPath":"$.m"}"#, r#"{"jsonPath":"$.m"}"#], r#"{"m":null!,"m":null}"#),
            (
                &[r#"{"jsonPath":"$.a.b","stringValue":"A"}"#, r#"{"jsonPath":"$.a","stringValue":"B"}"#],
                r#"{"a":{"b":"A"}!,"a":"B"}"#,
            ),
            (
                &[r#"{"jsonPath":"$.a","stringValue":"\u0000\u0009\u000b\u0010\u0019\u001a\u001f "}"#],
                r#"{"a":"\u0000\u0009\u000b\u0010\u0019\u001a\u001f "}"#,
            ),
        ] {
            assert_eq!(written(args), json);
        }
    }

    #[test]
    fn what_is_too_deep_or_too_much_is_no_json() {
        let deep =
            |steps: usize| written(&[&format!("{{\"jsonPath\":\"${}\",\"numberValue\":1}}", ".a".repeat(steps))]);
        assert_eq!(deep(DEEPEST), format!("{}1{}", "{\"a\":".repeat(DEEPEST), "}".repeat(DEEPEST)));
        assert!(deep(DEEPEST + 1).contains('!'));
        let wide = |places: usize| {
            let all: Vec<String> =
                (0..places).map(|n| format!("{{\"jsonPath\":\"$.a{n}\",\"numberValue\":{n}}}")).collect();
            written(&all.iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert!(serde_json::from_str::<&RawValue>(&wide(PLACES)).is_ok());
        assert!(wide(PLACES + 1).contains('!'));
    }
}
