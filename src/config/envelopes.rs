//! The families of envelopes in which models' own calls arrive as text.

use core::fmt;
use core::iter::FusedIterator;
use core::str::FromStr;

/// A family of envelopes: a model's own form of a tool call, as text.
///
/// Where a serving stack has no parser for a model's calls, they arrive in the text of the message.
/// [`docs/format.md`](https://docs.rs/crate/followup/latest/source/docs/format.md) has the exact
/// form of each family. Its name is that of its `Display` and [`FromStr`].
///
/// ```
/// use followup::Envelope;
///
/// assert_eq!(Envelope::FunctionXml.to_string(), "function-xml");
/// assert_eq!("kimi".parse(), Ok(Envelope::Kimi));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
#[non_exhaustive]
pub enum Envelope {
    /// `<function=NAME><parameter=KEY>`: Qwen3-Coder, MiMo, Seed-OSS.
    FunctionXml,
    /// `<tool_call>{"name": …}`: Hermes, Qwen, ERNIE.
    Hermes,
    /// `{"name": …, "arguments": …}` alone: Qwen2.5-Coder and Llama on servers without a parser.
    BareJson,
    /// `<invoke name="NAME"><parameter name="KEY">`: MiniMax, the text form of Claude, Grok.
    Invoke,
    /// The same with the prefix `DSML` between bars: DeepSeek V3.2 and V4.
    Dsml,
    /// `<tool_call>NAME<arg_key>`: GLM.
    Glm,
    /// `<|channel|>commentary to=functions.NAME`: gpt-oss.
    Harmony,
    /// `<|tool_call_begin|>functions.NAME:0`: Kimi K2.
    Kimi,
    /// `[TOOL_CALLS]`: Mistral. Not read by default.
    Mistral,
    /// `<｜tool▁calls▁begin｜>`: DeepSeek V3, R1 and V3.1. Not read by default.
    Deepseek,
    /// `<|python_tag|>{"name": …}`: Llama 3 and 4. Not read by default.
    Llama,
}

impl Envelope {
    /// All families.
    pub const ALL: [Envelope; 11] = [
        Envelope::FunctionXml,
        Envelope::Hermes,
        Envelope::BareJson,
        Envelope::Invoke,
        Envelope::Dsml,
        Envelope::Glm,
        Envelope::Harmony,
        Envelope::Kimi,
        Envelope::Mistral,
        Envelope::Deepseek,
        Envelope::Llama,
    ];

    /// Returns the name of the family.
    pub fn name(self) -> &'static str {
        match self {
            Envelope::FunctionXml => "function-xml",
            Envelope::Hermes => "hermes",
            Envelope::BareJson => "bare-json",
            Envelope::Invoke => "invoke",
            Envelope::Dsml => "dsml",
            Envelope::Glm => "glm",
            Envelope::Harmony => "harmony",
            Envelope::Kimi => "kimi",
            Envelope::Mistral => "mistral",
            Envelope::Deepseek => "deepseek",
            Envelope::Llama => "llama",
        }
    }
}

impl fmt::Display for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// There is no family of envelopes with this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownEnvelope;

impl fmt::Display for UnknownEnvelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("no family of envelopes has this name; there are: ")?;
        for (i, family) in Envelope::ALL.into_iter().enumerate() {
            write!(f, "{}{family}", if i > 0 { ", " } else { "" })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownEnvelope {}

impl FromStr for Envelope {
    type Err = UnknownEnvelope;

    /// Returns the family of this name.
    ///
    /// # Errors
    ///
    /// [`UnknownEnvelope`] if there is none.
    fn from_str(name: &str) -> Result<Envelope, UnknownEnvelope> {
        Envelope::ALL.into_iter().find(|family| family.name() == name).ok_or(UnknownEnvelope)
    }
}

/// A set of families of envelopes.
///
/// The default are those whose openers are no prose, and bare JSON.
///
/// ```
/// use followup::{Envelope, Envelopes, Event, Parser, Policy};
///
/// let message = "<tool_call>\n{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Which?\"}}\n</tool_call>";
/// let asks = |envelopes: Envelopes| {
///     let mut parser = Parser::new(Policy::new().with_envelopes(envelopes));
///     let mut asks = false;
///     parser.feed(message).for_each(|event| asks |= matches!(event, Event::Complete(_)));
///     asks
/// };
/// assert!(asks(Envelopes::default()));
/// assert!(!asks(Envelopes::none()), "then it is text");
/// assert!(asks([Envelope::Hermes].into_iter().collect()));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(from = "EnvelopeNames", into = "EnvelopeNames"))]
pub struct Envelopes(u16);

impl Default for Envelopes {
    fn default() -> Envelopes {
        let by_choice = [Envelope::Mistral, Envelope::Deepseek, Envelope::Llama];
        Envelope::ALL.into_iter().filter(|family| !by_choice.contains(family)).collect()
    }
}

impl Envelopes {
    /// Returns the set of all families.
    pub const fn all() -> Envelopes {
        Envelopes((1 << Envelope::ALL.len()) - 1)
    }

    /// Returns the empty set: no envelopes are read.
    pub const fn none() -> Envelopes {
        Envelopes(0)
    }

    /// Returns the set with one family more.
    #[must_use]
    pub const fn with(self, family: Envelope) -> Envelopes {
        Envelopes(self.0 | Envelopes::bit(family))
    }

    /// Returns the set without a family.
    ///
    /// ```
    /// use followup::{Envelope, Envelopes};
    ///
    /// const MINE: Envelopes = Envelopes::none().with(Envelope::Kimi).with(Envelope::Glm);
    /// assert_eq!(MINE.without(Envelope::Glm).iter().collect::<Vec<_>>(), [Envelope::Kimi]);
    /// ```
    #[must_use]
    pub const fn without(self, family: Envelope) -> Envelopes {
        Envelopes(self.0 & !Envelopes::bit(family))
    }

    /// Returns `true` if the family is in the set.
    pub const fn contains(self, family: Envelope) -> bool {
        self.0 & Envelopes::bit(family) != 0
    }

    /// Returns `true` if no family is in the set.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns an iterator over the families in the set, in the order of [`Envelope::ALL`].
    pub fn iter(self) -> EnvelopesIter {
        self.into_iter()
    }

    const fn bit(family: Envelope) -> u16 {
        1 << family as u16
    }
}

impl IntoIterator for Envelopes {
    type Item = Envelope;
    type IntoIter = EnvelopesIter;

    fn into_iter(self) -> EnvelopesIter {
        EnvelopesIter(self)
    }
}

/// An iterator over the families in a set of [`Envelopes`].
#[derive(Clone, Debug)]
pub struct EnvelopesIter(Envelopes);

impl Iterator for EnvelopesIter {
    type Item = Envelope;

    fn next(&mut self) -> Option<Envelope> {
        let family = Envelope::ALL.into_iter().find(|family| self.0.contains(*family))?;
        self.0 = self.0.without(family);
        Some(family)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.0.0.count_ones() as usize;
        (left, Some(left))
    }
}

impl DoubleEndedIterator for EnvelopesIter {
    fn next_back(&mut self) -> Option<Envelope> {
        let family = Envelope::ALL.into_iter().rfind(|family| self.0.contains(*family))?;
        self.0 = self.0.without(family);
        Some(family)
    }
}

impl ExactSizeIterator for EnvelopesIter {}

impl FusedIterator for EnvelopesIter {}

impl FromIterator<Envelope> for Envelopes {
    fn from_iter<I: IntoIterator<Item = Envelope>>(families: I) -> Envelopes {
        families.into_iter().fold(Envelopes::none(), Envelopes::with)
    }
}

impl fmt::Debug for Envelopes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(feature = "serde")]
#[derive(serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
struct EnvelopeNames(alloc::vec::Vec<Envelope>);

#[cfg(feature = "serde")]
impl From<EnvelopeNames> for Envelopes {
    fn from(names: EnvelopeNames) -> Envelopes {
        names.0.into_iter().collect()
    }
}

#[cfg(feature = "serde")]
impl From<Envelopes> for EnvelopeNames {
    fn from(envelopes: Envelopes) -> EnvelopeNames {
        EnvelopeNames(envelopes.iter().collect())
    }
}
