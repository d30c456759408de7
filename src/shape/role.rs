//! Roles: what a key of a question tool's arguments means.

/// The object that contains a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Level {
    /// The arguments of the call.
    Call,
    /// A question.
    Question,
    /// An option.
    Option,
}

/// Defines the roles, each with its name in a shape's text.
macro_rules! roles {
    ($($(#[$doc:meta])* $role:ident = $name:literal,)*) => {
        /// What the value of a key means.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
        pub(crate) enum Role {
            $($(#[$doc])* $role,)*
        }

        impl Role {
            /// Returns the role with this name.
            pub(super) fn named(name: &str) -> Option<Role> {
                match name {
                    $($name => Some(Role::$role),)*
                    _ => None,
                }
            }
        }
    };
}

roles! {
    // Of the call.
    /// The list of questions.
    Questions = "questions",
    /// An object of questions, whose keys are their ids.
    QuestionMap = "question-map",
    /// All questions as lines of one text.
    Lines = "lines",
    /// A list of the ids of the questions that have to be answered.
    RequiredIds = "required-ids",
    /// A text above all questions.
    Title = "title",
    // Of a question.
    Id = "id",
    Text = "text",
    Header = "header",
    Detail = "detail",
    Placeholder = "placeholder",
    Options = "options",
    Multiple = "multiple",
    Custom = "custom",
    Kind = "kind",
    Required = "required",
    Default = "default",
    /// A list of labels for options that are given as values.
    Names = "names",
    /// The index of the recommended option.
    RecommendedIndex = "recommended-index",
    // Of an option.
    Label = "label",
    Description = "description",
    Value = "value",
    Mode = "mode",
    Preview = "preview",
    Recommended = "recommended",
}

impl Role {
    /// Returns the object that its key belongs to.
    pub(super) fn level(self) -> Level {
        match self {
            Role::Questions | Role::QuestionMap | Role::Lines | Role::RequiredIds | Role::Title => Level::Call,
            Role::Label | Role::Description | Role::Value | Role::Mode | Role::Preview | Role::Recommended => {
                Level::Option
            }
            _ => Level::Question,
        }
    }
}

/// What a question asks for, if it is not a choice between its options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "lowercase"))]
#[non_exhaustive]
pub enum QuestionKind {
    /// A text of the user's own.
    Text,
    /// Yes or no. They are its options.
    YesNo,
    /// A number.
    Number,
}

impl QuestionKind {
    /// Returns the kind as one word, for programs: `text`, `yesno` or `number`.
    pub fn name(self) -> &'static str {
        match self {
            QuestionKind::Text => "text",
            QuestionKind::YesNo => "yesno",
            QuestionKind::Number => "number",
        }
    }
}

/// What a word says about the kind of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KindWord {
    Is(QuestionKind),
    /// Several options can be chosen.
    Multiple,
    /// A text, if the question has no options.
    TextWithoutOptions,
    /// A choice, or a word that is not known.
    Choice,
}

impl KindWord {
    pub(crate) fn of(word: &[u8]) -> KindWord {
        match word {
            b"text" | b"free_text" => KindWord::Is(QuestionKind::Text),
            b"yesno" | b"yes_no" | b"boolean" => KindWord::Is(QuestionKind::YesNo),
            b"number" | b"integer" => KindWord::Is(QuestionKind::Number),
            b"multi_choice" | b"multi_select" | b"array" => KindWord::Multiple,
            b"string" => KindWord::TextWithoutOptions,
            _ => KindWord::Choice,
        }
    }
}
