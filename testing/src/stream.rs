//! A stream, and a question as models write it.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

use followup::{Parser, Policy};

/// The syntax of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Syntax {
    /// A message, with calls as markup: [`Parser::new`].
    Markup,
    /// The arguments of one native call: [`Parser::arguments`].
    Arguments,
}

impl Syntax {
    /// Both syntaxes.
    pub const ALL: [Syntax; 2] = [Syntax::Markup, Syntax::Arguments];

    /// Creates a parser of this syntax.
    pub fn parser(self, policy: impl Into<Arc<Policy>>) -> Parser {
        match self {
            Syntax::Markup => Parser::new(policy),
            Syntax::Arguments => Parser::arguments(policy),
        }
    }
}

/// The bytes of a stream, and its syntax.
///
/// Its `Debug` form is readable, whatever the bytes are.
///
/// ```
/// use followup_testing::{Stream, Syntax};
///
/// let stream = Stream::new(Syntax::Markup, "<b>\u{1F980}");
/// assert_eq!(format!("{stream:?}"), r#"Markup "<b>\xf0\x9f\xa6\x80""#);
/// assert_eq!(&stream[..3], b"<b>");
/// ```
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Stream {
    /// Its syntax.
    pub syntax: Syntax,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

impl Stream {
    /// Creates a stream of these bytes.
    pub fn new(syntax: Syntax, bytes: impl Into<Vec<u8>>) -> Stream {
        Stream { syntax, bytes: bytes.into() }
    }

    /// Creates a parser for it.
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

/// A question as a model asks it, to be written in either syntax.
///
/// The parser returns it as a [`Complete`](followup::Complete) call.
///
/// ```
/// use followup_testing::{Question, Suggestion, Transcript};
/// use followup::{Parser, Policy};
///
/// let question = Question {
///     question: "Is a < b?".into(),
///     suggestions: vec![Suggestion { answer: "\"Yes\"".into(), mode: Some("code".into()) }],
/// };
/// let json = r#"{"question":"Is a < b?","follow_up":[{"text":"\"Yes\"","mode":"code"}]}"#;
/// assert_eq!(question.arguments(), json);
/// for (mut parser, written) in [
///     (Parser::default(), question.markup()),
///     (Parser::arguments(Policy::new()), question.arguments()),
/// ] {
///     let transcript = Transcript::of(&mut parser, [written]);
///     let complete = transcript.complete().next().expect("it is complete");
///     assert_eq!(complete.question.as_ref(), Some(&question.question));
///     assert_eq!(complete.suggestions, question.suggestions);
///     assert!(complete.notes.is_empty());
/// }
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Question {
    /// The text of the question.
    pub question: String,
    /// The suggested answers.
    pub suggestions: Vec<Suggestion>,
}

/// A suggested answer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Suggestion {
    /// The text of the answer.
    pub answer: String,
    /// The mode to which the agent changes with this answer.
    pub mode: Option<String>,
}

impl Question {
    /// Writes the call as markup.
    ///
    /// Nothing is escaped: a text with white space at an end, or with a tag of the call, comes out
    /// changed, as it would in a model's message.
    pub fn markup(&self) -> String {
        let mut markup = format!("<ask_followup_question>\n<question>{}</question>\n<follow_up>\n", self.question);
        for Suggestion { answer, mode } in &self.suggestions {
            let mode = mode.as_ref().map(|mode| format!(" mode=\"{mode}\"")).unwrap_or_default();
            markup.push_str(&format!("<suggest{mode}>{answer}</suggest>\n"));
        }
        markup.push_str("</follow_up>\n</ask_followup_question>");
        markup
    }

    /// Writes the call as the JSON arguments of a native call.
    pub fn arguments(&self) -> String {
        let suggestions: Vec<String> = self
            .suggestions
            .iter()
            .map(|Suggestion { answer, mode }| {
                let mode = mode.as_deref().map_or_else(|| String::from("null"), json);
                format!("{{\"text\":{},\"mode\":{mode}}}", json(answer))
            })
            .collect();
        format!("{{\"question\":{},\"follow_up\":[{}]}}", json(&self.question), suggestions.join(","))
    }

    /// Writes the call in that syntax.
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

/// Returns the text as a JSON string.
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

/// Returns the text without white space at its ends, and never an empty one: it comes out as it is.
#[cfg(any(feature = "proptest", feature = "arbitrary"))]
pub(crate) fn trimmed(text: &str) -> String {
    match text.trim() {
        "" => String::from("x"),
        text => String::from(text),
    }
}
