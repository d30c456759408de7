//! Remarks on a call.

use core::fmt;

/// A remark on a call: a repair that was made, or something that was dropped. Its `Display` is a sentence for people.
///
/// ```
/// assert_eq!(followup::Note::UnclosedQuestion.to_string(), "the question has no close tag");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Note {
    /// The question was ended by `<follow_up>` or by the end of the call.
    UnclosedQuestion,
    /// A suggestion, or an element inside it, was ended by something else than its close tag.
    UnclosedSuggestion,
    /// The call ended in an open `follow_up`.
    UnclosedFollowUp,
    /// The call ended in open `options`.
    UnclosedOptions,
    /// A tool's opening tag ended the call.
    UnclosedCall,
    /// The stream ended before the call did; the question was there, and no value was cut.
    StreamEnded,
    /// A close tag closed nothing.
    StrayCloseTag,
    /// An opening tag right behind a back-tick was kept as text.
    TagInCode,
    /// A suggestion stood outside `follow_up`.
    OutsideFollowUp,
    /// There was no `<question>`; the text in front of the first parameter was taken for it.
    BareQuestion,
    /// The opening tag was named in prose and no call followed. Only the strict policy says so, in a rejection; otherwise it is text.
    OnlyNamed,
    /// There was more than one `<question>`; the first that was not blank counts. No repair.
    RepeatedQuestion,
    /// There were more suggestions than the limit. No repair.
    SuggestionsDropped,
    /// A list of options could not be read as JSON, or was too long. No repair.
    UnreadableList,
    /// In a native call, a string held a control character, or a `\\` that begins no escape; it was kept as it is.
    IllFormedString,
    /// Behind the arguments of a native call stood something else, which was ignored.
    TextBehindArguments,
    /// In a native call, an object stood where the list of suggestions should have been.
    SuggestionsAsObject,
    /// In a native call, a string stood where the list of suggestions should have been.
    SuggestionsAsText,
    /// In a native call, there was a second list of suggestions of the same name; the first that was not empty counts. No repair.
    RepeatedSuggestions,
    /// In a native call, a suggestion was an array, or an object without an answer, and was dropped. No repair.
    UnreadableSuggestion,
    /// The arguments of a native call are not JSON. Only in a rejection: it is beyond repair.
    IllFormedJson,
    /// A part of a provider's stream was lost while the call was open. Only in a rejection: it is beyond repair.
    PartLost,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Note::UnclosedQuestion => "the question has no close tag",
            Note::UnclosedSuggestion => "a suggestion has no close tag",
            Note::UnclosedFollowUp => "follow_up has no close tag",
            Note::UnclosedOptions => "options has no close tag",
            Note::UnclosedCall => "the call has no close tag before another tool's opening tag",
            Note::StreamEnded => "the message ended before the call was closed",
            Note::StrayCloseTag => "a close tag closes nothing",
            Note::TagInCode => "an opening tag in code was kept as text",
            Note::OutsideFollowUp => "a suggestion stands outside follow_up",
            Note::BareQuestion => "the question has no tag",
            Note::OnlyNamed => "the opening tag is named in prose, and no call follows",
            Note::RepeatedQuestion => "there is more than one question; the first was taken",
            Note::SuggestionsDropped => "there are too many suggestions; the last were dropped",
            Note::UnreadableList => "a list of options is no JSON list and was dropped",
            Note::IllFormedString => "a string is not quite JSON and was kept as it is",
            Note::TextBehindArguments => "there is text behind the arguments",
            Note::SuggestionsAsObject => "the suggestions are an object, not a list",
            Note::SuggestionsAsText => "the suggestions are a string, not a list",
            Note::RepeatedSuggestions => {
                "there is more than one list of suggestions of the same name; the first was taken"
            }
            Note::UnreadableSuggestion => "a suggestion without an answer was dropped",
            Note::IllFormedJson => "the arguments are not JSON",
            Note::PartLost => "a part of the stream was lost while the call was open",
        })
    }
}
