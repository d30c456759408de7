//! Events: views that borrow from the parser.

use core::fmt;
use core::ops::Range;

use crate::call::{Addition, Call, Field, View};
use crate::config::Envelope;
use crate::note::{self, Note};
use crate::reason::Reason;

/// What happened in the stream.
///
/// An event borrows from the parser and the chunk; nothing is copied. The enum is exhaustive on
/// purpose: events get lost in a `_ =>` arm.
///
/// ```
/// use followup::{Event, Parser};
///
/// let mut parser = Parser::default();
/// let mut shown = Vec::new();
/// for chunk in [
///     "Hm. <ask_followup_question><ques",
///     "tion>Which one?</question></ask_foll",
///     "owup_question>",
/// ] {
///     let mut events = parser.feed(chunk);
///     while let Some(event) = events.next() {
///         shown.push(match event {
///             Event::Text(text) => format!("text {text:?}"),
///             Event::Opaque(piece) => format!("{} {:?}", piece.tool, piece.raw),
///             Event::Partial(call) => format!("{:?} so far", call.question().unwrap()),
///             Event::Complete(call) => format!("{:?} at {:?}", call.question(), call.span()),
///             Event::Rejected(call) => format!("{}", call.reason()),
///         });
///     }
/// }
/// assert_eq!(shown, ["text \"Hm. \"", "\"Which one?\" so far", "\"Which one?\" at 4..82"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event<'a> {
    /// Prose, to be shown as it is.
    Text(&'a str),
    /// A piece of another tool's call: not prose, and not ours.
    Opaque(Opaque<'a>),
    /// More of the open call is certain. It is only to be shown: never act on it.
    Partial(Partial<'a>),
    /// The call is closed and valid. The one event to act on.
    Complete(Complete<'a>),
    /// The call has ended, and its question can't be asked.
    Rejected(Rejected<'a>),
}

impl<'a> Event<'a> {
    /// Creates the event of an open call to which `delta` was added.
    pub(crate) fn partial(call: &'a Call, index: u64, delta: Addition) -> Event<'a> {
        Event::Partial(Partial { call, index, id: None, delta })
    }

    /// Creates the event of a call's end: a rejection if the call failed or has no question.
    pub(crate) fn ended(call: &'a Call, index: u64, end: u64) -> Event<'a> {
        if !call.has_failed() && call.question().is_some() {
            Event::Complete(Complete { call, index, id: None, end })
        } else {
            Event::Rejected(Rejected { call, index, id: None, end, reason: call.reason() })
        }
    }

    /// Creates the event of the end of a call instead of which another one counts.
    #[cfg(feature = "wire")]
    pub(crate) fn superseded(call: &'a Call, index: u64, end: u64) -> Event<'a> {
        Event::Rejected(Rejected { call, index, id: None, end, reason: Reason::Superseded })
    }

    /// Returns the event with this index and id, if it is one of a call.
    #[cfg(feature = "wire")]
    pub(crate) fn of(self, index: u64, id: Option<&'a str>) -> Event<'a> {
        match self {
            Event::Text(_) | Event::Opaque(_) => self,
            Event::Partial(call) => Event::Partial(Partial { index, id, ..call }),
            Event::Complete(call) => Event::Complete(Complete { index, id, ..call }),
            Event::Rejected(call) => Event::Rejected(Rejected { index, id, ..call }),
        }
    }
}

/// A piece of another tool's call, as the model wrote it.
///
/// The pieces of one call add up to its markup, byte for byte. Nothing is copied.
///
/// ```
/// use followup::{Event, Parser};
///
/// let call = "<read_file><path>a.rs</path></read_file>";
/// let mut parser = Parser::default();
/// let (mut raw, mut starts) = (String::new(), 0);
/// for chunk in [&call[..7], &call[7..20], &call[20..], " Done."] {
///     let mut events = parser.feed(chunk);
///     while let Some(event) = events.next() {
///         if let Event::Opaque(piece) = event {
///             assert_eq!(piece.tool, "read_file");
///             starts += usize::from(piece.start);
///             raw.push_str(piece.raw);
///         }
///     }
/// }
/// assert_eq!((&*raw, starts), (call, 1));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opaque<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The text of the piece.
    ///
    /// The pieces of one call add up to its markup, or to the arguments of a native call, byte for
    /// byte. Only the first piece of a native call may be empty.
    pub raw: &'a str,
    /// `true` for the first piece of a call.
    pub start: bool,
    /// The provider's id of a native call in a provider's stream.
    ///
    /// Such calls may overlap; the id tells their pieces apart.
    pub id: Option<&'a str>,
}

/// The part of the open call that is certain, and what is new in it.
///
/// Each partial of a call extends the one before it, and [`Complete`] extends the last: the
/// question only grows at its end, and only the newest suggestion grows. The deltas add up to the
/// whole. All methods are O(1) and copy nothing.
///
/// ```
/// use followup::{Event, Field, Parser};
///
/// let message = "<ask_followup_question><question>Tea < coffee? </question>\
///     <suggest mode='ask'>No idea";
/// let mut parser = Parser::default();
/// let (mut question, mut answer) = (String::new(), String::new());
/// for byte in message.bytes() {
///     let chunk = [byte];
///     let mut events = parser.feed_bytes(&chunk);
///     while let Some(event) = events.next() {
///         let Event::Partial(call) = event else { panic!("{event:?}") };
///         match call.field() {
///             Field::Question => question.push_str(call.delta()),
///             Field::Suggestion => answer.push_str(call.delta()),
///         }
///         assert_eq!(call.question(), Some(&*question), "text that was shown stays");
///         if let Some(newest) = call.suggestions().iter().last() {
///             assert_eq!((newest.answer, newest.mode), (&*answer, Some("ask")));
///         }
///     }
/// }
/// assert_eq!((&*question, &*answer), ("Tea < coffee?", "No idea"));
/// ```
#[derive(Clone, Copy)]
pub struct Partial<'a> {
    pub(crate) call: &'a Call,
    pub(crate) index: u64,
    pub(crate) id: Option<&'a str>,
    pub(crate) delta: Addition,
}

impl<'a> Partial<'a> {
    /// Returns the index of the call in the stream, from 0; that of its end is the same.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Returns the provider's id of the call, if it is a native call in a provider's stream.
    pub fn id(&self) -> Option<&'a str> {
        self.id
    }

    /// Returns the field that grew.
    pub fn field(&self) -> Field {
        self.delta.0
    }

    /// Returns the text that was added: the end of the question, or of the newest answer.
    ///
    /// It is empty if of the newest suggestion only its mode, or only that it exists, became known.
    pub fn delta(&self) -> &'a str {
        self.call.text(self.delta.1)
    }

    /// Returns the question so far; `None` until its first character is certain.
    pub fn question(&self) -> Option<&'a str> {
        self.call.shown_question()
    }

    /// Returns the suggestions so far. Only the last one may still change.
    pub fn suggestions(&self) -> Suggestions<'a> {
        Suggestions { call: self.call, view: View::Shown }
    }

    /// Returns the questions so far, each with its suggestions.
    pub fn questions(&self) -> Questions<'a> {
        Questions { call: self.call, view: View::Shown }
    }
}

/// A call that is closed and valid.
///
/// It extends the last [`Partial`] of the call. All methods are O(1) and copy nothing.
///
/// ```
/// use followup::{Event, Note, Parser};
///
/// let message = "Hm. <ask_followup_question><question>Which?</question>\
///     <suggest>A</ask_followup_question>";
/// let mut is_complete = false;
/// let mut parser = Parser::default();
/// let mut events = parser.feed(message);
/// while let Some(event) = events.next() {
///     if let Event::Complete(call) = event {
///         assert_eq!((call.index(), call.span()), (0, 4..message.len() as u64));
///         assert_eq!((call.question(), call.suggestions().len()), ("Which?", 1));
///         assert_eq!(call.notes(), [Note::OutsideFollowUp, Note::UnclosedSuggestion]);
///         is_complete = true;
///     }
/// }
/// assert!(is_complete);
/// ```
#[derive(Clone, Copy)]
pub struct Complete<'a> {
    pub(crate) call: &'a Call,
    pub(crate) index: u64,
    pub(crate) id: Option<&'a str>,
    pub(crate) end: u64,
}

impl<'a> Complete<'a> {
    /// Returns the index of the call in the stream, from 0.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Returns the provider's id of the call, if it is a native call in a provider's stream.
    pub fn id(&self) -> Option<&'a str> {
        self.id
    }

    /// Returns the bytes of the stream that the call occupies.
    pub fn span(&self) -> Range<u64> {
        self.call.start..self.end
    }

    /// Returns the question, trimmed. It is not empty.
    pub fn question(&self) -> &'a str {
        self.call.question().unwrap_or_default()
    }

    /// Returns the suggested answers. A call without any is normal.
    pub fn suggestions(&self) -> Suggestions<'a> {
        Suggestions { call: self.call, view: View::Whole }
    }

    /// Returns the questions, each with its suggestions.
    ///
    /// [`question`](Complete::question) and [`suggestions`](Complete::suggestions) are those of the
    /// first.
    pub fn questions(&self) -> Questions<'a> {
        Questions { call: self.call, view: View::Whole }
    }

    /// Returns what was repaired in the call or dropped from it, in order. No note occurs twice.
    pub fn notes(&self) -> &'a [Note] {
        self.call.notes()
    }

    /// Returns the family of the envelope that the call came in; `None` if it came in none.
    ///
    /// Such a call came as text, because the model's server has no parser for the model's calls.
    /// It is that of [`Note::Envelope`].
    ///
    /// ```
    /// use followup::{Envelope, Event, Parser};
    ///
    /// let message = "<tool_call>{\"name\": \"ask_followup_question\", \
    ///     \"arguments\": {\"question\": \"Which?\"}}</tool_call>";
    /// let (mut parser, mut envelope) = (Parser::default(), None);
    /// for chunk in [message, "\n"] {
    ///     parser.feed(chunk).for_each(|event| {
    ///         if let Event::Complete(call) = event {
    ///             envelope = call.envelope();
    ///         }
    ///     });
    /// }
    /// assert_eq!(envelope, Some(Envelope::Hermes));
    /// ```
    pub fn envelope(&self) -> Option<Envelope> {
        note::envelope(self.notes())
    }
}

/// A call that has ended, and whose question can't be asked.
///
/// Parsing continues after the call. All methods are O(1) and copy nothing.
///
/// ```
/// use followup::{Event, Parser, CallPart, Reason};
///
/// let mut parser = Parser::default();
/// drop(parser.feed("<ask_followup_question><question>Which?</question><suggest>The fir"));
/// let mut events = parser.finish();
/// let Some(Event::Rejected(call)) = events.next() else { panic!() };
/// assert_eq!(call.reason(), Reason::Truncated(CallPart::Answer));
/// assert_eq!(call.question(), Some("Which?"));
/// assert_eq!(call.suggestions().get(0).unwrap().answer, "The fir");
/// ```
#[derive(Clone, Copy)]
pub struct Rejected<'a> {
    pub(crate) call: &'a Call,
    pub(crate) index: u64,
    pub(crate) id: Option<&'a str>,
    pub(crate) end: u64,
    pub(crate) reason: Reason,
}

impl<'a> Rejected<'a> {
    /// Returns the index of the call in the stream, from 0.
    pub fn index(&self) -> u64 {
        self.index
    }

    /// Returns the provider's id of the call, if it is a native call in a provider's stream.
    pub fn id(&self) -> Option<&'a str> {
        self.id
    }

    /// Returns the bytes of the stream that the call occupies.
    pub fn span(&self) -> Range<u64> {
        self.call.start..self.end
    }

    /// Returns why the question can't be asked. Its `Display` is a message for people.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// Returns the family of the envelope that the call came in; `None` if it came in none.
    ///
    /// [`Complete::envelope`] says more.
    pub fn envelope(&self) -> Option<Envelope> {
        note::envelope(self.call.notes())
    }

    /// Returns the question, as much of it as was read.
    pub fn question(&self) -> Option<&'a str> {
        self.call.question()
    }

    /// Returns the suggestions, as much of them as was read.
    pub fn suggestions(&self) -> Suggestions<'a> {
        Suggestions { call: self.call, view: View::Whole }
    }

    /// Returns the questions, as much of them as was read.
    pub fn questions(&self) -> Questions<'a> {
        Questions { call: self.call, view: View::Whole }
    }
}

/// One question of a call, with its suggestions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Question<'a> {
    /// The question so far. It is empty if only suggestions are known.
    pub text: &'a str,
    /// Its suggested answers.
    pub suggestions: Suggestions<'a>,
}

/// The questions of a call, in order. A call of `ask_followup_question` has one.
///
/// ```
/// use followup::{Event, Parser};
///
/// let mut parser = Parser::default();
/// let message = "<ask_followup_question><question>Q?</question>\
///     <suggest>A</suggest></ask_followup_question>";
/// parser.feed(message).for_each(|event| {
///     if let Event::Complete(call) = event {
///         assert_eq!(call.questions().len(), 1);
///         let question = call.questions().get(0).unwrap();
///         assert_eq!((question.text, question.suggestions.len()), ("Q?", 1));
///     }
/// });
/// ```
#[derive(Clone, Copy)]
pub struct Questions<'a> {
    call: &'a Call,
    view: View,
}

impl<'a> Questions<'a> {
    /// Returns the questions of a call.
    #[cfg(feature = "wire")]
    pub(crate) fn new(call: &'a Call, view: View) -> Questions<'a> {
        Questions { call, view }
    }

    /// Returns the number of questions. O(1).
    pub fn len(&self) -> usize {
        usize::from(self.get(0).is_some())
    }

    /// Returns `true` if there are no questions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the question at this index, from 0; `None` if there are no more. O(1).
    pub fn get(&self, index: usize) -> Option<Question<'a>> {
        let text = match self.view {
            View::Shown => self.call.shown_question(),
            View::Whole => self.call.question(),
        };
        let suggestions = Suggestions { call: self.call, view: self.view };
        let exists = index == 0 && (text.is_some() || !suggestions.is_empty());
        exists.then(|| Question { text: text.unwrap_or_default(), suggestions })
    }

    /// Returns an iterator over the questions, in order.
    pub fn iter(&self) -> impl Iterator<Item = Question<'a>> + use<'a> {
        self.get(0).into_iter()
    }
}

impl fmt::Debug for Questions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// One suggested answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Suggestion<'a> {
    /// The text of the answer, trimmed.
    ///
    /// It is not empty, except that of the newest suggestion in a [`Partial`] of a stream of bytes.
    pub answer: &'a str,
    /// The mode to which the agent should change with this answer.
    pub mode: Option<&'a str>,
}

/// The suggestions of a call, in order. Copying it copies two words, not the suggestions.
///
/// ```
/// use followup::{Event, Parser};
///
/// let mut parser = Parser::default();
/// let mut events = parser.feed(
///     "<ask_followup_question><question>Q?</question><follow_up>\
///      <suggest>A</suggest><suggest mode='code'>B</suggest></follow_up></ask_followup_question>",
/// );
/// while let Some(event) = events.next() {
///     if let Event::Complete(call) = event {
///         let suggestions = call.suggestions();
///         assert_eq!(suggestions.len(), 2);
///         assert_eq!(suggestions.get(1).unwrap().mode, Some("code"));
///         let answers: Vec<_> = suggestions.iter().map(|s| s.answer).collect();
///         assert_eq!(answers, ["A", "B"]);
///     }
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Suggestions<'a> {
    call: &'a Call,
    view: View,
}

impl<'a> Suggestions<'a> {
    /// Returns the number of suggestions. O(1).
    pub fn len(&self) -> usize {
        self.call.suggestions(self.view)
    }

    /// Returns `true` if there are no suggestions.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the suggestion at index `i`, from 0; `None` if there are no more. O(1).
    pub fn get(&self, i: usize) -> Option<Suggestion<'a>> {
        self.call.suggestion(i, self.view).map(|(answer, mode)| Suggestion { answer, mode })
    }

    /// Returns an iterator over the suggestions, in order.
    pub fn iter(&self) -> SuggestionsIter<'a> {
        self.into_iter()
    }
}

impl<'a> IntoIterator for Suggestions<'a> {
    type Item = Suggestion<'a>;
    type IntoIter = SuggestionsIter<'a>;

    fn into_iter(self) -> SuggestionsIter<'a> {
        SuggestionsIter { all: self, next: 0 }
    }
}

/// An iterator over the [`Suggestions`] of a call.
#[derive(Clone, Debug)]
pub struct SuggestionsIter<'a> {
    all: Suggestions<'a>,
    next: usize,
}

impl<'a> Iterator for SuggestionsIter<'a> {
    type Item = Suggestion<'a>;

    fn next(&mut self) -> Option<Suggestion<'a>> {
        let one = self.all.get(self.next)?;
        self.next += 1;
        Some(one)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.all.len() - self.next;
        (left, Some(left))
    }
}

impl ExactSizeIterator for SuggestionsIter<'_> {}

impl PartialEq for Suggestions<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Suggestions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl PartialEq for Partial<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.index, self.id, self.field(), self.delta()) == (other.index, other.id, other.field(), other.delta())
            && (self.question(), self.suggestions()) == (other.question(), other.suggestions())
    }
}

impl PartialEq for Complete<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.index, self.id, self.span(), self.question()) == (other.index, other.id, other.span(), other.question())
            && (self.suggestions(), self.notes()) == (other.suggestions(), other.notes())
    }
}

impl PartialEq for Rejected<'_> {
    fn eq(&self, other: &Self) -> bool {
        (self.index, self.id, self.span(), self.reason()) == (other.index, other.id, other.span(), other.reason())
            && (self.question(), self.suggestions()) == (other.question(), other.suggestions())
    }
}

impl fmt::Debug for Partial<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Partial")
            .field("index", &self.index)
            .field("id", &self.id)
            .field("field", &self.field())
            .field("delta", &self.delta())
            .field("question", &self.question())
            .field("suggestions", &self.suggestions())
            .finish()
    }
}

impl fmt::Debug for Complete<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Complete")
            .field("index", &self.index)
            .field("id", &self.id)
            .field("span", &self.span())
            .field("question", &self.question())
            .field("suggestions", &self.suggestions())
            .field("notes", &self.notes())
            .finish()
    }
}

impl fmt::Debug for Rejected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rejected")
            .field("index", &self.index)
            .field("id", &self.id)
            .field("span", &self.span())
            .field("reason", &self.reason())
            .field("question", &self.question())
            .field("suggestions", &self.suggestions())
            .finish()
    }
}
