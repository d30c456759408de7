//! Question tools as data: which key of a tool's arguments means what.

mod builtin;
mod error;
mod lines;
mod parse;
pub(crate) mod reader;
pub(crate) mod role;
mod shapes;

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::sync::Arc;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::str::FromStr;

use smallvec::SmallVec;

pub use error::{ShapeError, ShapeErrorKind};
pub use role::QuestionKind;
use role::{Level, Role};
pub use shapes::Shapes;

/// The shape of a question tool: the names of the tool, and what the keys of its arguments mean.
///
/// The built-in ones are those of `docs/question-tools.md`. A shape is a text of one role a line:
///
/// ```
/// use followup::{Event, Parser, Policy, Shape, Shapes};
///
/// let shape = Shape::parse(
///     "shape quiz
///     tool ask_quiz
///     questions items       # a list of questions
///     text prompt else header
///     header title
///     options choices
///     multiple many :no     # the key, and the value without it
///     custom :no
///     label caption
///     value key",
/// )?;
/// assert_eq!((shape.name(), shape.tools().collect::<Vec<_>>()), ("quiz", vec!["ask_quiz"]));
///
/// let policy = Policy::new().with_shapes(Shapes::new([shape]));
/// let mut parser = Parser::arguments_of("ask_quiz", policy).unwrap();
/// drop(parser.feed(r#"{"items": [{"prompt": "Tea?", "choices": [{"key": 7, "caption": "Yes"}]}]}"#));
/// match parser.finish().next() {
///     Some(Event::Complete(call)) => {
///         let question = call.questions().get(0).unwrap();
///         assert_eq!((question.text, question.multiple), ("Tea?", Some(false)));
///         let option = question.suggestions.get(0).unwrap();
///         assert_eq!((option.answer, option.value), ("Yes", Some("7")));
///     }
///     other => panic!("{other:?}"),
/// }
/// # Ok::<(), followup::ShapeError>(())
/// ```
///
/// Cost: a shape keeps one allocation, besides its text, if that is not built in; one more with
/// more than 24 keys, and one more with more than four tools. Clones share it.
#[derive(Clone)]
pub struct Shape(Arc<Table>);

/// A range of a shape's text, in bytes.
type Span = (u16, u16);

/// The compiled text of a shape.
#[derive(Clone, Debug, Default)]
struct Table {
    text: Cow<'static, str>,
    name: Span,
    tools: SmallVec<[Span; 4]>,
    entries: SmallVec<[Entry; 24]>,
    /// The key of a form, and the name of the built-in shape that reads it.
    form: Option<(Span, Span)>,
    text_fallback: SmallVec<[Role; 3]>,
    label_fallback: SmallVec<[Role; 3]>,
    id_fallback: SmallVec<[Role; 3]>,
    /// The name of the tool is so common that other tools have it, too.
    is_generic: bool,
    /// A call of a generic tool counts only once it has an option.
    ///
    /// Of another tool, a question without one rejects the call.
    needs_options: bool,
    constants: Constants,
}

/// What of a shape does not depend on keys.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Constants {
    pub(crate) multiple: Option<bool>,
    pub(crate) custom: Option<bool>,
    pub(crate) required: Option<bool>,
    pub(crate) kind: Option<QuestionKind>,
    /// Options are usually strings.
    pub(crate) strings: bool,
    /// The arguments may be the one question themselves.
    pub(crate) single: bool,
    /// The two characters `\n` in a text are a line end.
    pub(crate) unescape: bool,
    /// The numbers of questions and of options that the tool's host accepts.
    pub(crate) questions: Option<HostLimit>,
    pub(crate) options: Option<HostLimit>,
}

/// How many of something a tool's host accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct HostLimit {
    pub(crate) min: u16,
    pub(crate) max: u16,
}

impl HostLimit {
    pub(crate) fn allows(self, count: usize) -> bool {
        (usize::from(self.min)..=usize::from(self.max)).contains(&count)
    }
}

/// A key, or a path of keys, with its role.
#[derive(Clone, Copy, Debug)]
struct Entry {
    role: Role,
    key: Span,
}

/// The result of looking a key up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoundKey {
    /// The key has a role. `entry` tells aliases of a role apart.
    Role { role: Role, entry: u8 },
    /// The key is the beginning of a path.
    Path,
    /// The value is a form: another shape reads these arguments.
    Form,
    /// The key has no meaning.
    Nothing,
}

impl Shape {
    /// Returns the built-in shape of this name; `None` if there is none.
    ///
    /// ```
    /// use followup::Shape;
    ///
    /// let shape = Shape::built_in("claude").unwrap();
    /// assert!(shape.tools().eq(["AskUserQuestion"]));
    /// assert!(Shape::built_in("nothing").is_none());
    /// ```
    pub fn built_in(name: &str) -> Option<Shape> {
        let text = builtin::text(name)?;
        parse::table(text.into()).ok().map(|table| Shape(Arc::new(table)))
    }

    /// Returns the names of the built-in shapes, in the order in which they are tried.
    pub fn built_in_names() -> impl Iterator<Item = &'static str> {
        builtin::names()
    }

    /// Parses one shape.
    ///
    /// # Errors
    ///
    /// If the text is no shape: the line, the column, and what is wrong there.
    ///
    /// ```
    /// use followup::Shape;
    ///
    /// let error = Shape::parse("shape quiz\ntool ask\nquestions q\ntittle t").unwrap_err();
    /// assert_eq!((error.line(), error.column()), (4, 1));
    /// assert!(error.to_string().starts_with("line 4, column 1: `tittle` is no role"));
    /// ```
    pub fn parse(text: impl Into<String>) -> Result<Shape, ShapeError> {
        parse::table(text.into().into()).map(|table| Shape(Arc::new(table)))
    }

    /// Returns its name.
    pub fn name(&self) -> &str {
        self.slice(self.0.name)
    }

    /// Returns the names of the tools whose calls it reads.
    pub fn tools(&self) -> impl Iterator<Item = &str> {
        self.0.tools.iter().map(|&span| self.slice(span))
    }

    /// Returns `true` if the tools' names are generic.
    ///
    /// Then a tool that asks nothing may have the name, too. In a provider's stream, such a call
    /// counts only if its arguments have the shape; otherwise it is
    /// [`Opaque`](crate::Event::Opaque). In envelopes it counts only in a list that was made by
    /// [`Shapes::new`] or [`Shapes::parse`].
    /// [`Parser::arguments_of`](crate::Parser::arguments_of) reads whatever it is given.
    ///
    /// ```
    /// use followup::{Event, Parser, Policy, Shape, Shapes};
    ///
    /// let shape = Shape::built_in("opencode").unwrap();
    /// assert!(shape.is_generic() && shape.tools().eq(["question"]));
    /// let message = "<invoke name=\"question\"><parameter name=\"questions\">\
    ///     [{\"question\": \"Tea?\", \"options\": [{\"label\": \"Yes\"}]}]</parameter></invoke>";
    /// let asks = |shapes: Shapes| {
    ///     let mut parser = Parser::new(Policy::new().with_shapes(shapes));
    ///     let mut asks = false;
    ///     parser.feed(message).for_each(|event| asks |= matches!(event, Event::Partial(_)));
    ///     asks
    /// };
    /// assert!(!asks(Shapes::default()));
    /// assert!(asks(Shapes::new([shape])));
    /// ```
    pub fn is_generic(&self) -> bool {
        self.0.is_generic
    }

    /// Returns `true` if a call needs options.
    ///
    /// Then a call of a tool with a generic name counts only once it has one, and a question of any
    /// other tool is rejected without one.
    pub(crate) fn needs_options(&self) -> bool {
        self.0.needs_options
    }

    /// Returns its text.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    fn slice(&self, span: Span) -> &str {
        self.0.slice(span)
    }

    /// Looks up a key, or a path of keys, in an object of this level.
    pub(crate) fn find(&self, level: Level, path: &[u8]) -> FoundKey {
        let table = &*self.0;
        let mut found = FoundKey::Nothing;
        for (i, entry) in table.entries.iter().enumerate() {
            if entry.role.level() != level {
                continue;
            }
            match table.slice(entry.key).as_bytes().strip_prefix(path) {
                Some([]) => return FoundKey::Role { role: entry.role, entry: i as u8 },
                Some([b'.', ..]) => found = FoundKey::Path,
                _ => {}
            }
        }
        match table.form {
            Some((key, _)) if level == Level::Call && table.slice(key).as_bytes() == path => FoundKey::Form,
            _ => found,
        }
    }

    /// Returns `true` if a key of the arguments is a main one.
    ///
    /// Its value is the questions, or the text or the options of the one question.
    pub(crate) fn is_main_key(&self, key: &[u8]) -> bool {
        let role = |level| if let FoundKey::Role { role, .. } = self.find(level, key) { Some(role) } else { None };
        let is_list = matches!(role(Level::Call), Some(Role::Questions | Role::QuestionMap | Role::Lines));
        let may_be_single = !self.has(Role::QuestionMap) && !self.has(Role::Lines);
        is_list || may_be_single && matches!(role(Level::Question), Some(Role::Text | Role::Options))
    }

    /// Returns the shape that reads a form.
    pub(crate) fn form(&self) -> Option<Shape> {
        self.0.form.and_then(|(_, name)| Shape::built_in(self.slice(name)))
    }

    pub(crate) fn has(&self, role: Role) -> bool {
        self.0.entries.iter().any(|entry| entry.role == role)
    }

    pub(crate) fn constants(&self) -> Constants {
        self.0.constants
    }

    /// Returns what stands in for a value that is missing when its object ends, best first.
    pub(crate) fn fallback(&self, role: Role) -> &[Role] {
        match role {
            Role::Text => &self.0.text_fallback,
            Role::Label => &self.0.label_fallback,
            Role::Id => &self.0.id_fallback,
            _ => &[],
        }
    }
}

impl Table {
    fn slice(&self, (start, end): Span) -> &str {
        self.text.get(usize::from(start)..usize::from(end)).unwrap_or_default()
    }
}

/// Parses one shape, as [`Shape::parse`] does.
impl FromStr for Shape {
    type Err = ShapeError;

    fn from_str(text: &str) -> Result<Shape, ShapeError> {
        Shape::parse(text)
    }
}

impl PartialEq for Shape {
    fn eq(&self, other: &Shape) -> bool {
        self.text() == other.text()
    }
}

impl Eq for Shape {}

impl Hash for Shape {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text().hash(state);
    }
}

impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Shape").field(&self.name()).finish()
    }
}
