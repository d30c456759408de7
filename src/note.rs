//! Notes: what was repaired in a call or dropped from it.

use core::fmt;

use crate::codes::codes;
use crate::config::Envelope;

/// A remark on a call: a repair, or something that was dropped.
///
/// Its `Display` is a clause for people, without a full stop. A note is a repair unless its
/// description says otherwise. Under the strict policy, the first repair rejects the call; see
/// [`Malformed`](crate::Malformed).
///
/// ```
/// assert_eq!(followup::Note::UnclosedQuestion.to_string(), "the question has no close tag");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub enum Note {
    /// The question was ended by `<follow_up>`, or by the end of the call.
    UnclosedQuestion,
    /// A suggestion, or an element inside it, was ended by something other than its close tag.
    UnclosedSuggestion,
    /// The call ended inside `follow_up`.
    UnclosedFollowUp,
    /// The call ended inside `options`.
    UnclosedOptions,
    /// The call was ended by the opening tag of another tool.
    UnclosedCall,
    /// The stream ended before the call, but after its question and outside any value.
    StreamEnded,
    /// A close tag closed nothing.
    StrayCloseTag,
    /// An opening tag right after a back-tick was kept as text.
    TagInCode,
    /// A suggestion was outside `follow_up`.
    OutsideFollowUp,
    /// There was no `<question>`; the text before the first parameter became the question.
    BareQuestion,
    /// The opening tag was named in prose, and no call followed.
    ///
    /// It occurs only in a rejection under the strict policy. Otherwise the tag is text.
    OnlyNamed,
    /// There was more than one `<question>`; the first that is not blank counts. Not a repair.
    RepeatedQuestion,
    /// There were more suggestions than the limit allows. Not a repair.
    SuggestionsDropped,
    /// A list of options was not a JSON list, or too long, and was dropped. Not a repair.
    UnreadableList,
    /// In a native call, a string contained a control character or an invalid escape.
    ///
    /// Both were kept as text.
    IllFormedString,
    /// Text after the arguments of a native call was ignored.
    TextAfterArguments,
    /// In a native call, the suggestions were an object instead of a list.
    SuggestionsAsObject,
    /// In a native call, the suggestions were a string instead of a list.
    SuggestionsAsText,
    /// A native call had a second list of suggestions of the same name. Not a repair.
    ///
    /// The first that is not empty counts.
    RepeatedSuggestions,
    /// In a native call, an array or an object without an answer was dropped. Not a repair.
    UnreadableSuggestion,
    /// A call of a question tool had more questions than the limit allows. Not a repair.
    QuestionsDropped,
    /// The questions were an object instead of a list.
    QuestionsAsObject,
    /// The questions were a string instead of a list.
    QuestionsAsText,
    /// A question was a string instead of an object.
    QuestionAsText,
    /// An element of the list of questions was none, and was dropped. Not a repair.
    UnreadableQuestion,
    /// The arguments were one question themselves, instead of having a list.
    QuestionWithoutList,
    /// A suggestion was a string instead of an object.
    SuggestionAsText,
    /// A value that is `true` or `false` was a string or a number.
    FlagAsText,
    /// The arguments of a native call were a list instead of an object.
    ListAsArguments,
    /// The arguments of a native call, or an object in them, were a string that holds JSON.
    ArgumentsAsText,
    /// The arguments of a native call were in a code fence.
    FencedArguments,
    /// The tool's own host would refuse the call.
    ///
    /// It has more or fewer questions or suggestions than the host accepts, or two equal questions.
    RefusedByHost,
    /// A key came twice in one object. This can't be repaired.
    RepeatedKey,
    /// The arguments of a native call are not JSON. This can't be repaired.
    IllFormedJson,
    /// The call came as text, in an envelope of this family. Not a repair.
    Envelope(Envelope),
    /// An envelope was not closed as its family closes it.
    UnclosedEnvelope,
    /// A parameter in an envelope was ended by something other than its close tag.
    UnclosedParameter,
    /// The call was in the model's reasoning, in a provider's stream. Not a repair.
    InReasoning,
    /// A part of a provider's stream was lost during the call. This can't be repaired.
    PartLost,
}

codes! {
    /// Returns the note as one word, for programs: `unclosed_question`.
    ///
    /// Codes are unique and don't change. A note of an envelope has the code `envelope`, whatever
    /// the family.
    ///
    /// ```
    /// use followup::{Envelope, Note};
    ///
    /// assert_eq!(Note::UnclosedQuestion.code(), "unclosed_question");
    /// assert_eq!(Note::Envelope(Envelope::Kimi).code(), "envelope");
    /// ```
    Note {
        UnclosedQuestion => "unclosed_question": "the question has no close tag",
        UnclosedSuggestion => "unclosed_suggestion": "a suggestion has no close tag",
        UnclosedFollowUp => "unclosed_follow_up": "follow_up has no close tag",
        UnclosedOptions => "unclosed_options": "options has no close tag",
        UnclosedCall => "unclosed_call": "the call has no close tag before another tool's opening tag",
        StreamEnded => "stream_ended": "the message ended before the call was closed",
        StrayCloseTag => "stray_close_tag": "a close tag closes nothing",
        TagInCode => "tag_in_code": "an opening tag in code was kept as text",
        OutsideFollowUp => "outside_follow_up": "a suggestion is outside follow_up",
        BareQuestion => "bare_question": "the question has no tag",
        OnlyNamed => "only_named": "the opening tag is named in prose, and no call follows",
        RepeatedQuestion => "repeated_question": "there is more than one question; the first was taken",
        SuggestionsDropped => "suggestions_dropped": "there are too many suggestions; the last were dropped",
        UnreadableList => "unreadable_list": "a list of options is not a JSON list and was dropped",
        IllFormedString => "ill_formed_string": "a string is not valid JSON and was kept as it is",
        TextAfterArguments => "text_after_arguments": "there is text after the arguments",
        SuggestionsAsObject => "suggestions_as_object": "the suggestions are an object, not a list",
        SuggestionsAsText => "suggestions_as_text": "the suggestions are a string, not a list",
        RepeatedSuggestions => "repeated_suggestions":
            "there is more than one list of suggestions of the same name; the first was taken",
        UnreadableSuggestion => "unreadable_suggestion": "a suggestion without an answer was dropped",
        QuestionsDropped => "questions_dropped": "there are too many questions; the last were dropped",
        QuestionsAsObject => "questions_as_object": "the questions are an object, not a list",
        QuestionsAsText => "questions_as_text": "the questions are a string, not a list",
        QuestionAsText => "question_as_text": "a question is a string, not an object",
        UnreadableQuestion => "unreadable_question": "an element of the list of questions is none and was dropped",
        QuestionWithoutList => "question_without_list": "the arguments are one question, not a list of questions",
        SuggestionAsText => "suggestion_as_text": "a suggestion is a string, not an object",
        FlagAsText => "flag_as_text": "a value that is true or false is a string or a number",
        ListAsArguments => "list_as_arguments": "the arguments are a list, not an object",
        ArgumentsAsText => "arguments_as_text": "the arguments are a string that holds JSON",
        FencedArguments => "fenced_arguments": "the arguments are in a code fence",
        RefusedByHost => "refused_by_host":
            "the tool's own host would refuse the call: too many or too few questions or suggestions, or two equal questions",
        RepeatedKey => "repeated_key": "a key comes twice in one object",
        IllFormedJson => "ill_formed_json": "the arguments are not JSON",
        UnclosedEnvelope => "unclosed_envelope": "the envelope of the call is not closed",
        UnclosedParameter => "unclosed_parameter": "a parameter has no close tag",
        InReasoning => "in_reasoning": "the call was in the model's reasoning",
        PartLost => "part_lost": "a part of the stream was lost while the call was open",
    }
    Envelope(_) => "envelope": "the call came as text, in an envelope of the family ",
}

/// Returns the family of the envelope that is among the notes.
pub(crate) fn envelope(notes: &[Note]) -> Option<Envelope> {
    notes.iter().find_map(|note| match note {
        Note::Envelope(family) => Some(*family),
        _ => None,
    })
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.words())?;
        if let Note::Envelope(family) = self { write!(f, "{family}") } else { Ok(()) }
    }
}
