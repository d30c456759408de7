//! The question tools that a parser reads.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::str::FromStr;

use super::{Shape, ShapeError, builtin, parse};

/// The shapes of the question tools that are read, besides `ask_followup_question`.
///
/// The default are all that are built in. In envelopes the default does not read tools with a
/// [generic name](Shape::is_generic); a list that was chosen reads all of its tools.
///
/// ```
/// use followup::{Parser, Policy, Shape, Shapes};
///
/// let reads = |tool: &str, shapes: Shapes| {
///     Parser::arguments_of(tool, Policy::new().with_shapes(shapes)).is_some()
/// };
/// assert!(reads("AskUserQuestion", Shapes::default()));
/// assert!(!reads("AskUserQuestion", Shapes::none()));
/// let codex = Shape::built_in("codex").unwrap();
/// assert!(!reads("AskUserQuestion", Shapes::new([codex.clone()])));
/// assert!(reads("request_user_input", Shapes::new([codex])));
/// assert!(reads("ask_followup_question", Shapes::none()));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Shapes(ShapeSource);

#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
enum ShapeSource {
    /// All that are built in.
    #[default]
    BuiltIn,
    List(Arc<[Shape]>),
}

impl Shapes {
    /// Creates a list. For a tool that several shapes have, the first counts.
    ///
    /// ```
    /// use followup::{Shape, Shapes};
    ///
    /// let [mine, other] =
    ///     ["mine", "other"].map(|name| Shape::parse(format!("shape {name}\ntool ask\ntext q")).unwrap());
    /// let shapes = Shapes::new([mine.clone(), other]);
    /// assert_eq!(shapes.find("ask"), Some(mine));
    /// assert_eq!(shapes.find("AskUserQuestion"), None);
    /// ```
    ///
    /// Cost: one allocation, which clones share.
    pub fn new(shapes: impl IntoIterator<Item = Shape>) -> Shapes {
        Shapes(ShapeSource::List(shapes.into_iter().collect()))
    }

    /// Returns the empty list: only `ask_followup_question` is read.
    pub fn none() -> Shapes {
        Shapes::new([])
    }

    /// Parses one or several shapes. The list has their order.
    ///
    /// Each begins with its line `shape NAME`; comments and blank lines above it belong to it. Of
    /// the first shape this line may come later, as in [`Shape::parse`].
    ///
    /// Cost: linear in the text, and two allocations for each shape.
    ///
    /// # Errors
    ///
    /// If one of them is no shape, or if there is none: the line in the whole text, the column, and
    /// what is wrong there.
    ///
    /// ```
    /// use followup::{Shape, Shapes};
    ///
    /// let quiz = "shape quiz\ntool ask_quiz\ntext prompt\n\n";
    /// let poll = "# Yes or no.\nshape poll\ntool ask_poll\ntext t\n";
    /// let shapes = Shapes::parse(&[quiz, poll].concat())?;
    /// let names: Vec<_> = shapes.iter().map(|shape| shape.name().to_owned()).collect();
    /// assert_eq!(names, ["quiz", "poll"]);
    /// assert_eq!(shapes.find("ask_poll").as_ref().map(Shape::name), Some("poll"));
    ///
    /// let error = Shapes::parse(&[quiz, &poll.replace("text", "tekst")].concat()).unwrap_err();
    /// assert_eq!((error.line(), error.column()), (8, 1));
    /// # Ok::<(), followup::ShapeError>(())
    /// ```
    pub fn parse(text: &str) -> Result<Shapes, ShapeError> {
        let (mut shapes, mut lines) = (Vec::new(), 0);
        let mut rest = text.strip_prefix(parse::MARK).unwrap_or(text);
        let compile = |text: &str, lines| Shape::parse(text).map_err(|error| error.after_lines(lines));
        while let Some((end, ended)) = parse::end_of_first(rest) {
            let (first, others) = rest.split_at(end);
            // Without its last line end: what is missing is reported on a line of this shape.
            shapes.push(compile(first.trim_end(), lines)?);
            (rest, lines) = (others, lines + ended);
        }
        shapes.push(compile(rest, lines)?);
        Ok(Shapes::new(shapes))
    }

    /// Returns the shape that reads the calls of a tool; `None` if the tool is another one.
    ///
    /// Cost: O(n) in the number of tools. A built-in shape of the default list is compiled: one
    /// allocation.
    pub fn find(&self, tool: &str) -> Option<Shape> {
        match &self.0 {
            ShapeSource::BuiltIn => builtin::shape_of(tool).and_then(Shape::built_in),
            ShapeSource::List(list) => list.iter().find(|shape| shape.tools().any(|name| name == tool)).cloned(),
        }
    }

    /// Returns the shape that reads the calls of a tool in an envelope.
    ///
    /// `None` if the tool is another one.
    pub(crate) fn find_in_text(&self, tool: &str) -> Option<Shape> {
        self.reads_in_text(tool).then(|| self.find(tool)).flatten()
    }

    /// Returns `true` if calls of this tool in an envelope are read. Nothing is compiled.
    pub(crate) fn reads_in_text(&self, tool: &str) -> bool {
        self.is_name_in_text(|name| name == tool)
    }

    /// Returns `true` if this is so for the name of a tool whose calls in an envelope are read.
    ///
    /// A generic name may be that of quite another tool. So it counts only in a list that was
    /// chosen.
    pub(crate) fn is_name_in_text(&self, is_it: impl Fn(&str) -> bool) -> bool {
        match &self.0 {
            ShapeSource::BuiltIn => builtin::names_in_text().any(is_it),
            ShapeSource::List(list) => list.iter().flat_map(Shape::tools).any(is_it),
        }
    }

    /// Returns an iterator over the shapes, in order.
    ///
    /// Cost: each built-in shape of the default list is compiled: one allocation.
    ///
    /// ```
    /// use followup::{Shape, Shapes};
    ///
    /// assert!(Shapes::default().iter().map(|shape| shape.name().to_owned()).eq(Shape::built_in_names()));
    /// assert_eq!(Shapes::none().iter().count(), 0);
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = Shape> {
        let (built_in, list) = match &self.0 {
            ShapeSource::BuiltIn => (Some(builtin::names()), &[][..]),
            ShapeSource::List(list) => (None, &list[..]),
        };
        built_in.into_iter().flatten().filter_map(Shape::built_in).chain(list.iter().cloned())
    }
}

/// Parses one or several shapes, as [`Shapes::parse`] does.
impl FromStr for Shapes {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Shapes, ShapeError> {
        Shapes::parse(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::{String, ToString};

    #[test]
    fn comments_and_blank_lines_belong_to_the_shape_below_them() {
        let first = "# One.\nshape a\ntool a\ntext t # shape x";
        let second = "\n# Two.\n# shape y\n  shape b\ntool b\ntext t\n";
        let shapes = Shapes::parse(&[first, second].join("\n")).unwrap();
        let texts: Vec<_> = shapes.iter().map(|shape| shape.text().to_string()).collect();
        assert_eq!(texts, [first, second]);
    }

    #[test]
    fn a_byte_order_mark_is_no_part_of_a_list() {
        let text = "shape a\ntool a\ntext t\nshape b\ntool b\ntext t";
        assert_eq!(Shapes::parse(&(String::from('\u{FEFF}') + text)), Shapes::parse(text));
    }

    #[test]
    fn one_shape_is_a_list_of_one() {
        for name in Shape::built_in_names() {
            let shape = Shape::built_in(name).unwrap();
            assert_eq!(Shapes::parse(shape.text()), Ok(Shapes::new([shape])));
        }
    }

    #[test]
    fn all_built_in_shapes_are_one_text() {
        let built_in = Shapes::default();
        let texts: String = built_in.iter().map(|shape| shape.text().to_string() + "\n").collect();
        let parsed = Shapes::parse(&texts).unwrap();
        let names = |shapes: &Shapes| shapes.iter().map(|shape| shape.name().to_string()).collect::<Vec<_>>();
        assert_eq!(names(&parsed), names(&built_in));
    }

    #[test]
    fn an_error_has_its_line_in_the_whole_text() {
        for (text, message) in [
            ("", "line 1, column 1: the shape has no line `shape NAME`"),
            ("# Nothing.\n", "line 2, column 1: the shape has no line `shape NAME`"),
            ("shape a\ntool a\n\n# b\nshape b\ntool b\ntext t", "line 2, column 7: the shape has no line `text KEY`"),
            (
                "shape a\r\ntool a\r\ntext t\r\nshape b\r\nshape c",
                "line 4, column 8: the shape has no line `tool NAME`",
            ),
            ("shape a\ntool a\ntext t\nshape b c", "line 4, column 9: `c` can't be here: expected the end of the line"),
            (
                "shape a\ntool a\ntext t\n\nshape b\ntittle x",
                "line 6, column 1: `tittle` is no role: see docs/question-tools.md for all roles",
            ),
        ] {
            assert_eq!(Shapes::parse(text).unwrap_err().to_string(), message, "{text:?}");
        }
    }
}

#[cfg(feature = "serde")]
mod serialized {
    use alloc::borrow::Cow;
    use alloc::vec::Vec;

    use serde::de::Error;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{ShapeSource, Shapes};
    use crate::shape::Shape;

    /// `null` for all that are built in, or the texts of the shapes.
    impl Serialize for Shapes {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            match &self.0 {
                ShapeSource::BuiltIn => serializer.serialize_none(),
                ShapeSource::List(list) => serializer.collect_seq(list.iter().map(Shape::text)),
            }
        }
    }

    impl<'de> Deserialize<'de> for Shapes {
        fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Shapes, D::Error> {
            let Some(texts) = Option::<Vec<Cow<'_, str>>>::deserialize(deserializer)? else {
                return Ok(Shapes::default());
            };
            let shapes: Result<Vec<Shape>, _> = texts.into_iter().map(|text| Shape::parse(text.into_owned())).collect();
            shapes.map(Shapes::new).map_err(D::Error::custom)
        }
    }
}
