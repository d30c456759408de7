//! What was shown, in a form in which equal means equal.

use alloc::borrow::ToOwned;
use alloc::collections::BTreeMap;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use super::stream::Suggested;
use crate::{Event, Events, Field, Note, Parser, Reason, Suggestions};

/// Everything that was shown of one stream, in normal form: what is shown of the same thing in direct succession is one [`Step`].
/// Two transcripts are equal if, and only if, the same was shown in the same order, however the events were split.
///
/// While it takes events it checks what each promises by itself: a partial extends the one before it, by its delta; what ends extends the
/// last partial; calls are counted from 0, each ends once; a note stands once. It holds all it was shown, and a partial costs time in proportion to its call so far: it is for
/// tests, not for services.
///
/// Its `Display` and its `Debug` are one line a step.
///
/// ```
/// use followup::testing::Transcript;
/// use followup::Parser;
///
/// let chunks = ["Hm. <ask_followup_question><question>Which", " one?</question><suggest mode='code'>Thi", "s</suggest></ask_followup_question>"];
/// let transcript = Transcript::of(&mut Parser::default(), chunks.map(str::as_bytes));
/// assert_eq!(transcript.to_string(), "text \"Hm. \"
/// question 0 \"Which one?\"
/// mode 0.0 \"code\"
/// suggestion 0.0 \"This\"
/// complete 0 at 4..117: \"Which one?\" [\"This\" code] [OutsideFollowUp]
/// ");
/// assert_eq!(transcript, Transcript::of(&mut Parser::default(), chunks.concat().bytes().map(|byte| [byte])));
/// ```
#[derive(Clone, Default, PartialEq)]
pub struct Transcript {
    steps: Vec<Step>,
    /// What has been shown of the calls that are open, by number.
    open: BTreeMap<u64, Shown>,
    /// How many calls have ended in order, and those that have ended before an earlier one, as in a provider's stream they can.
    ended: u64,
    ended_early: Vec<u64>,
    opaque: u64,
}

/// What was shown of one thing.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// Prose.
    Text(String),
    /// Another tool's call, or more of it.
    Opaque {
        /// Which of the stream's calls of other tools, from 0.
        nth: u64,
        /// The tool's name.
        tool: String,
        /// The provider's id.
        id: Option<String>,
        /// What was written.
        raw: String,
    },
    /// The question grew.
    Question {
        /// The number of the call.
        call: u64,
        /// By this.
        text: String,
    },
    /// The mode of a suggestion became known.
    Mode {
        /// The number of the call.
        call: u64,
        /// Which suggestion, from 0.
        nth: usize,
        /// The mode.
        mode: String,
    },
    /// A suggestion grew.
    Suggestion {
        /// The number of the call.
        call: u64,
        /// Which suggestion, from 0.
        nth: usize,
        /// By this.
        text: String,
    },
    /// A call may be acted on.
    Complete(Ended),
    /// A call can't be asked, for that reason.
    Rejected(Reason, Ended),
    /// What went wrong in a provider's stream: its code, and the message for people.
    Error(&'static str, String),
}

/// A call that has ended, and what was read of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// Its number.
    pub call: u64,
    /// The provider's id.
    pub id: Option<String>,
    /// Where it stood.
    pub span: Range<u64>,
    /// The question.
    pub question: Option<String>,
    /// The suggestions.
    pub suggestions: Vec<Suggested>,
    /// The remarks; none of a call that was rejected.
    pub notes: Vec<Note>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Shown {
    question: String,
    suggestions: Vec<Suggested>,
}

impl Transcript {
    /// What a parser shows of a stream that is fed in these chunks and ends.
    pub fn of(parser: &mut Parser, chunks: impl IntoIterator<Item = impl AsRef<[u8]>>) -> Transcript {
        let mut transcript = Transcript::default();
        for chunk in chunks {
            transcript.take(parser.feed_bytes(chunk.as_ref()));
        }
        transcript.take(parser.finish());
        transcript
    }

    /// What a response shows of a body that is fed in these chunks and ends.
    #[cfg(feature = "wire")]
    pub fn of_response(
        response: &mut crate::wire::ResponseParser,
        chunks: impl IntoIterator<Item = impl AsRef<[u8]>>,
    ) -> Transcript {
        let mut transcript = Transcript::default();
        for chunk in chunks {
            transcript.take_response(response.feed(chunk.as_ref()));
        }
        transcript.take_response(response.finish());
        transcript
    }

    /// Takes all that a parser shows of a chunk.
    ///
    /// # Panics
    ///
    /// If an event breaks what it promises; the message says which.
    #[track_caller]
    pub fn take(&mut self, mut events: Events<'_>) {
        while let Some(event) = events.next() {
            if let Event::Text(shown) | Event::Opaque(crate::Opaque { raw: shown, .. }) = event {
                assert!(self.open.is_empty(), "something else is shown inside of a call: {event:?}");
                assert!(!shown.is_empty(), "nothing is shown: {event:?}");
            }
            self.add(event);
            assert!(
                self.ended_early.is_empty() && self.open.keys().all(|&nth| nth == self.ended),
                "calls out of order"
            );
        }
    }

    /// Takes all that a response shows of a chunk. Its calls may overlap.
    ///
    /// # Panics
    ///
    /// If an event breaks what it promises; the message says which.
    #[cfg(feature = "wire")]
    #[track_caller]
    pub fn take_response(&mut self, mut events: crate::wire::Events<'_>) {
        while let Some(event) = events.next() {
            match event {
                Ok(event) => self.add(event),
                Err(error) => self.steps.push(Step::Error(error.code(), alloc::format!("{error}"))),
            }
        }
    }

    /// Takes an event that owns what it says.
    ///
    /// # Panics
    ///
    /// If it breaks what it promises; the message says which.
    #[cfg(feature = "stream")]
    #[track_caller]
    pub fn take_owned(&mut self, event: &crate::owned::Event) {
        use crate::owned::{self, Field};
        let suggested = |all: &[owned::Suggestion]| {
            all.iter()
                .map(|one| Suggested {
                    answer: one.answer[..].to_owned(),
                    mode: one.mode.as_deref().map(str::to_owned),
                })
                .collect()
        };
        match event {
            owned::Event::Text(text) => self.add_text(text),
            owned::Event::Opaque(owned::Opaque { tool, raw, start, id }) => {
                self.add_opaque(crate::Opaque { tool, raw, start: *start, id: id.as_deref() });
            }
            owned::Event::Partial(owned::Partial { index, field, delta, len, .. }) => {
                let has = match field {
                    Field::Question => self.grow_question(*index, delta).question.len(),
                    Field::Suggestion { index: i, mode } => {
                        self.grow_suggestion(*index, *i, mode.as_deref(), delta).suggestions[*i].answer.len()
                    }
                };
                assert_eq!(*len, has, "a length is not what the deltas add up to");
            }
            owned::Event::Complete(call) => self.complete_with(Ended {
                call: call.index,
                id: call.id.as_deref().map(str::to_owned),
                span: call.span.clone(),
                question: Some(call.question[..].to_owned()),
                suggestions: suggested(&call.suggestions),
                notes: call.notes.clone(),
            }),
            owned::Event::Rejected(call) => {
                let ended = Ended {
                    call: call.index,
                    id: call.id.as_deref().map(str::to_owned),
                    span: call.span.clone(),
                    question: call.question.as_deref().map(str::to_owned),
                    suggestions: suggested(&call.suggestions),
                    notes: Vec::new(),
                };
                self.end(&ended);
                self.steps.push(Step::Rejected(call.reason, ended));
            }
        }
    }

    /// Takes what comes of a provider's stream, owned.
    ///
    /// # Panics
    ///
    /// If an event breaks what it promises; the message says which.
    #[cfg(all(feature = "stream", feature = "wire"))]
    #[track_caller]
    pub fn take_owned_response(&mut self, said: &Result<crate::owned::Event, crate::owned::Error>) {
        match said {
            Ok(event) => self.take_owned(event),
            Err(error) => self.steps.push(Step::Error(error.view().code(), alloc::format!("{error}"))),
        }
    }

    /// What was shown, in order.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The calls that may be acted on.
    pub fn complete(&self) -> impl Iterator<Item = &Ended> {
        self.steps.iter().filter_map(|step| match step {
            Step::Complete(ended) => Some(ended),
            _ => None,
        })
    }

    /// Checks that every byte of the text a parser was fed belongs to exactly one thing shown, in order.
    ///
    /// ```
    /// use followup::testing::Transcript;
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
        let mut at = 0;
        for step in &self.steps {
            match step {
                Step::Text(raw) | Step::Opaque { raw, .. } => {
                    assert!(text[at..].starts_with(&**raw), "at {at} stands something else than {step}");
                    at += raw.len();
                }
                Step::Complete(ended) | Step::Rejected(_, ended) => {
                    assert_eq!(ended.span.start, at as u64, "{step} begins elsewhere");
                    assert!(!ended.span.is_empty() || text.is_empty(), "{step} is nowhere");
                    at = ended.span.end as usize;
                    assert!(text.is_char_boundary(at), "{step} ends in a character");
                }
                Step::Question { .. } | Step::Mode { .. } | Step::Suggestion { .. } | Step::Error(..) => {}
            }
        }
        assert_eq!(at, text.len(), "the end is not shown");
    }

    #[track_caller]
    fn add(&mut self, event: Event<'_>) {
        match event {
            Event::Text(text) => self.add_text(text),
            Event::Opaque(piece) => self.add_opaque(piece),
            Event::Partial(partial) => self.add_partial(partial),
            Event::Complete(call) => self.complete_with(Ended {
                call: call.nth(),
                id: call.id().map(str::to_owned),
                span: call.span(),
                question: Some(call.question().to_owned()),
                suggestions: owned(call.suggestions()),
                notes: call.notes().to_vec(),
            }),
            Event::Rejected(call) => {
                let ended = Ended {
                    call: call.nth(),
                    id: call.id().map(str::to_owned),
                    span: call.span(),
                    question: call.question().map(str::to_owned),
                    suggestions: owned(call.suggestions()),
                    notes: Vec::new(),
                };
                self.end(&ended);
                self.steps.push(Step::Rejected(call.reason(), ended));
            }
        }
    }

    #[track_caller]
    fn add_text(&mut self, text: &str) {
        assert!(!text.is_empty(), "an empty text is shown");
        match self.steps.last_mut() {
            Some(Step::Text(last)) => last.push_str(text),
            _ => self.steps.push(Step::Text(text.to_owned())),
        }
    }

    #[track_caller]
    fn complete_with(&mut self, ended: Ended) {
        let notes = &ended.notes;
        assert!((1..notes.len()).all(|i| !notes[..i].contains(&notes[i])), "a note stands twice: {notes:?}");
        self.end(&ended);
        self.steps.push(Step::Complete(ended));
    }

    #[track_caller]
    fn add_opaque(&mut self, piece: crate::Opaque<'_>) {
        assert!(piece.start || self.opaque > 0, "another tool's call begins without a start: {piece:?}");
        assert!(!piece.raw.is_empty() || piece.start, "an empty piece is shown: {piece:?}");
        let mut nth = self.opaque;
        if piece.start {
            self.opaque += 1;
        } else {
            // Calls with an id may overlap.
            let earlier = self.steps.iter().rev().find_map(|step| match step {
                Step::Opaque { nth, tool, id, .. } if *tool == piece.tool && id.as_deref() == piece.id => Some(*nth),
                _ => None,
            });
            nth = earlier.unwrap_or_else(|| panic!("a piece of a call that never began: {piece:?}"));
        }
        match self.steps.last_mut() {
            Some(Step::Opaque { nth: last, raw, .. }) if *last == nth => raw.push_str(piece.raw),
            _ => self.steps.push(Step::Opaque {
                nth,
                tool: piece.tool.to_owned(),
                id: piece.id.map(str::to_owned),
                raw: piece.raw.to_owned(),
            }),
        }
    }

    #[track_caller]
    fn add_partial(&mut self, partial: crate::Partial<'_>) {
        let newest = partial.suggestions().len().checked_sub(1);
        let shown = match partial.field() {
            Field::Question => self.grow_question(partial.nth(), partial.delta()),
            Field::Suggestion => {
                let nth = newest.expect("a suggestion grows, but there is none");
                let mode = partial.suggestions().get(nth).and_then(|one| one.mode);
                self.grow_suggestion(partial.nth(), nth, mode, partial.delta())
            }
        };
        assert_ne!(partial.question(), Some(""), "an empty question is shown");
        assert_eq!(
            partial.question().unwrap_or_default(),
            shown.question,
            "a question is not what its deltas add up to"
        );
        assert_same(partial.suggestions(), &shown.suggestions);
    }

    /// What has been shown of a call that is still open.
    #[track_caller]
    fn open(&mut self, call: u64) -> &mut Shown {
        assert!(call >= self.ended && !self.ended_early.contains(&call), "call {call} grows behind its end");
        self.open.entry(call).or_default()
    }

    #[track_caller]
    fn grow_question(&mut self, call: u64, delta: &str) -> &Shown {
        assert!(!delta.is_empty(), "a question grows by nothing");
        self.open(call).question.push_str(delta);
        match self.steps.last_mut() {
            Some(Step::Question { call: last, text }) if *last == call => text.push_str(delta),
            _ => self.steps.push(Step::Question { call, text: delta.to_owned() }),
        }
        &self.open[&call]
    }

    #[track_caller]
    fn grow_suggestion(&mut self, call: u64, nth: usize, mode: Option<&str>, delta: &str) -> &Shown {
        let shown = self.open(call);
        if nth == shown.suggestions.len() {
            shown.suggestions.push(Suggested::default());
        }
        assert_eq!(nth + 1, shown.suggestions.len(), "a suggestion is left out, or taken back");
        let newest = &mut shown.suggestions[nth];
        let mode = mode.filter(|_| newest.mode.is_none());
        assert!(mode.is_some() || !delta.is_empty(), "a suggestion grows by nothing");
        newest.answer.push_str(delta);
        if let Some(mode) = mode {
            newest.mode = Some(mode.to_owned());
            self.steps.push(Step::Mode { call, nth, mode: mode.to_owned() });
        }
        match self.steps.last_mut() {
            _ if delta.is_empty() => {}
            Some(Step::Suggestion { call: last, nth: i, text }) if (*last, *i) == (call, nth) => text.push_str(delta),
            _ => self.steps.push(Step::Suggestion { call, nth, text: delta.to_owned() }),
        }
        &self.open[&call]
    }

    #[track_caller]
    fn end(&mut self, ended: &Ended) {
        let (call, span) = (ended.call, &ended.span);
        assert!(call >= self.ended && !self.ended_early.contains(&call), "call {call} ends twice");
        assert!(span.start <= span.end, "a call ends before it begins: {span:?}");
        let shown = self.open.remove(&call).unwrap_or_default();
        assert_eq!(ended.question.as_deref().unwrap_or_default(), shown.question, "a call ends with another question");
        assert_eq!(ended.suggestions, shown.suggestions, "a call ends with other suggestions");
        self.ended_early.push(call);
        while let Some(at) = self.ended_early.iter().position(|&early| early == self.ended) {
            self.ended_early.swap_remove(at);
            self.ended += 1;
        }
    }
}

fn owned(suggestions: Suggestions<'_>) -> Vec<Suggested> {
    let all: Vec<Suggested> = suggestions
        .iter()
        .map(|one| Suggested { answer: one.answer.to_owned(), mode: one.mode.map(str::to_owned) })
        .collect();
    assert_eq!((all.len(), all.is_empty()), (suggestions.len(), suggestions.is_empty()), "suggestions are miscounted");
    all
}

#[track_caller]
fn assert_same(suggestions: Suggestions<'_>, shown: &[Suggested]) {
    assert_eq!(suggestions.len(), shown.len(), "suggestions are miscounted");
    let same = suggestions
        .iter()
        .zip(shown)
        .all(|(one, shown)| (one.answer, one.mode) == (&shown.answer, shown.mode.as_deref()));
    assert!(same, "suggestions are not what their deltas add up to: {suggestions:?}, {shown:?}");
}

impl fmt::Display for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.steps.iter().try_for_each(|step| writeln!(f, "{step}"))
    }
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Step::Text(text) => write!(f, "text {text:?}"),
            Step::Opaque { nth, tool, id: None, raw } => write!(f, "opaque {nth} {tool} {raw:?}"),
            Step::Opaque { nth, tool, id: Some(id), raw } => write!(f, "opaque {nth} {tool} ({id}) {raw:?}"),
            Step::Question { call, text } => write!(f, "question {call} {text:?}"),
            Step::Mode { call, nth, mode } => write!(f, "mode {call}.{nth} {mode:?}"),
            Step::Suggestion { call, nth, text } => write!(f, "suggestion {call}.{nth} {text:?}"),
            Step::Complete(ended) => write!(f, "complete {ended}"),
            Step::Rejected(reason, ended) => write!(f, "rejected {} {ended}", reason.code()),
            Step::Error(code, message) => write!(f, "error {code} {message:?}"),
        }
    }
}

impl fmt::Display for Ended {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.call)?;
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
