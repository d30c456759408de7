//! A call in an envelope, from its header to its end.

use followup::Envelope;

use super::Prose;
use super::headers::{Body, Closer, Head, No};
use super::objects::{ARGUMENTS_KEYS, JsonEnd, OUR_KEYS};
use super::tags::Element::{Function, Invoke, Key, Parameter, Wrapper};
use super::tags::{Element, Found, Tag, Token, section_ends};
use crate::common::arguments::{ArgumentsReader, Parsed};
use crate::common::reference::Side::{Close, Open};
use crate::common::reference::{Atom, EndedCall, Reader, Rules, Side, TooLong, Value, is_tag_space};

/// A call in an envelope.
pub(super) struct Call<'a> {
    pub(super) head: Head,
    /// The index of its first character.
    pub(super) start: usize,
    /// What it has: `None` for another tool's.
    pub(super) has: Option<ArgumentsReader<'a>>,
    pub(super) wrong: Option<&'static str>,
    /// There was a parameter.
    pub(super) parameters: bool,
}

/// Where a call ends, before the close tags of wrappers after it.
pub(super) enum CallEnd {
    At(usize),
    /// Before an opener at the first index, after text from the second index on.
    Before(usize, usize),
    /// With the stream; `true` in a value, or in JSON arguments.
    Stream(bool),
    /// With the stream, after its JSON.
    AfterJson,
    /// After a close tag of a wrapper, which was not its own.
    AfterWrapper(usize),
}

/// Where a value in a parameter ends.
pub(super) enum ValueEnd {
    /// At its own close tag, which ends at the second index.
    Closed(usize, usize),
    /// Before another tag.
    Unclosed(usize),
    /// With the stream; without the beginning of a tag that would end it.
    Stream(usize),
}

impl Call<'_> {
    pub(super) fn repair(&mut self, note: &'static str) {
        if self.wrong.is_none()
            && let Some(has) = &mut self.has
        {
            has.notes.insert(note);
        }
    }

    pub(super) fn goes_wrong(&mut self, reason: &'static str) {
        self.wrong.get_or_insert(reason);
    }
}

impl<'a> Reader<'a> {
    /// Reads what begins here in prose: the calls of one envelope, or text that is no header.
    pub fn envelopes(&mut self, index: usize, line_begins: bool) -> Prose {
        let mut start = index;
        let mut open = None;
        let mut between = None;
        loop {
            match self.header(start, line_begins, open) {
                Ok(head) => {
                    let after = (head.family, matches!(head.what, Body::Object(_)));
                    let (end, is_open, text) = self.envelope(start, head);
                    between = text;
                    // "If a wrapper (a section) is open, and the next call follows in it, then what
                    // is between the two belongs to that one."
                    if !is_open {
                        return Prose::AfterCall(end, end, between);
                    }
                    (start, open) = (end, Some(after));
                }
                Err(No::Ends(true)) => {
                    self.rejected(start);
                    return Prose::AfterCall(self.chars.len(), 0, None);
                }
                Err(no) => {
                    let end = if let No::At(end) = no { end } else { self.chars.len() };
                    return match open {
                        Some(_) => Prose::AfterCall(start, end, between),
                        None if end > index => Prose::After(end),
                        None => Prose::GoesOn,
                    };
                }
            }
        }
    }

    /// "the call is `Rejected`, truncated"
    pub(super) fn rejected(&mut self, start: usize) {
        let ended = EndedCall {
            call: self.calls,
            span: (self.byte(start) as u64, self.byte(self.chars.len()) as u64),
            question: None,
            suggest: Vec::new(),
            notes: Default::default(),
        };
        self.calls += 1;
        self.shown.push(Atom::Rejected("truncated", ended));
    }

    /// Reads a call. Returns the index after it, whether its wrapper is still open, and if an
    /// opener ended it, where the text before that begins.
    pub(super) fn envelope(&mut self, start: usize, head: Head) -> (usize, bool, Option<usize>) {
        let mut has = head.is_ours().then(|| ArgumentsReader::new("", self.rules, false));
        if let Some(has) = &mut has {
            has.notes.insert(head.family.name());
        }
        let mut call = Call { head, start, has, wrong: None, parameters: false };
        let end = match call.head.what {
            Body::Parameters => self.parameters_of(&mut call),
            Body::KeysAndValues => self.keys_and_values(&mut call),
            Body::Arguments => self.arguments_of(&mut call),
            Body::Object(index) => self.object_of(&mut call, index),
        };
        let mut is_open = call.head.in_wrapper;
        let mut between = None;
        let (end, by_stream) = match end {
            // "No envelope starts in code, or right after a back-tick."
            CallEnd::Before(end, from) => {
                is_open &= self.may_start_after(from, end);
                between = Some(from);
                (end, None)
            }
            CallEnd::Stream(in_value) => (self.chars.len(), Some(in_value)),
            CallEnd::AfterJson => (self.chars.len(), None),
            CallEnd::AfterWrapper(end) => {
                is_open = false;
                (end, None)
            }
            CallEnd::At(end) => {
                // Its own close tag was the wrapper's.
                if matches!(call.head.what, Body::KeysAndValues | Body::Object(_)) || call.head.family == Envelope::Glm
                {
                    is_open &= !self.is_after_wrappers_close(end);
                }
                // "After its own close tag and space, a close tag of a wrapper belongs to a call
                // that a tag `function` or `invoke` named, whether a wrapper was opened or not, and
                // `<|tool_calls_section_end|>` to one of `kimi`."
                let next = self.space(end);
                let further = match call.head.closer {
                    Closer::Tag(Function | Invoke) => {
                        self.tag(next, &|side, element| side == Close && element == Wrapper).map(|tag| tag.end)
                    }
                    Closer::Token(_) => self.one_of(next, section_ends(call.head.family)),
                    _ => None,
                };
                is_open &= further.is_none();
                (further.unwrap_or(end), None)
            }
        };
        if end == self.chars.len() {
            is_open = false;
        }
        self.end_call(call, end, by_stream);
        (end, is_open, between)
    }

    pub(super) fn is_after_wrappers_close(&self, end: usize) -> bool {
        let closes = |side: Side, element: Element| side == Close && element == Wrapper;
        (0..end).any(|index| self.tag(index, &closes).is_some_and(|tag| tag.end == end))
    }

    /// Ends a call before this index. By the stream inside a value, or outside.
    pub(super) fn end_call(&mut self, call: Call<'a>, end: usize, by_stream: Option<bool>) {
        let Call { head, start, has, mut wrong, .. } = call;
        let Some(mut has) = has else {
            // "Any other tool's call in an envelope is `Opaque`, with its bare name"
            for c in &self.chars[start..end] {
                self.shown.push(Atom::Opaque { index: self.opaques, tool: head.name.clone(), c: c.c });
            }
            self.opaques += 1;
            return;
        };
        // "In a value, or in arguments that are not closed, it is then `Rejected`, truncated.
        // Between parameters it is as if a call of markup were cut there."
        match (by_stream, &has.question) {
            (Some(true), _) | (Some(false), None) => wrong = wrong.or(Some("truncated")),
            (Some(false), Some(_)) => drop(has.notes.insert("StreamEnded")),
            (None, _) => {}
        }
        if has.question.is_none() {
            wrong = wrong.or(Some("missing_parameter"));
        }
        let calls = self.calls;
        for mut atom in has.shown.drain(..) {
            match &mut atom {
                Atom::Question { call, .. } | Atom::Answer { call, .. } | Atom::Mode { call, .. } => *call = calls,
                other => unreachable!("a call shows {other:?}"),
            }
            self.shown.push(atom);
        }
        let ended = EndedCall {
            call: calls,
            span: (self.byte(start) as u64, self.byte(end) as u64),
            question: has.question,
            suggest: has.suggest,
            notes: has.notes,
        };
        self.calls += 1;
        self.shown.push(match wrong {
            Some(reason) => Atom::Rejected(reason, ended),
            None => Atom::Complete(ended),
        });
    }

    // ---------------------------------------------------------------------------------- parameters

    /// Reads parameters with tags, from the tag that ended the header.
    pub(super) fn parameters_of(&mut self, call: &mut Call<'a>) -> CallEnd {
        let mut index = call.head.body;
        let mut text = index;
        while let Some(c) = self.peek(index) {
            // "Text between parameters means nothing."
            if c != '<' {
                index += 1;
                continue;
            }
            // "or with the note `UnclosedEnvelope` before what is no part of it: an opener of an
            // envelope or a tool's opening tag outside a value"
            if self.is_tools_opening_tag(index) || self.is_opener(index) {
                call.repair("UnclosedEnvelope");
                return CallEnd::Before(index, text);
            }
            let wanted = |side: Side, element: Element| match side {
                Open => element == Parameter,
                Close => matches!(element, Function | Invoke | Wrapper),
            };
            match self.tag(index, &wanted) {
                None => index += 1,
                // "after its own close tag [..] or after a close tag of a wrapper if another was
                // its own"
                Some(tag) if tag.side == Close => {
                    if call.head.is_closed_by(tag.element) {
                        return CallEnd::At(tag.end);
                    }
                    if tag.element == Wrapper {
                        call.repair("UnclosedEnvelope");
                        return CallEnd::AfterWrapper(tag.end);
                    }
                    // A call that a wrapper names has no `</function>` and no `</invoke>`.
                    index = tag.end;
                }
                Some(tag) => {
                    let key = tag.value.expect("a parameter has a key");
                    match self.parameter(call, &key, tag.is_json, tag.end, Parameter) {
                        Ok(next) => (index, text) = (next, next),
                        Err(end) => return end,
                    }
                }
            }
        }
        CallEnd::Stream(false)
    }

    /// "In `glm` `<arg_key>KEY</arg_key>` names the parameter of the next `<arg_value>`"
    ///
    /// Decided: in a key only `</arg_key>` and a wrapper's close tag mean something.
    pub(super) fn keys_and_values(&mut self, call: &mut Call<'a>) -> CallEnd {
        let mut index = call.head.body;
        let mut text = index;
        let mut key = None;
        // The index after an open `<arg_key>`.
        let mut open_key = None;
        while let Some(c) = self.peek(index) {
            if c != '<' {
                index += 1;
                continue;
            }
            if open_key.is_none() && (self.is_tools_opening_tag(index) || self.is_opener(index)) {
                call.repair("UnclosedEnvelope");
                return CallEnd::Before(index, text);
            }
            let is_in_key = open_key.is_some();
            let wanted = |side: Side, element: Element| match (side, element) {
                (Close, Wrapper) => true,
                (side, Key) => side == if is_in_key { Close } else { Open },
                (Open, Element::Value) => !is_in_key,
                _ => false,
            };
            let Some(tag) = self.tag(index, &wanted) else {
                index += 1;
                continue;
            };
            match (tag.side, tag.element) {
                (Close, Wrapper) => return CallEnd::At(tag.end),
                (Open, Key) => {
                    open_key = Some(tag.end);
                    key = None;
                    (index, text) = (tag.end, tag.end);
                }
                (Close, _) => {
                    if let Some(from) = open_key.take() {
                        key = Some(self.string(from, index).trim_matches(is_tag_space).to_string());
                    }
                    (index, text) = (tag.end, tag.end);
                }
                (Open, _) => {
                    open_key = None;
                    let key = key.take().unwrap_or_default();
                    match self.parameter(call, &key, tag.is_json, tag.end, Element::Value) {
                        Ok(next) => (index, text) = (next, next),
                        Err(end) => return end,
                    }
                }
            }
        }
        CallEnd::Stream(open_key.is_some())
    }

    /// "A parameter's value runs to `</parameter>`, or with the repair `UnclosedParameter` to what
    /// comes first of: the next parameter's opening tag, a close tag `function`, `invoke` or of a
    /// wrapper. In `glm` [..] to `</arg_value>`, or with the repair to the next `<arg_key>` or a
    /// close tag of a wrapper." "[In another tool's call] a parameter's value ends at its own close
    /// tag only."
    ///
    /// Decided: `</function>` and `</invoke>` mean nothing in a call that a wrapper names.
    pub(super) fn value_end(&self, call: &Call<'a>, from: usize, of: Element) -> ValueEnd {
        let is_ours = call.has.is_some();
        let is_wrappers = call.head.closer == Closer::Tag(Wrapper);
        let wanted = |side: Side, element: Element| match (of, side, element) {
            (_, Close, element) if element == of => true,
            _ if !is_ours => false,
            (Parameter, Close, Function | Invoke) => !is_wrappers,
            (Parameter, Open, Parameter) | (Parameter, Close, Wrapper) => true,
            (Element::Value, Open, Key) | (Element::Value, Close, Wrapper) => true,
            _ => false,
        };
        for index in from..self.chars.len() {
            // "an opening tag right after a back-tick is text"
            let is_after_back_tick = index > from && self.is_after_back_tick(index);
            let wanted = |side: Side, element: Element| !(is_after_back_tick && side == Open) && wanted(side, element);
            match self.element(index, &wanted) {
                Found::Nothing => {}
                Found::Beginning => return ValueEnd::Stream(index),
                Found::Tag(tag) if (tag.side, tag.element) == (Close, of) => return ValueEnd::Closed(index, tag.end),
                Found::Tag(_) => return ValueEnd::Unclosed(index),
            }
        }
        ValueEnd::Stream(self.chars.len())
    }

    /// Reads the value of a parameter. Returns the index after it.
    pub(super) fn parameter(
        &mut self,
        call: &mut Call<'a>,
        key: &str,
        is_json: bool,
        from: usize,
        of: Element,
    ) -> Result<usize, CallEnd> {
        let is_ours = call.has.is_some();
        let is_first = !std::mem::replace(&mut call.parameters, true);
        // "`arguments`, `input`, `parameters`, `args`: the JSON arguments, as above, if they begin
        // with `{` and no other parameter came before." "A value begins with its first character
        // that is not blank."
        let first = self.blanks(from);
        if is_ours && is_first && ARGUMENTS_KEYS.contains(&key) && self.peek(first) == Some('{') {
            let end = self.json_end(first);
            self.read_arguments(call, first, end);
            match end {
                JsonEnd::At(end) => {
                    let end = self.value_end(call, end, of);
                    return self.after_value(call, end);
                }
                JsonEnd::Wrong(index) => return Err(self.ill_formed(call, index)),
                JsonEnd::Stream => return Err(CallEnd::Stream(true)),
            }
        }
        // "With `string="false"`, and if it begins with `"`, it is a JSON string, which ends at its
        // own quote: tags in it are text, and what comes after it means nothing."
        let string = (is_ours && is_json && key == "question").then(|| self.json_string_at(from)).flatten();
        let end = match string {
            Some((_, true, end)) => self.value_end(call, end, of),
            Some((_, false, end)) => ValueEnd::Stream(end),
            None => self.value_end(call, from, of),
        };
        let (ValueEnd::Closed(to, _) | ValueEnd::Unclosed(to) | ValueEnd::Stream(to)) = end;
        let text = self.string(from, to);
        if let Some(has) = &mut call.has
            && call.wrong.is_none()
        {
            let read = match key {
                "question" => {
                    has.questions += 1;
                    if has.questions > 1 {
                        has.notes.insert("RepeatedQuestion");
                    }
                    let text = string.map_or(text, |(decoded, ..)| decoded);
                    match has.question {
                        Some(_) => Ok(()),
                        None => self.question_of(has, &text),
                    }
                }
                key if OUR_KEYS.contains(&key) && !matches!(end, ValueEnd::Stream(_)) => has.list_parameter(key, &text),
                _ => Ok(()),
            };
            if let Err(reason) = read {
                call.goes_wrong(reason);
            }
        }
        self.after_value(call, end)
    }

    /// Returns what a JSON string here decodes to, after blanks, whether it is closed, and the
    /// index after it.
    pub(super) fn json_string_at(&self, from: usize) -> Option<(String, bool, usize)> {
        let mut lexer = self.lexer(self.blanks(from));
        let mut decoded = String::new();
        if lexer.peek() != Some('"') {
            return None;
        }
        let read = lexer.string(&mut |_, c| {
            decoded.push(c);
            Ok(())
        });
        let is_closed = read.is_ok();
        Some((decoded, is_closed, lexer.index))
    }

    pub(super) fn after_value(&self, call: &mut Call<'a>, end: ValueEnd) -> Result<usize, CallEnd> {
        match end {
            ValueEnd::Closed(_, next) => Ok(next),
            ValueEnd::Unclosed(index) => {
                call.repair("UnclosedParameter");
                Ok(index)
            }
            ValueEnd::Stream(_) => Err(CallEnd::Stream(true)),
        }
    }

    /// "`question`: as the text of `<question>`." "In `question`, [..] the policy decides
    /// whether entities are decoded."
    pub(super) fn question_of(&self, has: &mut ArgumentsReader<'a>, text: &str) -> Parsed<()> {
        let reader = Reader::new(text.as_bytes(), self.rules);
        let mut value = Value::new(self.rules.question);
        let mut index = 0;
        while index < reader.chars.len() {
            let (c, next) = reader.character(index);
            let known = value.push(c).map_err(|TooLong| "too_long")?;
            for c in known.chars() {
                has.shown.push(Atom::Question { call: 0, c });
                has.question.get_or_insert_default().push(c);
            }
            index = next;
        }
        Ok(())
    }

    // ---------------------------------------------------------------------------------------- JSON

    /// Reads JSON arguments that follow the header.
    pub(super) fn arguments_of(&mut self, call: &mut Call<'a>) -> CallEnd {
        let index = self.space(call.head.body);
        if index == self.chars.len() {
            return CallEnd::Stream(true);
        }
        let end = self.json_end(index);
        self.read_arguments(call, index, end);
        match end {
            JsonEnd::At(end) => self.after_json(call, end),
            JsonEnd::Wrong(index) => self.ill_formed(call, index),
            JsonEnd::Stream => CallEnd::Stream(true),
        }
    }

    /// Reads an object with the name and the arguments in it.
    pub(super) fn object_of(&mut self, call: &mut Call<'a>, index: usize) -> CallEnd {
        let is_bare = call.head.family == Envelope::BareJson;
        let (object, end) = self.object(index, is_bare);
        if let Some((from, end)) = object.arguments {
            self.read_arguments(call, from, end);
        }
        let (end, mut is_unclosed) = match end {
            JsonEnd::At(end) => (end, false),
            // "if the object's own closing bracket is missing before a `<`, after arguments that
            // are closed"
            JsonEnd::Wrong(wrong)
                if !is_bare
                    && self.peek(wrong) == Some('<')
                    && matches!(object.arguments, Some((_, JsonEnd::At(_))))
                    && self.misses(index, wrong, object.open) =>
            {
                (wrong, true)
            }
            JsonEnd::Wrong(index) => {
                call.goes_wrong("malformed");
                return self.ill_formed(call, index);
            }
            // Decided: as after JSON if the arguments have been closed.
            JsonEnd::Stream => {
                call.repair("UnclosedEnvelope");
                return match object.arguments {
                    Some((_, JsonEnd::At(_))) => CallEnd::AfterJson,
                    _ => CallEnd::Stream(true),
                };
            }
        };
        // "and for one `}` too many"
        // Decided: before or after the back-ticks that close a fence.
        let mut end = end;
        let may_have_surplus = !is_bare && call.head.family != Envelope::Mistral && !is_unclosed;
        let has_surplus = |from: usize| may_have_surplus && self.peek(self.space(from)) == Some('}');
        let after_fence = self.after_fence(call, end);
        if has_surplus(end) {
            (end, is_unclosed) = (self.space(end) + 1, true);
        } else if has_surplus(after_fence) {
            (end, is_unclosed) = (self.space(after_fence) + 1, true);
            call.head.is_fenced = false;
        }
        if is_unclosed {
            call.repair("UnclosedEnvelope");
        }
        self.after_json(call, end)
    }

    /// Returns whether so many `}` at the second index would make what is before it JSON.
    pub(super) fn misses(&self, from: usize, to: usize, brackets: usize) -> bool {
        let whole = self.string(from, to) + &"}".repeat(brackets);
        let mut lexer = ArgumentsReader::new(&whole, self.rules, true);
        lexer.nothing(1).is_ok() && lexer.index == lexer.chars.len()
    }

    /// "The arguments are read as those of a native call, from their first character to the one
    /// that closes them. If they are a string, the string is decoded, and is the whole stream of a
    /// native call. If they are no object, they are of the wrong type."
    pub(super) fn read_arguments(&mut self, call: &mut Call<'a>, from: usize, end: JsonEnd) {
        let Some(has) = &mut call.has else { return };
        if call.wrong.is_some() {
            return;
        }
        let to = match end {
            JsonEnd::At(end) => end,
            JsonEnd::Wrong(index) => index + 1,
            JsonEnd::Stream => self.chars.len(),
        };
        let text = self.string(from, to);
        let read = match text.chars().next() {
            Some('{') => {
                (has.chars, has.index) = (text.chars().collect(), 0);
                has.object(1, &mut |reader, key, kind| reader.parameter(key, kind))
            }
            // Decided: a string in an object only; otherwise it is of the wrong type.
            Some('"') if matches!(call.head.what, Body::Object(_)) => {
                let (decoded, _) = json_string(&text, self.rules);
                (has.chars, has.index) = (decoded.chars().collect(), 0);
                has.arguments()
            }
            Some('[' | '"' | '-' | '0'..='9' | 't' | 'f' | 'n') => Err("wrong_type"),
            _ => Err("malformed"),
        };
        match read {
            // The end of the stream is no reason before all is read.
            Err("truncated") if end == JsonEnd::Stream => {}
            Err(reason) => call.goes_wrong(reason),
            Ok(()) => {}
        }
    }

    /// The call's own close tag or token.
    pub(super) fn closes(&self, call: &Call<'a>, index: usize) -> Found {
        match call.head.closer {
            Closer::Tag(_) => self.element(index, &|side, element| side == Close && call.head.is_closed_by(element)),
            Closer::Token(token) => match self.token(index, token) {
                Token::Ends(end) => Found::Tag(Tag {
                    side: Close,
                    element: Wrapper,
                    name: "",
                    prefix: None,
                    value: None,
                    is_json: false,
                    end,
                }),
                Token::Beginning if index < self.chars.len() => Found::Beginning,
                _ => Found::Nothing,
            },
            Closer::List | Closer::Llama | Closer::None => Found::Nothing,
        }
    }

    /// "The back-ticks that close a fence belong to the call; they may be missing without a note."
    pub(super) fn after_fence(&self, call: &Call<'a>, end: usize) -> usize {
        match call.head.is_fenced {
            true => self.literal(self.space(end), "```").unwrap_or(end),
            false => end,
        }
    }

    /// "If the JSON is in a fence, the first three back-ticks at that byte, or at the beginning of
    /// a line after it, close the fence".
    ///
    /// Returns the index after them, or `from` if there are none before `to`.
    pub(super) fn after_closed_fence(&self, call: &Call<'a>, from: usize, to: usize) -> usize {
        let begins_line = |index: usize| {
            let blanks = (from..index).rev().take_while(|index| self.peek(*index) != Some('\n'));
            blanks.into_iter().all(|index| self.peek(index).is_some_and(is_tag_space))
        };
        let mut ends =
            (from..to).filter(|index| begins_line(*index)).filter_map(|index| self.literal(index, "```").ok());
        ends.next().filter(|_| call.head.is_fenced).unwrap_or(from)
    }

    /// What follows the JSON of a call: the back-ticks that close a fence, and its close tag.
    pub(super) fn after_json(&mut self, call: &mut Call<'a>, end: usize) -> CallEnd {
        match call.head.closer {
            Closer::None => return CallEnd::At(end),
            Closer::List => return self.after_list_item(call, end),
            Closer::Llama => return self.after_llama(end),
            Closer::Tag(_) | Closer::Token(_) => {}
        }
        let end = self.after_fence(call, end);
        let next = self.space(end);
        let found = self.closes(call, next);
        if let Found::Tag(tag) = found {
            return CallEnd::At(tag.end);
        }
        // "`<|call|>` may be missing without a note"
        if call.head.family == Envelope::Harmony {
            return CallEnd::At(end);
        }
        call.repair("UnclosedEnvelope");
        // "After JSON, what has come of the space and of the close tag belongs to the call".
        match matches!(found, Found::Beginning) || next == self.chars.len() {
            true => CallEnd::AfterJson,
            // "or after its JSON, if something else than its close tag follows"
            false => CallEnd::At(end),
        }
    }

    /// "If the JSON is ill-formed, the call is `Rejected`, malformed (`IllFormedJson`). Where the
    /// table says how it ends, an opener of an envelope, or a tool's opening tag, ends it before
    /// that."
    pub(super) fn ill_formed(&mut self, call: &mut Call<'a>, from: usize) -> CallEnd {
        call.goes_wrong("malformed");
        if matches!(call.head.family, Envelope::BareJson | Envelope::Mistral | Envelope::Llama) {
            return CallEnd::AfterWrapper(from);
        }
        for index in from..self.chars.len() {
            if self.peek(index) != Some('<') {
                continue;
            }
            if self.is_tools_opening_tag(index) || self.is_opener(index) {
                return CallEnd::Before(index, self.after_closed_fence(call, from, index));
            }
            let closes = |side: Side, element: Element| side == Close && matches!(element, Function | Invoke | Wrapper);
            match call.head.family {
                Envelope::Harmony => {
                    if let Some(end) = self.one_of(index, &["<|call|>"]) {
                        return CallEnd::At(end);
                    }
                }
                Envelope::Kimi | Envelope::Deepseek => {
                    if let Closer::Token(token) = call.head.closer
                        && let Some(end) = self.one_of(index, &[token])
                    {
                        return CallEnd::At(end);
                    }
                    if let Some(end) = self.one_of(index, section_ends(call.head.family)) {
                        return CallEnd::AfterWrapper(end);
                    }
                }
                _ => match self.tag(index, &closes) {
                    Some(tag) if tag.element == Wrapper => return CallEnd::AfterWrapper(tag.end),
                    // Decided: a wrapper's close tag after it belongs to the call as well.
                    Some(tag) => {
                        let wrappers = |side: Side, element: Element| side == Close && element == Wrapper;
                        let wrapper = self.tag(self.space(tag.end), &wrappers);
                        return wrapper.map_or(CallEnd::At(tag.end), |wrapper| CallEnd::AfterWrapper(wrapper.end));
                    }
                    None => {}
                },
            }
        }
        CallEnd::Stream(false)
    }
}

/// Returns what a JSON string at the beginning of a text decodes to, as far as it goes, and whether
/// it is closed.
pub(super) fn json_string(text: &str, rules: &Rules) -> (String, bool) {
    let mut lexer = ArgumentsReader::new(text, rules, true);
    let mut decoded = String::new();
    let closed = lexer.string(&mut |_, c| {
        decoded.push(c);
        Ok(())
    });
    (decoded, closed.is_ok())
}
