//! Tags, attributes and lists, as the page says they are written.

use super::Reader;
use super::values::decode_entities;
use super::words::Side::{Close, Open};
use super::words::{Attributes, Found, Name, Shape, Side, Tag, Wanted, is_tag_space};

impl Reader<'_> {
    pub fn peek(&self, index: usize) -> Option<char> {
        self.chars.get(index).map(|char| char.c)
    }

    /// Returns the offset of a character; the length of the stream for the index after the last
    /// one.
    pub fn byte(&self, index: usize) -> usize {
        self.chars.get(index).map_or(self.bytes, |char| char.start)
    }

    /// The length of the text before the character; for the index after the last one, of all text.
    pub fn offset(&self, index: usize) -> usize {
        self.chars
            .get(index)
            .or(self.chars.last())
            .map_or(0, |char| char.offset + if index < self.chars.len() { 0 } else { char.c.len_utf8() })
    }

    pub fn is_after_back_tick(&self, index: usize) -> bool {
        index > 0 && self.peek(index - 1) == Some('`')
    }

    /// Returns whether the tag `<name>` (or `</name>`) is at `at`.
    ///
    /// "A tag runs from `<` to `>`, has no second `<`, and is at most 256 bytes long."
    /// "Names are exact and lower case, and a name ends at tag space, `/` or `>`."
    pub fn shape(&self, index: usize, side: Side, name: &str, attributes: bool) -> Shape {
        let beginning = |missing: usize| {
            let least = self.offset(self.chars.len()) - self.offset(index) + missing;
            match least <= self.rules.tag {
                true => Shape::Beginning(least),
                false => Shape::Text,
            }
        };
        let whole = |end: usize, empty: bool, mode: Option<String>| {
            let long = self.offset(end) - self.offset(index);
            match long <= self.rules.tag {
                true => Shape::Tag { end, empty, mode },
                false => Shape::Text,
            }
        };

        let head = match side {
            Open => format!("<{name}"),
            Close => format!("</{name}"),
        };
        let mut p = index;
        for (done, c) in head.char_indices() {
            match self.peek(p) {
                None => return beginning(head.len() - done + 1),
                Some(other) if other != c => return Shape::Text,
                Some(_) => p += 1,
            }
        }

        // "tag space before `>`; no attributes, no `/`"
        if !attributes {
            loop {
                match self.peek(p) {
                    None => return beginning(1),
                    Some('>') => return whole(p + 1, false, None),
                    Some(c) if is_tag_space(c) => p += 1,
                    Some(_) => return Shape::Text,
                }
            }
        }

        // "tag space and attributes after the name; `/` right before `>` makes it empty"
        match self.peek(p) {
            None | Some('>') | Some('/') => {}
            Some(c) if is_tag_space(c) => {}
            Some(_) => return Shape::Text,
        }
        let (p, empty, attributes) = match self.attributes(p) {
            Attributes::Text => return Shape::Text,
            Attributes::Beginning(missing) => return beginning(missing),
            Attributes::End { end, empty, attributes } => (end, empty, attributes),
        };
        // "only `mode` on a suggestion counts: trimmed; blank is none; the first that is not blank,
        // as it is written". The attribute's name is exact and lower case too.
        let mode = attributes.into_iter().find(|(name, value)| name == "mode" && !value.trim().is_empty());
        let mode = mode.map(|(_, value)| match self.rules.decode_entities {
            true => decode_entities(&value),
            false => value,
        });
        let mode = mode.map(|value| value.trim().to_string()).filter(|value| !value.is_empty());
        whole(p, empty, mode)
    }

    /// Reads attributes and the `>` after them. "Attributes are read as HTML reads them."
    pub fn attributes(&self, mut p: usize) -> Attributes {
        let mut attributes = Vec::new();
        loop {
            match self.peek(p) {
                None => return Attributes::Beginning(1),
                Some('<') => return Attributes::Text,
                Some('>') => return Attributes::End { end: p + 1, empty: false, attributes },
                Some('/') if self.peek(p + 1) == Some('>') => {
                    return Attributes::End { end: p + 2, empty: true, attributes };
                }
                Some('/') => p += 1,
                Some(c) if is_tag_space(c) => p += 1,
                Some(c) => {
                    // Decided: as in HTML, a `=` where a name should begin is the name's first
                    // character.
                    let mut attribute = c.to_string();
                    p += 1;
                    while let Some(c) = self.peek(p) {
                        if is_tag_space(c) || "/>=<".contains(c) {
                            break;
                        }
                        attribute.push(c);
                        p += 1;
                    }
                    while self.peek(p).is_some_and(is_tag_space) {
                        p += 1;
                    }
                    if self.peek(p) != Some('=') {
                        continue;
                    }
                    p += 1;
                    while self.peek(p).is_some_and(is_tag_space) {
                        p += 1;
                    }
                    let mut value = String::new();
                    match self.peek(p) {
                        // "a quoted value begins with `"` or `'` as the first character after the
                        // `=` (tag space may come between), runs to the same quote, and may hold
                        // `>`"
                        Some(quote) if quote == '"' || quote == '\'' => {
                            p += 1;
                            loop {
                                match self.peek(p) {
                                    None => return Attributes::Beginning(2),
                                    Some('<') => return Attributes::Text,
                                    Some(c) if c == quote => break,
                                    Some(c) => value.push(c),
                                }
                                p += 1;
                            }
                            p += 1;
                        }
                        // "an unquoted value runs to tag space or `>`"; "a `/` right before the
                        // closing `>` is never part of a value"
                        _ => {
                            while let Some(c) = self.peek(p) {
                                if is_tag_space(c) || c == '>' || c == '<' {
                                    break;
                                }
                                if c == '/' && self.peek(p + 1) == Some('>') {
                                    break;
                                }
                                value.push(c);
                                p += 1;
                            }
                        }
                    }
                    attributes.push((attribute, value));
                }
            }
        }
    }

    /// Returns which of these tags of ours is at `at`.
    pub(super) fn find(&self, index: usize, wanted: &[Wanted]) -> Found {
        if self.put_in == Some(index) {
            let (side, name, empty, mode, end) = (Close, Name::FollowUp, false, None, self.chars.len());
            return match wanted.contains(&(side, name)) {
                true => Found::Tag(Tag { side, name, empty, mode, end }),
                false => Found::Nothing,
            };
        }
        let mut least: Option<usize> = None;
        for (side, name) in wanted {
            if self.put_in.is_some() && matches!(name, Name::Ask | Name::Question) {
                continue;
            }
            for spelling in name.spellings() {
                match self.shape(index, *side, spelling, *side == Open) {
                    Shape::Text => {}
                    Shape::Beginning(bytes) => {
                        least = Some(least.map_or(bytes, |least| least.min(bytes)));
                    }
                    Shape::Tag { end, empty, mode } => {
                        return Found::Tag(Tag { side: *side, name: *name, empty, mode, end });
                    }
                }
            }
        }
        match least {
            Some(bytes) => Found::Beginning(bytes),
            None => Found::Nothing,
        }
    }

    pub(super) fn find_tag(&self, index: usize, wanted: &[Wanted]) -> Option<Tag> {
        match self.find(index, wanted) {
            Found::Tag(tag) => Some(tag),
            Found::Nothing | Found::Beginning(_) => None,
        }
    }

    /// `<ask_followup_question>`. "A tool's opening tag right before a back-tick is text wherever
    /// it is."
    pub fn ask_open(&self, index: usize) -> Option<Tag> {
        let tag = self.find_tag(index, &[(Open, Name::Ask)])?;
        match self.peek(tag.end) {
            Some('`') => None,
            _ => Some(tag),
        }
    }

    /// Returns the name of another tool whose opening tag is at `at`, and the index after the tag.
    pub fn tool_open(&self, index: usize) -> Option<(String, usize)> {
        for tool in &self.rules.tools {
            if let Shape::Tag { end, .. } = self.shape(index, Open, tool, false)
                && self.peek(end) != Some('`')
            {
                return Some((tool.clone(), end));
            }
        }
        None
    }

    pub(super) fn is_beginning_of_a_tools_opening_tag(&self, index: usize) -> bool {
        let ask = self.find(index, &[(Open, Name::Ask)]);
        matches!(ask, Found::Beginning(_))
            || self.rules.tools.iter().any(|tool| matches!(self.shape(index, Open, tool, false), Shape::Beginning(_)))
    }
}
