//! The options that JavaScript passes: keys and values, each ended by a NUL.
//!
//! JavaScript has checked the types; what only the library knows is checked here.

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use followup::{CallStart, Entities, Envelope, Envelopes, Malformed, Policy, Shape, Shapes, Tools};

/// Keys with their values. A key with several values comes several times.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Options<'a>(&'a str);

impl<'a> Options<'a> {
    pub(crate) fn new(text: &'a str) -> Options<'a> {
        Options(text)
    }

    /// Returns the options as they were passed.
    pub(crate) fn text(self) -> &'a str {
        self.0
    }

    fn pairs(self) -> impl Iterator<Item = (&'a str, &'a str)> {
        let mut parts = self.0.split_terminator('\0');
        core::iter::from_fn(move || Some((parts.next()?, parts.next()?)))
    }

    /// Returns the values of a key, in order.
    pub(crate) fn all(self, key: &str) -> impl Iterator<Item = &'a str> {
        self.pairs().filter(move |(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Returns the value of a key; `None` if it has none.
    pub(crate) fn get(self, key: &str) -> Option<&'a str> {
        self.all(key).next()
    }

    pub(crate) fn has(self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Returns a number; `default` if the key has no value.
    ///
    /// # Errors
    ///
    /// If the value is no number.
    pub(crate) fn number(self, key: &str, default: usize) -> Result<usize, String> {
        self.get(key)
            .map_or(Ok(default), |value| value.parse().map_err(|_| format!("{key}: {value} is no whole number")))
    }

    /// Returns the policy.
    ///
    /// # Errors
    ///
    /// If a name has no meaning: which one, and which there are.
    pub(crate) fn policy(self) -> Result<Policy, String> {
        let mut policy = Policy::new();
        if self.has("strict") {
            policy = policy.with_malformed(Malformed::Reject);
        }
        if self.has("outsideCode") {
            policy = policy.with_call_start(CallStart::OutsideCode);
        }
        if self.has("decodeEntities") {
            policy = policy.with_entities(Entities::Decoded);
        }
        if self.has("envelopes") {
            policy = policy.with_envelopes(self.envelopes()?);
        }
        if self.has("tools") || self.has("parameters") {
            // An empty name says that there is a list.
            let names = |key| self.all(key).filter(|name| !name.is_empty());
            let tools = Tools::new(names("tools"), names("parameters"));
            policy = policy.with_tools(tools.map_err(|error| format!("tools: {error}"))?);
        }
        if self.has("shapes") {
            let shapes = self.all("shapes").filter(|shape| !shape.is_empty()).map(shape);
            policy = policy.with_shapes(Shapes::new(shapes.collect::<Result<Vec<_>, _>>()?));
        }
        let mut limits = policy.limits();
        for (key, limit) in [
            ("limits.question", &mut limits.question),
            ("limits.answer", &mut limits.answer),
            ("limits.suggestions", &mut limits.suggestions),
            ("limits.tag", &mut limits.tag),
            ("limits.unconfirmed", &mut limits.unconfirmed),
            ("limits.questions", &mut limits.questions),
            ("limits.header", &mut limits.header),
            ("limits.description", &mut limits.description),
            ("limits.texts", &mut limits.texts),
        ] {
            *limit = self.number(key, *limit)?;
        }
        Ok(policy.with_limits(limits))
    }

    fn envelopes(self) -> Result<Envelopes, String> {
        self.all("envelopes").filter(|name| !name.is_empty()).try_fold(Envelopes::none(), |read, name| match name {
            "default" => Ok(Envelopes::default().iter().fold(read, Envelopes::with)),
            "all" => Ok(Envelopes::all()),
            name => Ok(read.with(name.parse::<Envelope>().map_err(|error| format!("envelopes: {name}: {error}"))?)),
        })
    }
}

/// Returns the built-in shape of that name, or the shape that the text is.
fn shape(text: &str) -> Result<Shape, String> {
    if text.contains(char::is_whitespace) {
        return Shape::parse(text).map_err(|error| format!("shapes: {error}"));
    }
    Shape::built_in(text).ok_or_else(|| {
        let names: Vec<&str> = Shape::built_in_names().collect();
        format!("shapes: there is no built-in shape {text}; there are: {}", names.join(", "))
    })
}
