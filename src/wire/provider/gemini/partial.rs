//! Writing the JSON that a sequence of values at JSON paths makes up, as it streams.

use core::hash::{Hash, Hasher};
use core::mem::discriminant;

use alloc::collections::BTreeSet;
use alloc::string::String;
use alloc::vec::Vec;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::hash::Fnv;
use crate::wire::provider::payload::{Raw, is_true, string, text};

/// One value of the arguments, or the next piece of one.
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

/// One step of a path: into an object or an array.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
enum PathStep {
    Key(String),
    Index(u64),
}

/// The number of paths that are remembered, of all calls whose arguments are streaming.
pub(super) const MAX_PATHS: usize = 4096;

/// The bytes that a path may have.
const MAX_PATH_LEN: usize = 4 << 10;

/// The number of steps a path may have. The parser of the arguments accepts no deeper JSON.
const MAX_DEPTH: usize = 128;

/// What makes the JSON ill-formed, so that a part of a text is never taken for all of it.
const ILL_FORMED: u8 = b'!';

/// A writer of arguments as JSON text, from values at paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(super) struct ArgumentsWriter {
    /// The path of the last value.
    last: Vec<PathStep>,
    /// The last value is a string that continues.
    in_string: bool,
    /// The hashes of the paths that have been written.
    ///
    /// What is closed can't be continued: it would be there twice.
    written: BTreeSet<u64>,
}

impl ArgumentsWriter {
    /// Returns whether the state is one that a body can have.
    pub(super) fn is_in_bounds(&self) -> bool {
        let len = |step: &PathStep| if let PathStep::Key(key) = step { key.len() } else { 0 };
        // A path that is too deep has one step more.
        self.last.len() <= MAX_DEPTH + 1 && self.last.iter().map(len).sum::<usize>() <= MAX_PATH_LEN
    }

    /// Returns the number of paths that are remembered.
    pub(super) fn paths(&self) -> usize {
        self.written.len()
    }

    /// Appends to `out` what makes the JSON ill-formed: the arguments can't be continued.
    pub(super) fn break_off(&mut self, out: &mut Vec<u8>) {
        self.end_string(out);
        out.push(ILL_FORMED);
    }

    /// Appends to `out` what a value adds to the JSON.
    ///
    /// `room`: the number of paths that may be remembered.
    pub(super) fn write(&mut self, arg: &PartialArg<'_>, room: usize, out: &mut Vec<u8>) {
        let path = text(arg.json_path);
        let path = String::from_utf8_lossy(&path);
        if path.len() > MAX_PATH_LEN {
            return self.break_off(out);
        }
        let path = parse_path(&path);
        if path.is_empty() {
            return;
        }
        let string = string(arg.string_value);
        let value = arg.number_value.or(arg.bool_value);
        if string.is_none() && value.is_none() {
            // It only ends a string, or announces one.
            let continues = self.in_string && path == self.last;
            if continues && !is_true(arg.will_continue) {
                return self.end_string(out);
            }
            if continues || is_true(arg.will_continue) {
                return;
            }
        }
        if !(self.in_string && string.is_some() && path == self.last) {
            self.move_to(path, room, out);
        }
        match string {
            Some(string) => {
                if !core::mem::replace(&mut self.in_string, true) {
                    out.push(b'"');
                }
                escape(&string, out);
                if !is_true(arg.will_continue) {
                    self.end_string(out);
                }
            }
            None => out.extend_from_slice(value.map_or("null", RawValue::get).as_bytes()),
        }
    }

    /// Closes everything that is open. Appends nothing if nothing was written.
    pub(super) fn close(&mut self, out: &mut Vec<u8>) {
        self.close_to(0, out);
        self.last.clear();
    }

    fn end_string(&mut self, out: &mut Vec<u8>) {
        if core::mem::take(&mut self.in_string) {
            out.push(b'"');
        }
    }

    /// Closes the arrays and objects at `depth`, counted from 0, and deeper.
    fn close_to(&mut self, depth: usize, out: &mut Vec<u8>) {
        self.end_string(out);
        for step in self.last.drain(depth.min(self.last.len())..).rev() {
            out.push(match step {
                PathStep::Key(_) => b'}',
                PathStep::Index(_) => b']',
            });
        }
    }

    /// Remembers a path, and its prefixes longer than `depth`.
    ///
    /// Returns whether there is room, and nothing was written at any of them before.
    fn remember(&mut self, path: &[PathStep], depth: usize, room: usize) -> bool {
        let mut hash = Fnv::default();
        let mut new = true;
        for (i, step) in path.iter().enumerate() {
            match step {
                PathStep::Key(key) => key.hash(&mut hash),
                PathStep::Index(index) => (!index).hash(&mut hash),
            }
            new &= i < depth || (self.written.len() < room && self.written.insert(hash.finish()));
        }
        new
    }

    /// Moves from the last value to one at another path, or beside it if the path is the same.
    fn move_to(&mut self, path: Vec<PathStep>, room: usize, out: &mut Vec<u8>) {
        let same = self.last.iter().zip(&path).take_while(|(a, b)| a == b).count();
        // A value has nothing inside and is written once, so the innermost step is never shared.
        let same = same.min(path.len() - 1).min(self.last.len().saturating_sub(1));
        let has_sibling = !self.last.is_empty();
        self.close_to(same + 1, out);
        // A key in an array would be read as an element.
        let is_other_kind = self.last.get(same).is_some_and(|step| discriminant(step) != discriminant(&path[same]));
        if is_other_kind || path.len() > MAX_DEPTH || !self.remember(&path, same, room) {
            out.push(ILL_FORMED);
        }
        for (depth, step) in path.iter().enumerate().skip(same) {
            match (step, depth == same && has_sibling) {
                (_, true) => out.push(b','),
                (PathStep::Key(_), false) => out.push(b'{'),
                (PathStep::Index(_), false) => out.push(b'['),
            }
            if let PathStep::Key(key) = step {
                out.push(b'"');
                escape(key.as_bytes(), out);
                out.extend_from_slice(b"\":");
            }
        }
        self.last = path;
    }
}

/// Parses a path such as `$.follow_up[0].text` or `$['follow_up'][0]['text']` (RFC 9535).
///
/// Stops one step after [`MAX_DEPTH`].
fn parse_path(text: &str) -> Vec<PathStep> {
    let mut rest = text.strip_prefix('$').unwrap_or(text);
    let mut steps = Vec::new();
    while !rest.is_empty() && steps.len() <= MAX_DEPTH {
        let step;
        (step, rest) = match rest.strip_prefix('[') {
            Some(inside) => bracketed(inside),
            None => {
                let name = rest.strip_prefix('.').unwrap_or(rest);
                let end = name.find(['.', '[']).unwrap_or(name.len());
                (PathStep::Key(name[..end].into()), &name[end..])
            }
        };
        steps.push(step);
    }
    steps
}

/// Parses a step in brackets, after the opening one. Returns it and what follows.
fn bracketed(inside: &str) -> (PathStep, &str) {
    if let Some(quote @ ('\'' | '"')) = inside.chars().next() {
        let (key, rest) = inside[1..].split_once(quote).unwrap_or((&inside[1..], ""));
        return (PathStep::Key(key.into()), rest.strip_prefix(']').unwrap_or(rest));
    }
    let (index, rest) = inside.split_once(']').unwrap_or((inside, ""));
    (index.parse().map_or_else(|_| PathStep::Key(index.into()), PathStep::Index), rest)
}

/// Appends text as it is written in a JSON string. It may hold single surrogates.
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
        let (mut json, mut out) = (ArgumentsWriter::default(), Vec::new());
        for arg in args {
            json.write(&serde_json::from_str(arg).unwrap(), MAX_PATHS, &mut out);
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
            // A string that another value ends, one that continues after nothing, and one beside
            // another.
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
            // A key in an array, and an index in an object.
            (
                &[r#"{"jsonPath":"$.l[0]","stringValue":"A"}"#, r#"{"jsonPath":"$.l.b","stringValue":"B"}"#],
                r#"{"l":["A"!,"b":"B"}}"#,
            ),
            (
                &[r#"{"jsonPath":"$.o.a","stringValue":"A"}"#, r#"{"jsonPath":"$.o[1]","stringValue":"B"}"#],
                r#"{"o":{"a":"A"!,"B"]}"#,
            ),
            // A path that was written already, or leads through a value.
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
    fn a_path_too_deep_or_one_too_many_makes_the_json_ill_formed() {
        let deep =
            |steps: usize| written(&[&format!("{{\"jsonPath\":\"${}\",\"numberValue\":1}}", ".a".repeat(steps))]);
        assert_eq!(deep(MAX_DEPTH), format!("{}1{}", "{\"a\":".repeat(MAX_DEPTH), "}".repeat(MAX_DEPTH)));
        assert!(deep(MAX_DEPTH + 1).contains('!'));
        let long = |len: usize| written(&[&format!("{{\"jsonPath\":\"{}\",\"numberValue\":1}}", "a".repeat(len))]);
        assert!(serde_json::from_str::<&RawValue>(&long(MAX_PATH_LEN)).is_ok());
        assert_eq!(long(MAX_PATH_LEN + 1), "!");
        let wide = |places: usize| {
            let all: Vec<String> =
                (0..places).map(|n| format!("{{\"jsonPath\":\"$.a{n}\",\"numberValue\":{n}}}")).collect();
            written(&all.iter().map(String::as_str).collect::<Vec<_>>())
        };
        assert!(serde_json::from_str::<&RawValue>(&wide(MAX_PATHS)).is_ok());
        assert!(wide(MAX_PATHS + 1).contains('!'));
    }
}
