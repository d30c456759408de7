//! What is read: a stream, and a question as models write it.

use alloc::format;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Deref;

use crate::{Parser, Policy};

/// What a stream is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// A message, with calls as markup: [`Parser::new`].
    Markup,
    /// The arguments of one native call: [`Parser::arguments`].
    Arguments,
}

impl Syntax {
    /// Both.
    pub const ALL: [Syntax; 2] = [Syntax::Markup, Syntax::Arguments];

    /// A parser that reads it.
    pub fn parser(self, policy: impl Into<Arc<Policy>>) -> Parser {
        match self {
            Syntax::Markup => Parser::new(policy),
            Syntax::Arguments => Parser::arguments(policy),
        }
    }
}

/// The bytes of a stream, and what it is read as. Its `Debug` form is readable, whatever the bytes are.
///
/// ```
/// use followup::testing::{Stream, Syntax};
///
/// let stream = Stream::new(Syntax::Markup, "<b>\u{1F980}");
/// assert_eq!(format!("{stream:?}"), r#"Markup "<b>\xf0\x9f\xa6\x80""#);
/// assert_eq!(&stream[..3], b"<b>");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Stream {
    /// What it is read as.
    pub syntax: Syntax,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Stream {
    /// The stream of these bytes.
    pub fn new(syntax: Syntax, bytes: impl Into<Vec<u8>>) -> Stream {
        Stream { syntax, bytes: bytes.into() }
    }

    /// A parser that reads it.
    pub fn parser(&self, policy: impl Into<Arc<Policy>>) -> Parser {
        self.syntax.parser(policy)
    }
}

impl Deref for Stream {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} \"{}\"", self.syntax, self.bytes.escape_ascii())
    }
}

/// A question as a model asks it: what comes out as [`Complete`](crate::Complete) if it is written as [`markup`](Question::markup) or as
/// [`arguments`](Question::arguments).
///
/// ```
/// use followup::testing::{Question, Suggested, Transcript};
/// use followup::{Parser, Policy};
///
/// let question = Question {
///     question: "Is a < b?".into(),
///     suggestions: vec![Suggested { answer: "\"Yes\"".into(), mode: Some("code".into()) }],
/// };
/// assert_eq!(question.arguments(), r#"{"question":"Is a < b?","follow_up":[{"text":"\"Yes\"","mode":"code"}]}"#);
/// for (mut parser, written) in
///     [(Parser::default(), question.markup()), (Parser::arguments(Policy::new()), question.arguments())]
/// {
///     let transcript = Transcript::of(&mut parser, [written]);
///     let complete = transcript.complete().next().expect("it is complete");
///     assert_eq!(complete.question.as_ref(), Some(&question.question));
///     assert_eq!(complete.suggestions, question.suggestions);
///     assert!(complete.notes.is_empty());
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Question {
    /// What is asked.
    pub question: String,
    /// What might be answered.
    pub suggestions: Vec<Suggested>,
}

/// A suggested answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Suggested {
    /// What the user would answer.
    pub answer: String,
    /// The mode the agent should change to with this answer.
    pub mode: Option<String>,
}

impl Question {
    /// The call as markup. The texts stand as they are: one that is blank at an end, or holds a tag of the call, comes out differently, as
    /// in a model's message it would.
    pub fn markup(&self) -> String {
        let mut markup = format!("<ask_followup_question>\n<question>{}</question>\n<follow_up>\n", self.question);
        for Suggested { answer, mode } in &self.suggestions {
            let mode = mode.as_ref().map(|mode| format!(" mode=\"{mode}\"")).unwrap_or_default();
            markup.push_str(&format!("<suggest{mode}>{answer}</suggest>\n"));
        }
        markup.push_str("</follow_up>\n</ask_followup_question>");
        markup
    }

    /// The arguments of a native call, as JSON.
    pub fn arguments(&self) -> String {
        let suggestions: Vec<String> = self
            .suggestions
            .iter()
            .map(|Suggested { answer, mode }| {
                let mode = mode.as_deref().map_or_else(|| String::from("null"), json);
                format!("{{\"text\":{},\"mode\":{mode}}}", json(answer))
            })
            .collect();
        format!("{{\"question\":{},\"follow_up\":[{}]}}", json(&self.question), suggestions.join(","))
    }

    /// The question written in that syntax.
    pub fn stream(&self, syntax: Syntax) -> Stream {
        Stream::new(
            syntax,
            match syntax {
                Syntax::Markup => self.markup(),
                Syntax::Arguments => self.arguments(),
            },
        )
    }
}

/// A string of JSON.
fn json(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Without blanks around it, and not empty, as values come out.
#[cfg(any(feature = "proptest", feature = "arbitrary"))]
pub(super) fn trimmed(text: &str) -> String {
    match text.trim() {
        "" => String::from("x"),
        text => String::from(text),
    }
}
