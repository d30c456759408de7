//! The events of a stream in a normal form, in which equal means equal.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use crate::stream::Suggestion;
use followup::{Event, Events, Field, Note, Parser, Reason, Suggestions};

/// The events of one stream in a normal form.
///
/// Successive events of one thing are joined to one [`Entry`]: two transcripts are equal if and
/// only if the same was shown in the same order, however the events were split.
///
/// A transcript checks what each event promises: a partial extends the one before it by its delta;
/// the end of a call extends its last partial; calls are numbered from 0, and each ends once; a
/// note occurs once. It keeps all events, and an event of a call costs time in proportion to the
/// call: it is for tests.
///
/// `Display` and `Debug` write one line per entry.
///
/// ```
/// use followup_testing::Transcript;
/// use followup::Parser;
///
/// let chunks = [
///     "Hm. <ask_followup_question><question>Which",
///     " one?</question><suggest mode='code'>Thi",
///     "s</suggest></ask_followup_question>",
/// ];
/// let transcript = Transcript::of(&mut Parser::default(), chunks.map(str::as_bytes));
/// assert_eq!(transcript.to_string(), "text \"Hm. \"
/// question 0 \"Which one?\"
/// mode 0.0 \"code\"
/// suggestion 0.0 \"This\"
/// complete 0 at 4..117: \"Which one?\" [\"This\" code] [OutsideFollowUp]
/// ");
/// let bytes = chunks.concat().into_bytes();
/// assert_eq!(transcript, Transcript::of(&mut Parser::default(), bytes.chunks(1)));
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Transcript {
    entries: Vec<Entry>,
    /// What has been shown of the open calls, by index.
    open: BTreeMap<u64, Shown>,
    /// All calls with an index below this have ended.
    ended: u64,
    /// Later calls that have ended: in a provider's stream calls overlap.
    ended_early: Vec<u64>,
    /// The number of calls of other tools.
    opaque: u64,
}

/// An entry of a [`Transcript`]: what was shown of one thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Entry {
    /// Prose.
    Text(String),
    /// A call of another tool, or the next part of one.
    Opaque {
        /// The index of the call among those of other tools.
        index: u64,
        /// The tool's name.
        tool: String,
        /// The provider's id of the call.
        id: Option<String>,
        /// The raw markup or arguments.
        raw: String,
    },
    /// The question grew.
    Question {
        /// The index of the call.
        call: u64,
        /// The text it grew by.
        text: String,
    },
    /// The mode of a suggestion became known.
    Mode {
        /// The index of the call.
        call: u64,
        /// The index of the suggestion.
        index: usize,
        /// The mode.
        mode: String,
    },
    /// A suggestion grew.
    Suggestion {
        /// The index of the call.
        call: u64,
        /// The index of the suggestion.
        index: usize,
        /// The text it grew by.
        text: String,
    },
    /// A call is complete.
    Complete(Call),
    /// A call was rejected for this reason.
    Rejected(Reason, Call),
    /// An error in a provider's stream: its code and its message.
    Error(&'static str, String),
}

/// A call that has ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The index of the call.
    pub index: u64,
    /// The provider's id.
    pub id: Option<String>,
    /// The bytes of the stream that the call occupies.
    pub span: Range<u64>,
    /// The question.
    pub question: Option<String>,
    /// The suggestions.
    pub suggestions: Vec<Suggestion>,
    /// The notes; a rejected call has none.
    pub notes: Vec<Note>,
}

/// What has been shown of an open call.
#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    question: String,
    suggestions: Vec<Suggestion>,
}

impl Transcript {
    /// Feeds a parser these chunks, finishes it, and returns what it shows.
    pub fn of(parser: &mut Parser, chunks: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Transcript {
        let mut transcript = Transcript::default();
        for chunk in chunks {
            transcript.append(parser.feed_bytes(chunk.as_ref()));
        }
        transcript.append(parser.finish());
        transcript
    }

    /// Feeds a response these chunks of its body, finishes it, and returns what it shows.
    pub fn of_response(
        response: &mut followup::wire::ResponseParser,
        chunks: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Transcript {
        let mut transcript = Transcript::default();
        for chunk in chunks {
            transcript.append_response(response.feed(chunk.as_ref()));
        }
        transcript.append_response(response.finish());
        transcript
    }

    /// Appends all events of a chunk.
    ///
    /// # Panics
    ///
    /// If an event breaks a promise; the message says which.
    #[track_caller]
    pub fn append(&mut self, mut events: Events<'_>) {
        while let Some(event) = events.next() {
            if let Event::Text(shown) | Event::Opaque(followup::Opaque { raw: shown, .. }) = event {
                assert!(self.open.is_empty(), "an event of no call is shown inside a call: {event:?}");
                assert!(!shown.is_empty(), "an empty event is shown: {event:?}");
            }
            self.add(event);
            assert!(
                self.ended_early.is_empty() && self.open.keys().all(|&index| index == self.ended),
                "calls out of order"
            );
        }
    }

    /// Appends all events of a chunk of a provider's body. Its calls may overlap.
    ///
    /// # Panics
    ///
    /// If an event breaks a promise; the message says which.
    #[track_caller]
    pub fn append_response(&mut self, mut events: followup::wire::Events<'_>) {
        while let Some(event) = events.next() {
            match event {
                Ok(event) => self.add(event),
                Err(error) => self.entries.push(Entry::Error(error.code(), format!("{error}"))),
            }
        }
    }

    /// Appends an owned event.
    ///
    /// # Panics
    ///
    /// If the event breaks a promise; the message says which.
    #[track_caller]
    pub fn append_owned(&mut self, event: &followup::owned::Event) {
        use followup::owned::{self, Field};
        let to_suggestions = |all: &[owned::Suggestion]| {
            all.iter()
                .map(|one| Suggestion {
                    answer: one.answer[..].to_owned(),
                    mode: one.mode.as_deref().map(str::to_owned),
                })
                .collect()
        };
        match event {
            owned::Event::Text(text) => self.add_text(text),
            owned::Event::Opaque(owned::Opaque { tool, raw, start, id, .. }) => {
                self.add_opaque(followup::Opaque { tool, raw, start: *start, id: id.as_deref() });
            }
            owned::Event::Partial(owned::Partial { index, field, delta, len, .. }) => {
                let has = match field {
                    Field::Question => self.append_question(*index, delta).question.len(),
                    Field::Suggestion { index: i, mode } => {
                        self.append_suggestion(*index, *i, mode.as_deref(), delta).suggestions[*i].answer.len()
                    }
                    field => panic!("a call of ask_followup_question has no {field:?}"),
                };
                assert_eq!(*len, has, "a length is not what the deltas add up to");
            }
            owned::Event::Complete(call) => self.add_complete(Call {
                index: call.index,
                id: call.id.as_deref().map(str::to_owned),
                span: call.span.clone(),
                question: Some(call.question[..].to_owned()),
                suggestions: to_suggestions(&call.suggestions),
                notes: call.notes.clone(),
            }),
            owned::Event::Rejected(call) => {
                let ended = Call {
                    index: call.index,
                    id: call.id.as_deref().map(str::to_owned),
                    span: call.span.clone(),
                    question: call.question.as_deref().map(str::to_owned),
                    suggestions: to_suggestions(&call.suggestions),
                    notes: Vec::new(),
                };
                self.end(&ended);
                self.entries.push(Entry::Rejected(call.reason, ended));
            }
        }
    }

    /// Appends an owned event or error of a provider's body.
    ///
    /// # Panics
    ///
    /// If an event breaks a promise; the message says which.
    #[track_caller]
    pub fn append_owned_response(&mut self, event: &Result<followup::owned::Event, followup::owned::Error>) {
        match event {
            Ok(event) => self.append_owned(event),
            Err(error) => self.entries.push(Entry::Error(error.view().code(), format!("{error}"))),
        }
    }

    /// Returns the entries, in order.
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the complete calls.
    pub fn complete(&self) -> impl Iterator<Item = &Call> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Complete(call) => Some(call),
            _ => None,
        })
    }

    /// Asserts that every byte of the text belongs to exactly one entry, in order.
    ///
    /// ```
    /// use followup_testing::Transcript;
    /// use followup::Parser;
    ///
    /// let message = "a < b? <read_file></read_file> <ask_followup_question><question>Cut";
    /// Transcript::of(&mut Parser::default(), [message]).assert_adds_up_to(message);
    /// ```
    ///
    /// # Panics
    ///
    /// If a byte is lost, changed, moved or shown twice.
    #[track_caller]
    pub fn assert_adds_up_to(&self, text: &str) {
        let mut offset = 0;
        for entry in &self.entries {
            match entry {
                Entry::Text(raw) | Entry::Opaque { raw, .. } => {
                    assert!(text[offset..].starts_with(&**raw), "the text at {offset} is not that of {entry}");
                    offset += raw.len();
                }
                Entry::Complete(call) | Entry::Rejected(_, call) => {
                    assert_eq!(call.span.start, offset as u64, "{entry} starts at another offset");
                    assert!(!call.span.is_empty() || text.is_empty(), "{entry} has an empty span");
                    offset = call.span.end as usize;
                    assert!(text.is_char_boundary(offset), "{entry} ends inside a character");
                }
                Entry::Question { .. } | Entry::Mode { .. } | Entry::Suggestion { .. } | Entry::Error(..) => {}
            }
        }
        assert_eq!(offset, text.len(), "the end is not shown");
    }

    #[track_caller]
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.add_text(text),
            Event::Opaque(piece) => self.add_opaque(piece),
            Event::Partial(partial) => self.add_partial(partial),
            Event::Complete(call) => self.add_complete(Call {
                index: call.index(),
                id: call.id().map(str::to_owned),
                span: call.span(),
                question: Some(call.question().to_owned()),
                suggestions: owned(call.suggestions()),
                notes: call.notes().to_vec(),
            }),
            Event::Rejected(call) => {
                let ended = Call {
                    index: call.index(),
                    id: call.id().map(str::to_owned),
                    span: call.span(),
                    question: call.question().map(str::to_owned),
                    suggestions: owned(call.suggestions()),
                    notes: Vec::new(),
                };
                self.end(&ended);
                self.entries.push(Entry::Rejected(call.reason(), ended));
            }
        }
    }

    #[track_caller]
    fn add_text(&mut self, text: &str) {
        assert!(!text.is_empty(), "an empty text is shown");
        match self.entries.last_mut() {
            Some(Entry::Text(last)) => last.push_str(text),
            _ => self.entries.push(Entry::Text(text.to_owned())),
        }
    }

    #[track_caller]
    fn add_complete(&mut self, call: Call) {
        let notes = &call.notes;
        assert!((1..notes.len()).all(|i| !notes[..i].contains(&notes[i])), "a note occurs twice: {notes:?}");
        self.end(&call);
        self.entries.push(Entry::Complete(call));
    }

    #[track_caller]
    fn add_opaque(&mut self, piece: followup::Opaque<'_>) {
        assert!(piece.start || self.opaque > 0, "a call of another tool begins without a start: {piece:?}");
        assert!(!piece.raw.is_empty() || piece.start, "an empty piece is shown: {piece:?}");
        let mut index = self.opaque;
        if piece.start {
            self.opaque += 1;
        } else {
            // Calls with an id may overlap.
            let earlier = self.entries.iter().rev().find_map(|entry| match entry {
                Entry::Opaque { index, tool, id, .. } if *tool == piece.tool && id.as_deref() == piece.id => {
                    Some(*index)
                }
                _ => None,
            });
            index = earlier.unwrap_or_else(|| panic!("a piece of a call that never began: {piece:?}"));
        }
        match self.entries.last_mut() {
            Some(Entry::Opaque { index: last, raw, .. }) if *last == index => raw.push_str(piece.raw),
            _ => self.entries.push(Entry::Opaque {
                index,
                tool: piece.tool.to_owned(),
                id: piece.id.map(str::to_owned),
                raw: piece.raw.to_owned(),
            }),
        }
    }

    #[track_caller]
    fn add_partial(&mut self, partial: followup::Partial<'_>) {
        // Of a call that a shape reads, the first question and its suggestions are recorded.
        let is_recorded = !partial.delta().is_empty()
            && partial.question_index() == 0
            && matches!(partial.field(), Field::Question | Field::Suggestion);
        if partial.shape().is_some() && !is_recorded {
            return;
        }
        let newest = partial.suggestions().len().checked_sub(1);
        let shown = match partial.field() {
            Field::Question => self.append_question(partial.index(), partial.delta()),
            Field::Suggestion => {
                let index = newest.expect("a suggestion grows, but there is none");
                let mode = partial.suggestions().get(index).and_then(|one| one.mode);
                self.append_suggestion(partial.index(), index, mode, partial.delta())
            }
            field => panic!("a call of ask_followup_question has no {field:?}"),
        };
        assert_ne!(partial.question(), Some(""), "an empty question is shown");
        assert_eq!(
            partial.question().unwrap_or_default(),
            shown.question,
            "a question is not what its deltas add up to"
        );
        assert_same(partial.suggestions(), &shown.suggestions);
    }

    /// Returns what has been shown of an open call.
    #[track_caller]
    fn open(&mut self, call: u64) -> &mut Shown {
        assert!(call >= self.ended && !self.ended_early.contains(&call), "call {call} grows after its end");
        self.open.entry(call).or_default()
    }

    #[track_caller]
    fn append_question(&mut self, call: u64, delta: &str) -> &Shown {
        assert!(!delta.is_empty(), "a question grows by nothing");
        self.open(call).question.push_str(delta);
        match self.entries.last_mut() {
            Some(Entry::Question { call: last, text }) if *last == call => text.push_str(delta),
            _ => self.entries.push(Entry::Question { call, text: delta.to_owned() }),
        }
        &self.open[&call]
    }

    #[track_caller]
    fn append_suggestion(&mut self, call: u64, index: usize, mode: Option<&str>, delta: &str) -> &Shown {
        let shown = self.open(call);
        if index == shown.suggestions.len() {
            shown.suggestions.push(Suggestion::default());
        }
        assert_eq!(index + 1, shown.suggestions.len(), "a suggestion is skipped, or taken back");
        let newest = &mut shown.suggestions[index];
        let mode = mode.filter(|_| newest.mode.is_none());
        assert!(mode.is_some() || !delta.is_empty(), "a suggestion grows by nothing");
        newest.answer.push_str(delta);
        if let Some(mode) = mode {
            newest.mode = Some(mode.to_owned());
            self.entries.push(Entry::Mode { call, index, mode: mode.to_owned() });
        }
        match self.entries.last_mut() {
            _ if delta.is_empty() => {}
            Some(Entry::Suggestion { call: last, index: i, text }) if (*last, *i) == (call, index) => {
                text.push_str(delta)
            }
            _ => self.entries.push(Entry::Suggestion { call, index, text: delta.to_owned() }),
        }
        &self.open[&call]
    }

    #[track_caller]
    fn end(&mut self, ended: &Call) {
        let (call, span) = (ended.index, &ended.span);
        assert!(call >= self.ended && !self.ended_early.contains(&call), "call {call} ends twice");
        assert!(span.start <= span.end, "a call ends before it begins: {span:?}");
        let shown = self.open.remove(&call).unwrap_or_default();
        assert_eq!(ended.question.as_deref().unwrap_or_default(), shown.question, "a call ends with another question");
        assert_eq!(ended.suggestions, shown.suggestions, "a call ends with other suggestions");
        self.ended_early.push(call);
        while let Some(index) = self.ended_early.iter().position(|&early| early == self.ended) {
            self.ended_early.swap_remove(index);
            self.ended += 1;
        }
    }
}

fn owned(suggestions: Suggestions<'_>) -> Vec<Suggestion> {
    let all: Vec<Suggestion> = suggestions
        .iter()
        .map(|one| Suggestion { answer: one.answer.to_owned(), mode: one.mode.map(str::to_owned) })
        .collect();
    assert_eq!((all.len(), all.is_empty()), (suggestions.len(), suggestions.is_empty()), "suggestions are miscounted");
    all
}

#[track_caller]
fn assert_same(suggestions: Suggestions<'_>, shown: &[Suggestion]) {
    assert_eq!(suggestions.len(), shown.len(), "suggestions are miscounted");
    let same = suggestions
        .iter()
        .zip(shown)
        .all(|(one, shown)| (one.answer, one.mode) == (&shown.answer, shown.mode.as_deref()));
    assert!(same, "suggestions are not what their deltas add up to: {suggestions:?}, {shown:?}");
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entries.iter().try_for_each(|entry| writeln!(f, "{entry}"))
    }
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Entry::Text(text) => write!(f, "text {text:?}"),
            Entry::Opaque { index, tool, id: None, raw } => write!(f, "opaque {index} {tool} {raw:?}"),
            Entry::Opaque { index, tool, id: Some(id), raw } => write!(f, "opaque {index} {tool} ({id}) {raw:?}"),
            Entry::Question { call, text } => write!(f, "question {call} {text:?}"),
            Entry::Mode { call, index, mode } => write!(f, "mode {call}.{index} {mode:?}"),
            Entry::Suggestion { call, index, text } => write!(f, "suggestion {call}.{index} {text:?}"),
            Entry::Complete(call) => write!(f, "complete {call}"),
            Entry::Rejected(reason, call) => write!(f, "rejected {} {call}", reason.code()),
            Entry::Error(code, message) => write!(f, "error {code} {message:?}"),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.index)?;
        if let Some(id) = &self.id {
            write!(f, " ({id})")?;
        }
        write!(f, " at {}..{}: ", self.span.start, self.span.end)?;
        match &self.question {
            Some(question) => write!(f, "{question:?} [")?,
            None => f.write_str("no question [")?,
        }
        for (i, one) in self.suggestions.iter().enumerate() {
            let gap = if i == 0 { "" } else { ", " };
            let (space, mode) = one.mode.as_deref().map_or(("", ""), |mode| (" ", mode));
            write!(f, "{gap}{:?}{space}{mode}", one.answer)?;
        }
        write!(f, "] {:?}", self.notes)
    }
}
