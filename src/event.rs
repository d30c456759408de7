//! Events: views that borrow from the parser.

use core::fmt;
use core::ops::Range;

use crate::call::{Addition, Call, Field, View};
use crate::config::Envelope;
use crate::note::{self, Note};
use crate::questions::{Questions, Suggestions};
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
///     parser.feed(chunk).for_each(|event| {
///         shown.push(match event {
///             Event::Text(text) => format!("text {text:?}"),
///             Event::Opaque(piece) => format!("{} {:?}", piece.tool, piece.raw),
///             Event::Partial(call) => format!("{:?} so far", call.question().unwrap()),
///             Event::Complete(call) => format!("{:?} at {:?}", call.question(), call.span()),
///             Event::Rejected(call) => format!("{}", call.reason()),
///         });
///     });
/// }
/// assert_eq!(shown, ["text \"Hm. \"", "\"Which one?\" so far", "\"Which one?\" at 4..82"]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
    pub(crate) fn ended(call: &'a Call, index: u64, end: u64, is_native: bool) -> Event<'a> {
        if !call.has_failed() && call.question(View::Whole).is_some() {
            Event::Complete(Complete { call, index, id: None, is_native, end })
        } else {
            Event::Rejected(Rejected { call, index, id: None, is_native, end, reason: call.reason() })
        }
    }

    /// Creates the event of the end of a call in the text, instead of which another one counts.
    #[cfg(feature = "wire")]
    pub(crate) fn superseded(call: &'a Call, index: u64, end: u64) -> Event<'a> {
        Event::Rejected(Rejected { call, index, id: None, is_native: false, end, reason: Reason::Superseded })
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
///     parser.feed(chunk).for_each(|event| {
///         if let Event::Opaque(piece) = event {
///             assert_eq!(piece.tool, "read_file");
///             starts += usize::from(piece.start);
///             raw.push_str(piece.raw);
///         }
///     });
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
///     parser.feed_bytes(&chunk).for_each(|event| {
///         let Event::Partial(call) = event else { panic!("{event:?}") };
///         match call.field() {
///             Field::Question => question.push_str(call.delta()),
///             Field::Suggestion => answer.push_str(call.delta()),
///             field => panic!("{field:?}: of other question tools only"),
///         }
///         assert_eq!(call.question(), Some(&*question), "text that was shown stays");
///         if let Some(newest) = call.suggestions().iter().last() {
///             assert_eq!((newest.answer, newest.mode), (&*answer, Some("ask")));
///         }
///     });
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
    /// Returns the index of the question that grew, or whose suggestion did, from 0.
    ///
    /// ```
    /// use followup::{Event, Parser, Policy};
    ///
    /// let arguments = r#"{"questions": [{"question": "A?"},
    ///     {"question": "B?", "options": [{"label": "C"}, {"label": "D"}]}]}"#;
    /// let mut parser = Parser::arguments_of("AskUserQuestion", Policy::new()).unwrap();
    /// let mut grown = Vec::new();
    /// parser.feed(arguments).for_each(|event| {
    ///     let Event::Partial(call) = event else { panic!("{event:?}") };
    ///     // Without a delta, something else became known.
    ///     if !call.delta().is_empty() {
    ///         grown.push((call.question_index(), call.suggestion_index()));
    ///     }
    /// });
    /// assert_eq!(grown, [(0, None), (1, None), (1, Some(0)), (1, Some(1))]);
    /// ```
    pub fn question_index(&self) -> usize {
        self.call.form().map_or(0, |form| form.last_place().0)
    }

    /// Returns the index of the suggestion that grew, from 0; `None` if its question did.
    pub fn suggestion_index(&self) -> Option<usize> {
        match self.call.form() {
            Some(form) => form.last_place().1,
            None if self.field() == Field::Question => None,
            None => self.suggestions().len().checked_sub(1),
        }
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
        self.call.question(View::Shown)
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
/// parser.feed(message).for_each(|event| {
///     if let Event::Complete(call) = event {
///         assert_eq!((call.index(), call.span()), (0, 4..message.len() as u64));
///         assert_eq!((call.question(), call.suggestions().len()), ("Which?", 1));
///         assert_eq!(call.notes(), [Note::OutsideFollowUp, Note::UnclosedSuggestion]);
///         is_complete = true;
///     }
/// });
/// assert!(is_complete);
/// ```
#[derive(Clone, Copy)]
pub struct Complete<'a> {
    pub(crate) call: &'a Call,
    pub(crate) index: u64,
    pub(crate) id: Option<&'a str>,
    pub(crate) is_native: bool,
    pub(crate) end: u64,
}

impl<'a> Complete<'a> {
    /// Returns `true` if it is a native call, `false` if it was written in a message.
    ///
    /// Some providers' native calls have no [id](Complete::id), such as Gemini's and Ollama's.
    ///
    /// ```
    /// use followup::{Event, Parser, Policy};
    ///
    /// let written = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    /// for (mut parser, stream, is_native) in [
    ///     (Parser::default(), written, false),
    ///     (Parser::arguments(Policy::new()), r#"{"question": "Tea?"}"#, true),
    /// ] {
    ///     drop(parser.feed(stream));
    ///     parser.finish().for_each(|event| match event {
    ///         Event::Complete(call) => assert_eq!((call.is_native(), call.id()), (is_native, None)),
    ///         other => panic!("{other:?}"),
    ///     });
    /// }
    /// ```
    pub fn is_native(&self) -> bool {
        self.is_native
    }

    /// Returns the bytes of the stream that the call occupies.
    pub fn span(&self) -> Range<u64> {
        self.call.start..self.end
    }

    /// Returns the question, trimmed. It is not empty.
    pub fn question(&self) -> &'a str {
        self.call.question(View::Whole).unwrap_or_default()
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
    pub(crate) is_native: bool,
    pub(crate) end: u64,
    pub(crate) reason: Reason,
}

impl<'a> Rejected<'a> {
    /// Returns `true` if it is a native call, `false` if it was written in a message.
    pub fn is_native(&self) -> bool {
        self.is_native
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
        self.call.question(View::Whole)
    }
}

/// Implements what all events of a call have.
///
/// Of the lists of methods, the first is in `Debug` before the contents and the second after them;
/// the third is only compared.
macro_rules! of_call {
    ($($event:ident: $view:ident, [$($first:ident),*], [$($last:ident),*], [$($compared:ident),*];)*) => {$(
        impl<'a> $event<'a> {
            /// Returns the index of the call in the stream, from 0, the same in all of its events.
            pub fn index(&self) -> u64 {
                self.index
            }

            /// Returns the tool that is called, such as `ask_followup_question`.
            pub fn tool(&self) -> &'a str {
                self.call.tool()
            }

            /// Returns the name of the [`Shape`](crate::Shape) that reads the call.
            ///
            /// `None` for `ask_followup_question`.
            pub fn shape(&self) -> Option<&'a str> {
                self.call.form().map(|form| &*form.shape)
            }

            /// Returns the provider's id of the call.
            ///
            /// `None` unless it is a native call in a provider's stream.
            pub fn id(&self) -> Option<&'a str> {
                self.id
            }

            /// Returns the text above all questions, as much of it as was read.
            ///
            /// `None` for most tools.
            pub fn title(&self) -> Option<&'a str> {
                self.call.title(View::$view)
            }

            /// Returns the suggested answers, as many as were read. A call without any is normal.
            ///
            /// In a [`Partial`], the last one may still change. They are those of the first
            /// question.
            pub fn suggestions(&self) -> Suggestions<'a> {
                Suggestions::of_first(self.call, View::$view)
            }

            /// Returns the questions, as many as were read, each with its suggestions.
            ///
            /// `question` and `suggestions` are those of the first.
            pub fn questions(&self) -> Questions<'a> {
                Questions::new(self.call, View::$view)
            }
        }

        impl PartialEq for $event<'_> {
            fn eq(&self, other: &Self) -> bool {
                (self.index, self.id, self.tool(), self.shape()) == (other.index, other.id, other.tool(), other.shape())
                    && (self.title(), self.questions()) == (other.title(), other.questions())
                    $(&& self.$first() == other.$first())*
                    $(&& self.$last() == other.$last())*
                    $(&& self.$compared() == other.$compared())*
            }
        }

        impl Eq for $event<'_> {}

        impl fmt::Debug for $event<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                let mut event = f.debug_struct(stringify!($event));
                event.field("index", &self.index).field("id", &self.id);
                $(event.field(stringify!($first), &self.$first());)*
                if self.shape().is_none() {
                    event.field("question", &self.question()).field("suggestions", &self.suggestions());
                } else {
                    event.field("tool", &self.tool()).field("title", &self.title());
                    event.field("questions", &self.questions());
                }
                $(event.field(stringify!($last), &self.$last());)*
                event.finish()
            }
        }
    )*};
}

of_call! {
    Partial: Shown, [field, delta], [], [];
    Complete: Whole, [span], [notes], [is_native];
    Rejected: Whole, [span, reason], [], [envelope, is_native];
}
