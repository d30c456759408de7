//! A call, from its opening tag to its end.

use std::collections::BTreeSet;

use super::json::json_list;
use super::values::{TooLong, Value, decode_entities, entity};
use super::words::Side::{Close, Open};
use super::words::{
    CALL_CLOSE, Found, NESTED_CLOSES, NESTED_OPENS, Name, OPTIONS_ENDS, PARAMETER_TAGS, QUESTION_ENDS, SUGGESTION_ENDS,
    Tag, Wanted, is_blank,
};
use super::{Atom, Body, By, Cut, EndedCall, ListBody, OpenCall, Reader, Suggestion};

impl Reader<'_> {
    /// "A repair": a note, or under the strict policy a rejection. "After something has gone wrong
    /// nothing more is read of the call."
    ///
    /// Decided: no notes either. A repair that is a rejection leaves no note.
    pub(super) fn repair(&self, call: &mut OpenCall, note: &'static str) {
        if call.wrong.is_some() {
            return;
        }
        if !self.rules.strict {
            call.notes.insert(note);
        } else if note == "StreamEnded" {
            call.wrong = Some("truncated");
        } else {
            call.wrong = Some("malformed");
        }
    }

    /// "Three notes of markup are no repairs and stay notes."
    pub(super) fn remark(&self, call: &mut OpenCall, note: &'static str) {
        if call.wrong.is_none() {
            call.notes.insert(note);
        }
    }

    /// Reads a call from its `<ask_followup_question>`. Returns the index at which prose continues;
    /// `None` if the tag was only named.
    pub(super) fn call(&mut self, index: usize, tag: Tag) -> Option<usize> {
        let mut call = OpenCall {
            start: self.byte(index),
            body: tag.end,
            first_tag: None,
            question: None,
            questions: 0,
            suggest: Vec::new(),
            notes: BTreeSet::new(),
            wrong: None,
            list: None,
        };
        // "`<ask_followup_question/>` is an empty call."
        if tag.empty {
            self.end(call, tag.end, By::CloseTag);
            return Some(tag.end);
        }
        Some(match self.body(tag.end) {
            Body::Certain => self.parameters(call),
            // "the opening tag was only named: it is `Text` (under the strict policy: `Rejected`,
            // malformed, with the opening tag as its span), and parsing continues right after it as
            // prose"
            Body::Named if self.rules.strict => {
                call.wrong = Some("malformed");
                self.end(call, tag.end, By::CloseTag);
                tag.end
            }
            Body::Named => return None,
            // "the call is `Rejected`, truncated"
            Body::Truncated => {
                self.end(call, self.chars.len(), By::StreamOutsideValue);
                self.chars.len()
            }
        })
    }

    /// "It is not certain to be a call until a *parameter's tag* [..] or the call's close tag has
    /// ended within the first 2048 bytes of the body."
    pub(super) fn body(&self, from: usize) -> Body {
        let limit = self.offset(from).saturating_add(self.rules.unconfirmed);
        let wanted = [&PARAMETER_TAGS[..], &CALL_CLOSE[..]].concat();
        for index in from..self.chars.len() {
            if self.chars[index].c != '<' {
                continue;
            }
            if let Some(tag) = self.find_tag(index, &wanted) {
                return match self.offset(tag.end) <= limit {
                    true => Body::Certain,
                    false => Body::Named,
                };
            }
            if self.ask_open(index).is_some() || self.tool_open(index).is_some() {
                return Body::Named;
            }
        }
        // "if more than 2048 bytes pass", even if all of them are blank
        if self.offset(self.chars.len()) > limit {
            return Body::Named;
        }
        // "if the stream ends and the body is blank, or blank up to the beginning of a tag that
        // could still have been completed"
        let Some(index) = (from..self.chars.len()).find(|index| !is_blank(self.chars[*index].c)) else {
            return Body::Truncated;
        };
        if let Found::Beginning(least) = self.find(index, &wanted)
            && self.offset(index) + least <= limit
        {
            return Body::Truncated;
        }
        // Decided: a tool's opening tag is a tag as well, though the call would then have been
        // text.
        if self.is_beginning_of_a_tools_opening_tag(index) {
            return Body::Truncated;
        }
        Body::Named
    }

    /// Returns whether the text of a list ends inside a string.
    pub(super) fn ends_in_string(&self, from: usize, to: usize) -> bool {
        let text: String = self.chars[from..to].iter().map(|c| c.c).collect();
        let mut inside = false;
        let mut escaped = false;
        for c in text.chars() {
            match c {
                _ if escaped => escaped = false,
                '\\' if inside => escaped = true,
                '"' => inside = !inside,
                _ => {}
            }
        }
        inside
    }

    /// Reads a body, outside every value. Returns the index at which the call ends.
    pub(super) fn parameters(&mut self, mut call: OpenCall) -> usize {
        let all = [&PARAMETER_TAGS[..], &CALL_CLOSE[..]].concat();
        let mut in_follow_up = false;
        let mut list = ListBody::No;
        let mut index = call.body;
        loop {
            let Some(c) = self.peek(index) else {
                // "if the stream ended inside a value (of a list as well, one that began in a
                // `follow_up` included)"
                let by = match list {
                    ListBody::Open(_) => By::StreamInsideValue,
                    ListBody::Blank | ListBody::No => By::StreamOutsideValue,
                };
                self.end(call, index, by);
                return index;
            };
            // "(and outside the strings of a list in `follow_up`)"
            let in_string = match list {
                ListBody::Open(start) => self.ends_in_string(start, index),
                ListBody::Blank | ListBody::No => false,
            };
            let tag = match c {
                '<' if in_string => self.find_tag(index, &all),
                '<' => self.find_tag(index, &all).or_else(|| self.ask_open(index)),
                _ => None,
            };
            let Some(tag) = tag else {
                // "before a tool's opening tag outside any value"
                if c == '<' && !in_string && self.tool_open(index).is_some() {
                    if let ListBody::Open(start) = list {
                        call.list = Some((start, index));
                    }
                    self.end(call, index, By::Tool);
                    return index;
                }
                // "Between parameters, text and unknown tags mean nothing." "So is [a list] the
                // body of a `follow_up` that holds no tag of ours and begins with `[`."
                if matches!(list, ListBody::Blank) && !is_blank(c) {
                    list = match c {
                        '[' => ListBody::Open(index),
                        _ => ListBody::No,
                    };
                }
                index += 1;
                continue;
            };
            if call.first_tag.is_none() {
                call.first_tag = Some(index);
            }
            // A tag of ours: an open list is none, or ends here.
            let last_list = list;
            list = ListBody::No;
            let cut = match (tag.side, tag.name) {
                // "A call ends after its close tag."
                (Close, Name::Ask) => {
                    if in_follow_up {
                        self.repair(&mut call, "UnclosedFollowUp");
                    }
                    // Decided: a list in the `follow_up` ends there too and is read, as one in
                    // `options` is.
                    if let ListBody::Open(start) = last_list {
                        self.list(&mut call, start, index);
                    }
                    self.end(call, tag.end, By::CloseTag);
                    return tag.end;
                }
                // "before a tool's opening tag outside any value"
                (Open, Name::Ask) => {
                    if let ListBody::Open(start) = last_list {
                        call.list = Some((start, index));
                    }
                    self.end(call, index, By::Tool);
                    return index;
                }
                (Open, Name::Question) => {
                    call.questions += 1;
                    if call.questions > 1 {
                        self.remark(&mut call, "RepeatedQuestion");
                    }
                    match tag.empty {
                        true => Ok(tag.end),
                        false => self.question(&mut call, tag.end),
                    }
                }
                // Decided: follow_ups do not nest. One that opens in another begins anew, the next
                // close tag closes it, and a further one closes nothing. `<follow_up/>` is
                // `<follow_up></follow_up>`.
                (Open, Name::FollowUp) => {
                    in_follow_up = !tag.empty;
                    if in_follow_up {
                        list = ListBody::Blank;
                    }
                    Ok(tag.end)
                }
                (Close, Name::FollowUp) => {
                    if in_follow_up {
                        if let ListBody::Open(start) = last_list {
                            self.list(&mut call, start, index);
                        }
                    } else {
                        self.repair(&mut call, "StrayCloseTag");
                    }
                    in_follow_up = false;
                    Ok(tag.end)
                }
                (Open, Name::Suggest) => {
                    // Decided: this holds for a blank suggestion too, as it is the tag that is out
                    // of place.
                    if !in_follow_up {
                        self.repair(&mut call, "OutsideFollowUp");
                    }
                    match tag.empty {
                        true => Ok(tag.end),
                        false => self.suggestion(&mut call, tag.end, tag.mode),
                    }
                }
                (Open, Name::Options) => match tag.empty {
                    true => {
                        self.list(&mut call, tag.end, tag.end);
                        Ok(tag.end)
                    }
                    false => self.options(&mut call, tag.end),
                },
                // "a parameter's close tag closed nothing"
                (Close, Name::Question | Name::Suggest | Name::Options) => {
                    self.repair(&mut call, "StrayCloseTag");
                    Ok(tag.end)
                }
                (_, Name::Content | Name::Mode) => unreachable!("not looked for"),
            };
            match cut {
                Ok(next) => index = next,
                Err(Cut) => {
                    let end = self.chars.len();
                    self.end(call, end, By::StreamInsideValue);
                    return end;
                }
            }
        }
    }

    /// The section "The end".
    pub(super) fn end(&mut self, mut call: OpenCall, index: usize, by: By) {
        if by == By::Tool {
            self.repair(&mut call, "UnclosedCall");
            if let Some((from, to)) = call.list {
                self.list(&mut call, from, to);
            }
        }
        // "The bare question: if the call has no `<question>`, the text between the opening tag and
        // the first parameter's tag, unless it is blank. It becomes known when the call ends."
        // Decided: it is taken, and then it is a repair, so that under the strict policy it has
        // been read.
        if call.wrong.is_none()
            && call.questions == 0
            && let Some(first_tag) = call.first_tag
        {
            let mut text: String = self.chars[call.body..first_tag].iter().map(|c| c.c).collect();
            if self.rules.decode_entities {
                text = decode_entities(&text);
            }
            let text = text.trim();
            if text.len() > self.rules.question {
                call.wrong = Some("too_long");
            } else if !text.is_empty() {
                for c in text.chars() {
                    self.shown.push(Atom::Question { call: self.calls, c });
                }
                call.question = Some(text.to_string());
                self.repair(&mut call, "BareQuestion");
            }
        }
        if by == By::StreamOutsideValue && call.question.is_some() {
            self.repair(&mut call, "StreamEnded");
        }

        let by_stream = by == By::StreamOutsideValue || by == By::StreamInsideValue;
        let reason = if call.wrong.is_some() {
            // "1. `Rejected` for the first thing that went wrong"
            call.wrong
        } else if by == By::StreamInsideValue || by_stream && call.question.is_none() {
            // "2. `Rejected`, truncated, if the stream ended inside a value [..], or if it ended
            // outside any value and there is no question, not even a bare one"
            Some("truncated")
        } else if call.question.is_none() {
            // "3. `Rejected`, missing parameter, if there is no question"
            Some("missing_parameter")
        } else {
            // "4. `Complete` otherwise."
            None
        };
        let ended = EndedCall {
            call: self.calls,
            span: (call.start as u64, self.byte(index) as u64),
            question: call.question,
            suggest: call.suggest,
            notes: call.notes,
        };
        self.calls += 1;
        self.shown.push(match reason {
            Some(reason) => Atom::Rejected(reason, ended),
            None => Atom::Complete(ended),
        });
    }

    // -------------------------------------------------------------------------------------- values

    /// Returns the next character of a value (an entity is one if entities are decoded), and the
    /// index after it.
    pub fn character(&self, index: usize) -> (char, usize) {
        if self.rules.decode_entities {
            let ahead: Vec<char> = self.chars[index..].iter().take(10).map(|c| c.c).collect();
            if let Some((c, length)) = entity(&ahead) {
                return (c, index + length);
            }
        }
        (self.chars[index].c, index + 1)
    }

    /// Returns the text of a value.
    pub(super) fn characters(&self, from: usize, to: usize) -> String {
        let mut text = String::new();
        let mut index = from;
        while index < to {
            let (c, next) = self.character(index);
            text.push(c);
            index = next;
        }
        text
    }

    /// Reads a value up to the next of the tags `ends`. An opening tag among them right after a
    /// back-tick is text, and a repair.
    ///
    /// `put` gets the text as it becomes certain. If the stream ends, the rest is text, without an
    /// incomplete tag.
    pub(super) fn stretch(
        &mut self,
        call: &mut OpenCall,
        from: usize,
        ends: &[Wanted],
        put: &mut dyn FnMut(&mut Self, &mut OpenCall, char),
    ) -> Result<(usize, Tag), Cut> {
        // The opening tags that would end the value. (`<content>` and `<mode>` end none.)
        let is_text_in_code = |wanted: &Wanted| wanted.0 == Open && !matches!(wanted.1, Name::Content | Name::Mode);
        let text_in_code: Vec<Wanted> = ends.iter().copied().filter(is_text_in_code).collect();
        let tags_in_code: Vec<Wanted> = ends.iter().copied().filter(|w| !is_text_in_code(w)).collect();
        let mut index = from;
        while index < self.chars.len() {
            if self.chars[index].c == '<' {
                let possible = if self.is_after_back_tick(index) {
                    if let Some(tag) = self.find_tag(index, &text_in_code) {
                        for c in self.characters(index, tag.end).chars() {
                            put(self, call, c);
                        }
                        self.repair(call, "TagInCode");
                        index = tag.end;
                        continue;
                    }
                    self.find(index, &tags_in_code)
                } else {
                    self.find(index, ends)
                };
                match possible {
                    Found::Tag(tag) => return Ok((index, tag)),
                    Found::Beginning(_) => return Err(Cut),
                    Found::Nothing => {}
                }
            }
            let (c, next) = self.character(index);
            put(self, call, c);
            index = next;
        }
        Err(Cut)
    }

    /// Reads a `<question>` from the index after its tag.
    pub(super) fn question(&mut self, call: &mut OpenCall, from: usize) -> Result<usize, Cut> {
        // "the first that is not blank is the question"; the text of a later one is not read
        let counts = call.question.is_none();
        let mut value = Value::new(self.rules.question);
        let mut put = |reader: &mut Self, call: &mut OpenCall, c: char| {
            if !counts || call.wrong.is_some() {
                return;
            }
            match value.push(c) {
                Err(TooLong) => call.wrong = Some("too_long"),
                Ok(known) => {
                    for c in known.chars() {
                        let call_number = reader.calls;
                        reader.shown.push(Atom::Question { call: call_number, c });
                        call.question.get_or_insert_with(String::new).push(c);
                    }
                }
            }
        };
        let (index, tag) = self.stretch(call, from, &QUESTION_ENDS, &mut put)?;
        if (tag.side, tag.name) == (Close, Name::Question) {
            return Ok(tag.end);
        }
        self.repair(call, "UnclosedQuestion");
        Ok(index)
    }

    /// Reads `<options>` from the index after its tag.
    pub(super) fn options(&mut self, call: &mut OpenCall, from: usize) -> Result<usize, Cut> {
        let (index, tag) = self.stretch(call, from, &OPTIONS_ENDS, &mut |_, _, _| {})?;
        if (tag.side, tag.name) == (Close, Name::Options) {
            self.list(call, from, index);
            return Ok(tag.end);
        }
        // Decided: under the strict policy nothing is read after the repair, so this list is not.
        self.repair(call, "UnclosedOptions");
        self.list(call, from, index);
        Ok(index)
    }

    /// Reads a `<suggest>` from the index after its tag.
    pub(super) fn suggestion(&mut self, call: &mut OpenCall, from: usize, mode: Option<String>) -> Result<usize, Cut> {
        // Decided: a suggestion beyond the limit has no limit for its answer or its mode.
        let kept = call.suggest.len() < self.rules.suggestions;
        let limit = if kept { self.rules.answer } else { usize::MAX };
        let mut suggestion = Suggestion { kept, answer: Value::new(limit), mode, i: None };

        // "A suggestion in which the first thing that is not blank is `<content>` or `<mode>` is
        // nested."
        // Decided: blank as it is written, so an entity is not. The beginning of such a tag at the
        // end of the stream is not text either.
        let mut first = from;
        while self.peek(first).is_some_and(is_blank) {
            first += 1;
        }
        if first == self.chars.len() {
            return Err(Cut);
        }
        match self.find(first, &NESTED_OPENS) {
            Found::Tag(_) => return self.nested(call, suggestion, first),
            Found::Beginning(_) => return Err(Cut),
            Found::Nothing => {}
        }

        let mut put = |reader: &mut Self, call: &mut OpenCall, c: char| reader.answer(call, &mut suggestion, c);
        let (index, tag) = self.stretch(call, from, &SUGGESTION_ENDS, &mut put)?;
        if (tag.side, tag.name) == (Close, Name::Suggest) {
            return Ok(tag.end);
        }
        self.repair(call, "UnclosedSuggestion");
        Ok(index)
    }

    /// Reads a nested suggestion from its first element on.
    pub(super) fn nested(
        &mut self,
        call: &mut OpenCall,
        mut suggestion: Suggestion,
        from: usize,
    ) -> Result<usize, Cut> {
        let ends = [&SUGGESTION_ENDS[..], &NESTED_OPENS[..], &NESTED_CLOSES[..]].concat();
        let mut contents = 0;
        let mut outside = String::new();
        let mut index = from;
        let next = loop {
            let mut put = |_: &mut Self, _: &mut OpenCall, c: char| outside.push(c);
            let (tag_at, tag) = self.stretch(call, index, &ends, &mut put)?;
            match (tag.side, tag.name) {
                (Close, Name::Suggest) => break tag.end,
                (Open, Name::Content) => {
                    contents += 1;
                    index = match tag.empty {
                        true => tag.end,
                        false => self.content(call, &mut suggestion, tag.end)?,
                    };
                }
                (Open, Name::Mode) => {
                    index = match tag.empty {
                        true => tag.end,
                        false => self.mode(call, &mut suggestion, tag.end)?,
                    };
                }
                // "or `</content>`, `</mode>` in a nested suggestion did"
                (Close, Name::Content | Name::Mode) => {
                    self.repair(call, "StrayCloseTag");
                    index = tag.end;
                }
                _ => {
                    self.repair(call, "UnclosedSuggestion");
                    break tag_at;
                }
            }
        };
        // "If it has no `<content>`, the text outside `<mode>` is [its answer]." It becomes known
        // only here.
        if contents == 0 {
            self.whole_answer(call, suggestion.mode, &outside);
        }
        Ok(next)
    }

    /// Reads a `<content>` from the index after its tag. "Both elements end at their own close tag,
    /// or with a repair at anything that ends the suggestion."
    pub(super) fn content(
        &mut self,
        call: &mut OpenCall,
        suggestion: &mut Suggestion,
        from: usize,
    ) -> Result<usize, Cut> {
        let ends = [&[(Close, Name::Content)], &SUGGESTION_ENDS[..]].concat();
        // "its `<content>` (the first that is not blank) is its answer"
        let counts = suggestion.answer.text.is_empty();
        let mut put = |reader: &mut Self, call: &mut OpenCall, c: char| {
            if counts {
                reader.answer(call, suggestion, c);
            }
        };
        let (index, tag) = self.stretch(call, from, &ends, &mut put)?;
        if (tag.side, tag.name) == (Close, Name::Content) {
            return Ok(tag.end);
        }
        self.repair(call, "UnclosedSuggestion");
        Ok(index)
    }

    /// Reads a `<mode>` from the index after its tag.
    pub(super) fn mode(&mut self, call: &mut OpenCall, suggestion: &mut Suggestion, from: usize) -> Result<usize, Cut> {
        let ends = [&[(Close, Name::Mode)], &SUGGESTION_ENDS[..]].concat();
        // "Its `<mode>` (the first that is not blank, an attribute before an element) is its mode."
        let counts = suggestion.mode.is_none();
        // Decided: the limit is passed here even if the suggestion turns out to be blank.
        let mut value = Value::new(suggestion.answer.limit);
        let mut put = |_: &mut Self, call: &mut OpenCall, c: char| {
            if counts && call.wrong.is_none() && value.push(c).is_err() {
                call.wrong = Some("too_long");
            }
        };
        let (index, tag) = self.stretch(call, from, &ends, &mut put)?;
        let next = if (tag.side, tag.name) == (Close, Name::Mode) {
            tag.end
        } else {
            self.repair(call, "UnclosedSuggestion");
            index
        };
        if counts && call.wrong.is_none() && !value.text.is_empty() {
            suggestion.mode = Some(value.text.clone());
            if let Some(i) = suggestion.i {
                call.suggest[i].1 = Some(value.text.clone());
                self.shown.push(Atom::Mode { call: self.calls, i, mode: value.text });
            }
        }
        Ok(next)
    }

    /// Reads a character of an answer that becomes certain as it comes.
    pub(super) fn answer(&mut self, call: &mut OpenCall, suggestion: &mut Suggestion, c: char) {
        if call.wrong.is_some() {
            return;
        }
        let known = match suggestion.answer.push(c) {
            Ok(known) => known,
            Err(TooLong) => {
                call.wrong = Some("too_long");
                return;
            }
        };
        // "A blank one does not exist."
        if known.is_empty() {
            return;
        }
        // "`SuggestionsDropped` (a suggestion beyond the limit)"
        if !suggestion.kept {
            self.remark(call, "SuggestionsDropped");
            return;
        }
        let i = match suggestion.i {
            Some(i) => i,
            None => self.new_suggestion(call, suggestion.mode.clone()),
        };
        suggestion.i = Some(i);
        self.add_to_answer(call, i, &known);
    }

    /// Reads an answer that becomes certain all at once.
    ///
    /// Decided: if it is too long, nothing of it has been certain before the character that is too
    /// much, so nothing of it is kept.
    pub(super) fn whole_answer(&mut self, call: &mut OpenCall, mode: Option<String>, text: &str) {
        if call.wrong.is_some() || text.trim().is_empty() {
            return;
        }
        if call.suggest.len() >= self.rules.suggestions {
            self.remark(call, "SuggestionsDropped");
            return;
        }
        if text.trim().len() > self.rules.answer {
            call.wrong = Some("too_long");
            return;
        }
        let i = self.new_suggestion(call, mode);
        self.add_to_answer(call, i, text.trim());
    }

    pub(super) fn new_suggestion(&mut self, call: &mut OpenCall, mode: Option<String>) -> usize {
        let i = call.suggest.len();
        call.suggest.push((String::new(), mode.clone()));
        if let Some(mode) = mode {
            self.shown.push(Atom::Mode { call: self.calls, i, mode });
        }
        i
    }

    pub(super) fn add_to_answer(&mut self, call: &mut OpenCall, i: usize, text: &str) {
        for c in text.chars() {
            self.shown.push(Atom::Answer { call: self.calls, i, c });
        }
        call.suggest[i].0.push_str(text);
    }

    /// Reads a text as a list.
    ///
    /// "if it is JSON (RFC 8259, nested no deeper than 128) its strings, numbers and booleans are
    /// suggestions, and other elements are skipped. A list [..] that can't be read [..] is dropped
    /// with a note".
    ///
    /// Decided: it is trimmed of blanks like any value before it is measured and read; a blank one
    /// can't be read; JSON that is no array can't either.
    pub(super) fn list(&mut self, call: &mut OpenCall, from: usize, to: usize) {
        if call.wrong.is_some() {
            return;
        }
        let text: String = self.chars[from..to].iter().map(|c| c.c).collect();
        let text = text.trim();
        // "The text of a list may be as long as all suggestions together (`answer` limit ×
        // `suggestions` limit); a longer one is dropped in the same way."
        let limit = self.rules.answer.saturating_mul(self.rules.suggestions);
        let items = match text.len() <= limit {
            true => json_list(text),
            false => None,
        };
        let Some(items) = items else {
            self.remark(call, "UnreadableList");
            return;
        };
        for item in items {
            let item = match self.rules.decode_entities {
                true => decode_entities(&item),
                false => item,
            };
            self.whole_answer(call, None, &item);
        }
    }
}
