//! The questions of a call that a shape reads: one arena for all texts, and ranges into it.
//!
//! A form knows no JSON and no keys. A reader tells it what begins, what is appended and what ends.

use alloc::string::String;
use alloc::vec::Vec;

use smallvec::SmallVec;

use super::{Addition, Field, Range};
use crate::config::Limits;
use crate::shape::QuestionKind;
use crate::utf8;

/// A text of a question or an option. It is empty while nothing of it is certain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Slot {
    start: usize,
    end: usize,
    /// How much of it partials have shown.
    shown: usize,
}

impl Slot {
    pub(crate) fn is_empty(self) -> bool {
        self.start == self.end
    }

    fn range(self) -> Range {
        (self.start, self.end)
    }

    /// Returns what has not been shown, and counts it as shown.
    fn next_delta(&mut self) -> Option<Range> {
        let shown = core::mem::replace(&mut self.shown, self.end - self.start);
        (shown < self.shown).then_some((self.start + shown, self.end))
    }

    fn is_in_bounds(self, text: &str) -> bool {
        text.get(self.start..self.end).is_some_and(|text| text.is_char_boundary(self.shown))
    }
}

/// A text of a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum QuestionText {
    Text,
    Header,
    Detail,
    Id,
    Placeholder,
}

/// A text of an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum OptionText {
    Label,
    Description,
    Preview,
    Value,
    Mode,
}

/// A text of the call, or of the newest question or option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Place {
    Title,
    Question(QuestionText),
    Option(OptionText),
}

impl Place {
    /// Returns the field of its partials; `None` if it is shown only once it has ended.
    fn field(self) -> Option<Field> {
        match self {
            Place::Title => Some(Field::Title),
            Place::Question(QuestionText::Text) => Some(Field::Question),
            Place::Question(QuestionText::Header) => Some(Field::Header),
            Place::Question(QuestionText::Detail) => Some(Field::Detail),
            Place::Option(OptionText::Label) => Some(Field::Suggestion),
            Place::Option(OptionText::Description) => Some(Field::Description),
            Place::Option(OptionText::Preview) => Some(Field::Preview),
            Place::Question(QuestionText::Id | QuestionText::Placeholder) => None,
            Place::Option(OptionText::Value | OptionText::Mode) => None,
        }
    }

    fn grows(self) -> bool {
        self.field().is_some()
    }

    /// Returns how long the text may be.
    pub(crate) fn limit(self, limits: &Limits) -> usize {
        match self {
            Place::Question(QuestionText::Text) => limits.question,
            Place::Question(QuestionText::Header | QuestionText::Id) => limits.header,
            Place::Title | Place::Question(QuestionText::Detail | QuestionText::Placeholder) => limits.description,
            Place::Option(OptionText::Label | OptionText::Value | OptionText::Mode) => limits.answer,
            Place::Option(OptionText::Description | OptionText::Preview) => limits.description,
        }
    }
}

/// A question.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct FormQuestion {
    texts: [Slot; 5],
    pub(crate) multiple: Option<bool>,
    pub(crate) custom: Option<bool>,
    pub(crate) required: Option<bool>,
    pub(crate) kind: Option<QuestionKind>,
    defaults: SmallVec<[Range; 1]>,
    /// The index of its first option.
    first_option: usize,
    /// How many of its options partials have shown.
    shown_options: usize,
    /// A partial has shown that it exists.
    is_shown: bool,
    /// Something that is no growing text became known after the last partial.
    has_news: bool,
    is_closed: bool,
}

/// An option.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct FormOption {
    texts: [Slot; 5],
    pub(crate) recommended: bool,
    has_news: bool,
    is_closed: bool,
}

impl FormQuestion {
    pub(crate) fn text(&self, text: QuestionText) -> Slot {
        self.texts[text as usize]
    }

    /// Returns what is known of it that is no growing text.
    pub(crate) fn known(&self) -> impl PartialEq + use<> {
        let has_id = !self.text(QuestionText::Id).is_empty();
        (self.multiple, self.custom, self.required, self.kind, has_id)
    }

    /// Returns whether there is something to show of it, apart from its options.
    fn has_text(&self) -> bool {
        !self.text(QuestionText::Text).is_empty() || !self.text(QuestionText::Header).is_empty()
    }
}

impl FormOption {
    pub(crate) fn note_news(&mut self) {
        self.has_news = true;
    }

    pub(crate) fn text(&self, text: OptionText) -> Slot {
        self.texts[text as usize]
    }

    fn next_delta(&mut self) -> Option<(Field, Range)> {
        let label = &mut self.texts[OptionText::Label as usize];
        if label.is_empty() {
            return None;
        }
        let place = (label.start, label.start);
        let texts = [
            (OptionText::Label, Field::Suggestion),
            (OptionText::Description, Field::Description),
            (OptionText::Preview, Field::Preview),
        ];
        let mut delta = |(text, field)| Some((field, self.texts[text as usize].next_delta()?));
        let found = texts.into_iter().find_map(&mut delta);
        let had_news = core::mem::take(&mut self.has_news);
        found.or(had_news.then_some((Field::Suggestion, place)))
    }
}

/// The text that is being read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
struct OpenText {
    place: Place,
    start: usize,
    /// It has a character that is not blank.
    exists: bool,
    /// It ends in a `\` that may begin the two characters of a line end.
    escape: bool,
}

impl OpenText {
    /// Returns where in the arena it has to end, and what is too long beyond that.
    fn end(self, limits: &Limits) -> (usize, TooLong) {
        let end = self.start.saturating_add(self.place.limit(limits));
        if end <= limits.texts { (end, TooLong::Text) } else { (limits.texts, TooLong::Texts) }
    }
}

/// What is longer than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TooLong {
    Text,
    /// All texts of the form together.
    Texts,
}

/// The questions of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct Form {
    pub(crate) tool: String,
    pub(crate) shape: String,
    text: String,
    title: Slot,
    questions: Vec<FormQuestion>,
    options: Vec<FormOption>,
    open: Option<OpenText>,
    /// The newest question, or its newest option, is beyond the limit: it is not kept.
    drops_question: bool,
    drops_option: bool,
    /// Ids of questions that have to be answered.
    required: SmallVec<[Range; 4]>,
    /// Labels for options that are given as values.
    names: SmallVec<[Range; 4]>,
    /// The question that the next partial may be about.
    cursor: usize,
    /// The question, and the option in it, that the last partial was about.
    last: (usize, Option<usize>),
}

impl Form {
    pub(crate) fn new(tool: &str, shape: &str) -> Form {
        Form { tool: tool.into(), shape: shape.into(), ..Form::default() }
    }

    // Questions.

    /// Begins a question. Returns `false` if it is beyond the limit.
    pub(crate) fn begin_question(&mut self, limits: &Limits) -> bool {
        self.drops_question = self.questions.len() >= limits.questions;
        if !self.drops_question {
            let first_option = self.options.len();
            self.questions.push(FormQuestion { first_option, ..FormQuestion::default() });
        }
        !self.drops_question
    }

    /// Returns the question that is open, unless it is dropped.
    pub(crate) fn open_question(&mut self) -> Option<&mut FormQuestion> {
        let is_dropped = self.drops_question;
        self.questions.last_mut().filter(|question| !question.is_closed && !is_dropped)
    }

    /// Drops the open question, of which nothing can have been shown. Returns `false` if something
    /// can.
    pub(crate) fn drop_question(&mut self) -> bool {
        let options = self.options.len();
        let can_be_dropped = self.open_question().is_some_and(|one| !one.has_text() && one.first_option == options);
        if can_be_dropped {
            self.questions.pop();
            self.names.clear();
        }
        can_be_dropped
    }

    /// Lets the text of another role stand in for the question's text, or for its id.
    ///
    /// A text that is shown on its own stays; any other moves.
    pub(crate) fn stand_in(&mut self, for_text: QuestionText, text: QuestionText) {
        let stays = matches!(text, QuestionText::Header | QuestionText::Id);
        let Some(question) = self.open_question() else { return };
        let slot = question.text(text);
        if !stays {
            question.texts[text as usize] = Slot::default();
        }
        question.texts[for_text as usize] = Slot { shown: 0, ..slot };
        question.has_news |= for_text == QuestionText::Id;
    }

    /// Notes that something is known of the open question that is no growing text.
    pub(crate) fn note_news(&mut self) {
        if let Some(question) = self.open_question() {
            question.has_news = true;
        }
    }

    /// Ends the open question.
    pub(crate) fn end_question(&mut self) {
        if let Some(question) = self.open_question() {
            question.is_closed = true;
        }
        self.names.clear();
        self.drops_question = false;
    }

    /// Returns the labels for options that are given as values.
    pub(crate) fn take_names(&mut self) -> SmallVec<[Range; 4]> {
        core::mem::take(&mut self.names)
    }

    // Options.

    /// Begins an option of the open question. Returns `false` if it is beyond the limit.
    pub(crate) fn begin_option(&mut self, limits: &Limits) -> bool {
        let options = self.options.len();
        let has_room = self.open_question().map(|question| options - question.first_option < limits.suggestions);
        self.drops_option = has_room != Some(true);
        if !self.drops_option {
            self.options.push(FormOption::default());
        }
        has_room != Some(false)
    }

    /// Returns the option that is open, unless it is dropped.
    pub(crate) fn open_option(&mut self) -> Option<&mut FormOption> {
        let is_dropped = self.drops_option || self.drops_question;
        self.options.last_mut().filter(|option| !option.is_closed && !is_dropped)
    }

    /// Moves another text of the open option to its label.
    pub(crate) fn move_to_label(&mut self, text: OptionText) {
        if let Some(option) = self.open_option() {
            option.texts[OptionText::Label as usize] = Slot { shown: 0, ..option.text(text) };
            option.texts[text as usize] = Slot::default();
        }
        self.read_mark();
    }

    /// Ends the open option. Without a label it is dropped, unless it `waits` for one. Returns
    /// whether it has a label, or waits.
    pub(crate) fn end_option(&mut self, waits: bool) -> bool {
        if core::mem::take(&mut self.drops_option) || self.drops_question {
            return true;
        }
        let Some(option) = self.open_option() else { return true };
        let exists = !option.text(OptionText::Label).is_empty() || waits;
        option.is_closed = true;
        if !exists {
            self.options.pop();
        }
        exists
    }

    /// Marks the open option as recommended if its label says so.
    fn read_mark(&mut self) {
        let label = self.open_option().map(|option| option.text(OptionText::Label).range());
        if label.is_some_and(|label| has_mark(self.slice(label)))
            && let Some(option) = self.open_option()
        {
            option.has_news |= !option.recommended;
            option.recommended = true;
        }
    }

    /// Returns the options of the open question.
    pub(crate) fn open_options(&mut self) -> &mut [FormOption] {
        let first = self.open_question().map(|question| question.first_option);
        first.and_then(|first| self.options.get_mut(first..)).unwrap_or_default()
    }

    /// Marks an option of the open question as recommended.
    pub(crate) fn recommend(&mut self, index: usize) {
        if let Some(option) = self.open_options().get_mut(index) {
            option.recommended = true;
            option.has_news = true;
        }
    }

    /// Gives the options of the open question that have only a value a label: the name at their
    /// index, or else the value.
    pub(crate) fn name_options(&mut self) {
        let names = self.take_names();
        let Some(first) = self.open_question().map(|question| question.first_option) else { return };
        for i in first..self.options.len() {
            let option = &self.options[i];
            let value = option.text(OptionText::Value);
            if !option.text(OptionText::Label).is_empty() {
                continue;
            }
            let name = names.get(i - first).copied().filter(|&name| !self.slice(name).trim().is_empty());
            let (start, end) = name.unwrap_or(value.range());
            let is_recommended = has_mark(self.slice((start, end)));
            let option = &mut self.options[i];
            option.texts[OptionText::Label as usize] = Slot { start, end, shown: 0 };
            option.recommended |= is_recommended;
            if name.is_none() {
                option.texts[OptionText::Value as usize] = Slot::default();
            }
        }
    }

    // Texts.

    /// Begins a text of the call, or of the open question or option.
    pub(crate) fn begin_text(&mut self, place: Place) {
        let exists = match place {
            Place::Title => true,
            Place::Question(_) => self.open_question().is_some(),
            Place::Option(_) => self.open_option().is_some(),
        };
        let start = self.text.len();
        self.open = exists.then_some(OpenText { place, start, exists: false, escape: false });
    }

    /// Appends to the text that is being read.
    ///
    /// `unescape`: the two characters `\n` are a line end.
    pub(crate) fn push(&mut self, text: &str, unescape: bool, limits: &Limits) -> Result<(), TooLong> {
        let Some(mut open) = self.open else { return Ok(()) };
        let mut rest = text;
        if open.escape && !rest.is_empty() {
            open.escape = false;
            match rest.strip_prefix('n') {
                Some(after) => (self.text.push('\n'), rest = after),
                None => (self.text.push('\\'), ()),
            };
        }
        while unescape && let Some(at) = rest.find('\\') {
            self.text.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            match rest.strip_prefix('n') {
                Some(after) => (self.text.push('\n'), rest = after),
                None if rest.is_empty() => ((), open.escape = true),
                None => (self.text.push('\\'), ()),
            };
        }
        self.text.push_str(rest);
        let (end, beyond) = open.end(limits);
        let is_too_long = self.text.len() + usize::from(open.escape) > end;
        if is_too_long {
            utf8::truncate(&mut self.text, end);
        }
        open.exists = open.exists || !self.text[open.start..].trim_start().is_empty();
        self.open = Some(open);
        self.set_open_end();
        if is_too_long { Err(beyond) } else { Ok(()) }
    }

    /// Makes certain what does not depend on which character the incomplete sequence `tail` becomes.
    pub(crate) fn foresee_char(&mut self, tail: &[u8], limits: &Limits) {
        let Some(open) = &mut self.open else { return };
        // An ill-formed sequence becomes U+FFFD, of three bytes.
        let longest = if tail.first().is_some_and(|&byte| byte >= 0xF0) { 4 } else { 3 };
        let end = self.text.len() + usize::from(open.escape) + longest;
        if !utf8::may_be_blank(tail) && end <= open.end(limits).0 {
            if core::mem::take(&mut open.escape) {
                self.text.push('\\');
            }
            open.exists = true;
            self.set_open_end();
        }
    }

    /// Makes the text that is being read certain, if it is shown while it grows.
    fn set_open_end(&mut self) {
        let Some(OpenText { place, start, exists: true, .. }) = self.open else { return };
        if place.grows() {
            self.set(place, (start, self.text.len()));
        }
    }

    fn set(&mut self, place: Place, (start, end): Range) {
        if let Some(slot) = self.slot_mut(place) {
            (slot.start, slot.end) = (start, end);
        }
    }

    /// Returns a text of the call, or of the open question or option.
    fn slot_mut(&mut self, place: Place) -> Option<&mut Slot> {
        match place {
            Place::Title => Some(&mut self.title),
            Place::Question(text) => self.open_question().map(|question| &mut question.texts[text as usize]),
            Place::Option(text) => self.open_option().map(|option| &mut option.texts[text as usize]),
        }
    }

    /// Takes the fast path: appends to a text of which all has been shown.
    ///
    /// Returns what is to be shown; `None` if it is not as simple as that, and then nothing has
    /// changed.
    pub(crate) fn push_plain(&mut self, text: &str, limits: &Limits) -> Option<Addition> {
        let open = self.open.filter(|open| open.exists && !open.escape)?;
        let OpenText { place, start, .. } = open;
        let field = place.field()?;
        let (shown, end) = (self.text.len(), self.text.len() + text.len());
        let last = match place {
            Place::Title => (0, None),
            Place::Question(_) => (self.cursor, None),
            Place::Option(_) => {
                let first = self.questions.get(self.cursor)?.first_option;
                (self.cursor, Some(self.options.len().checked_sub(first + 1)?))
            }
        };
        let slot = self.slot_mut(place)?;
        let is_all_shown = slot.shown > 0 && slot.range() == (start, shown) && slot.shown == shown - start;
        if !is_all_shown || end > open.end(limits).0 {
            return None;
        }
        (slot.end, slot.shown) = (end, end - start);
        self.text.push_str(text);
        self.last = last;
        Some((field, (shown, end)))
    }

    /// Ends the text that is being read. A blank one is dropped.
    pub(crate) fn end_text(&mut self) {
        let Some(open) = self.open.take() else { return };
        if open.escape {
            self.text.push('\\');
        }
        if !open.exists && !open.escape {
            return utf8::truncate(&mut self.text, open.start);
        }
        self.set(open.place, (open.start, self.text.len()));
        match open.place {
            Place::Option(OptionText::Label) => self.read_mark(),
            place if place.grows() => {}
            Place::Title => {}
            Place::Question(_) => self.note_news(),
            Place::Option(_) => {
                if let Some(option) = self.open_option() {
                    option.has_news = true;
                }
            }
        }
    }

    /// Appends a word: a name, a default, or an id that is required.
    ///
    /// It is dropped if there is no room.
    pub(crate) fn push_word(&mut self, words: Words, word: &str, limits: &Limits) {
        let start = self.text.len();
        if start + word.len() > limits.texts {
            return;
        }
        self.text.push_str(word);
        let range = (start, self.text.len());
        match words {
            Words::Names => self.names.push(range),
            Words::RequiredIds => self.required.push(range),
            Words::Defaults => match self.open_question() {
                Some(question) => {
                    question.defaults.push(range);
                    question.has_news = true;
                }
                None => utf8::truncate(&mut self.text, start),
            },
        }
    }

    /// Drops what is open and would not be shown: a text, unless it is shown while it grows, options
    /// from the first without a label on, and a question that has nothing else either.
    pub(crate) fn fail(&mut self) {
        if let Some(open) = self.open.take()
            && !open.place.grows()
        {
            utf8::truncate(&mut self.text, open.start);
        }
        let Some(question) = self.questions.last() else { return };
        let options = self.options.get(question.first_option..).unwrap_or_default();
        let labelled = options.iter().take_while(|option| !option.text(OptionText::Label).is_empty()).count();
        self.options.truncate(question.first_option + labelled);
        if labelled == 0 && !question.has_text() {
            self.questions.pop();
            // Whether it has reached that question depends on the chunks.
            self.cursor = self.cursor.min(self.questions.len().saturating_sub(1));
        }
    }

    /// Returns the number of words in a list.
    pub(crate) fn words(&self, words: Words) -> usize {
        match words {
            Words::Names => self.names.len(),
            Words::RequiredIds => self.required.len(),
            Words::Defaults if self.drops_question => 0,
            Words::Defaults => self.questions.last().map_or(0, |question| question.defaults.len()),
        }
    }

    /// Sets which questions have to be answered, if they do not say so: those in the list, and of
    /// the others `default`.
    pub(crate) fn apply_required(&mut self, default: Option<bool>) {
        let required = core::mem::take(&mut self.required);
        for i in 0..self.questions.len() {
            let id = self.slice(self.questions[i].text(QuestionText::Id).range());
            let is_listed = !id.is_empty() && required.iter().any(|&range| self.slice(range) == id);
            let question = &mut self.questions[i];
            question.required = question.required.or(if is_listed { Some(true) } else { default });
        }
    }

    /// Returns whether two questions have the same text, so that their answers can't be told apart.
    pub(crate) fn has_equal_questions(&self) -> bool {
        let text = |question: &FormQuestion| self.slice(question.text(QuestionText::Text).range());
        let is_repeated = |i: usize| self.questions[..i].iter().any(|one| text(one) == text(&self.questions[i]));
        (1..self.questions.len()).any(is_repeated)
    }

    // What is known, shown and lent.

    /// Returns the bytes of all texts.
    #[cfg(feature = "wire")]
    pub(crate) fn text_len(&self) -> usize {
        self.text.len()
    }

    pub(crate) fn title(&self) -> Slot {
        self.title
    }

    pub(crate) fn questions(&self) -> &[FormQuestion] {
        &self.questions
    }

    /// Returns the options of a question.
    pub(crate) fn options(&self, question: usize) -> &[FormOption] {
        let first = self.questions.get(question).map_or(usize::MAX, |one| one.first_option);
        let end = self.questions.get(question + 1).map_or(self.options.len(), |one| one.first_option);
        self.options.get(first..end).unwrap_or_default()
    }

    pub(crate) fn slice(&self, (start, end): Range) -> &str {
        self.text.get(start..end).unwrap_or_default()
    }

    /// Returns a text as far as it is shown, or all that is certain of it; `None` if that is
    /// nothing.
    pub(crate) fn view(&self, slot: Slot, is_shown: bool) -> Option<&str> {
        let end = if is_shown { slot.start + slot.shown } else { slot.end };
        Some(self.slice((slot.start, end))).filter(|text| !text.is_empty())
    }

    /// Returns `true` if there is a question with a text.
    pub(crate) fn has_question(&self) -> bool {
        self.questions.iter().any(|question| !question.text(QuestionText::Text).is_empty())
    }

    /// Returns the text of a question.
    pub(crate) fn question_text(&self, question: usize, is_shown: bool) -> Option<&str> {
        self.view(self.questions.get(question)?.text(QuestionText::Text), is_shown)
    }

    /// Returns a text that is known only as a whole.
    pub(crate) fn whole(&self, slot: Slot) -> Option<&str> {
        Some(self.slice(slot.range())).filter(|text| !text.is_empty())
    }

    pub(crate) fn defaults(&self, question: usize) -> &[Range] {
        self.questions.get(question).map_or(&[], |question| &question.defaults)
    }

    /// Returns the number of questions that are shown, or of all.
    pub(crate) fn question_count(&self, is_shown: bool) -> usize {
        match is_shown {
            false => self.questions.len(),
            true => self.cursor + usize::from(self.questions.get(self.cursor).is_some_and(|one| one.is_shown)),
        }
    }

    /// Returns the number of a question's options that are shown, or of all.
    pub(crate) fn option_count(&self, question: usize, is_shown: bool) -> usize {
        match is_shown {
            false => self.options(question).len(),
            true => self.questions.get(question).map_or(0, |one| one.shown_options),
        }
    }

    /// Forgets what the last partial was about, which is no part of the state.
    pub(crate) fn forget_last_place(&mut self) {
        self.last = (0, None);
    }

    /// Returns the question, and the option in it, that the last partial was about.
    pub(crate) fn last_place(&self) -> (usize, Option<usize>) {
        self.last
    }

    /// Returns the next part that is certain and has not been shown, and counts it as shown.
    #[inline(never)] // The calls of `ask_followup_question` do not pay for it.
    pub(crate) fn next_delta(&mut self) -> Option<Addition> {
        if let Some(delta) = self.title.next_delta() {
            self.last = (0, None);
            return Some((Field::Title, delta));
        }
        loop {
            let end = self.questions.get(self.cursor + 1).map_or(self.options.len(), |next| next.first_option);
            let question = self.questions.get_mut(self.cursor)?;
            if let Some(delta) = question_delta(question) {
                (question.is_shown, self.last) = (true, (self.cursor, None));
                return Some(delta);
            }
            let options = self.options.get_mut(question.first_option..end).unwrap_or_default();
            // Of the options that are shown only the last can have changed, unless a flag of the
            // question changes them when it ends.
            let last = if question.is_closed { 0 } else { question.shown_options.saturating_sub(1) };
            for (i, option) in options.iter_mut().enumerate().skip(last) {
                // One that waits for its label holds those after it back.
                if option.text(OptionText::Label).is_empty() {
                    break;
                }
                if let Some(delta) = option.next_delta() {
                    question.is_shown = true;
                    question.shown_options = question.shown_options.max(i + 1);
                    self.last = (self.cursor, Some(i));
                    return Some(delta);
                }
            }
            if core::mem::take(&mut question.has_news) && (question.is_shown || question.has_text()) {
                (question.is_shown, self.last) = (true, (self.cursor, None));
                let start = question.text(QuestionText::Text).start;
                return Some((Field::Question, (start, start)));
            }
            if !question.is_closed || self.cursor + 1 == self.questions.len() {
                return None;
            }
            self.cursor += 1;
        }
    }

    /// Returns whether the state is one that these limits allow.
    pub(crate) fn is_in_bounds(&self, limits: &Limits) -> bool {
        let slots = |slots: &[Slot]| slots.iter().all(|slot| slot.is_in_bounds(&self.text));
        let ranges = |ranges: &[Range]| ranges.iter().all(|&(start, end)| self.text.get(start..end).is_some());
        let first = |i: usize| self.questions.get(i).map_or(self.options.len(), |one| one.first_option);
        let is_question = |(i, one): (usize, &FormQuestion)| {
            slots(&one.texts)
                && ranges(&one.defaults)
                && one.first_option <= first(i + 1)
                && first(i + 1) - one.first_option <= limits.suggestions
                && one.shown_options <= first(i + 1) - one.first_option
        };
        self.text.len() <= limits.texts
            && self.title.is_in_bounds(&self.text)
            && self.questions.len() <= limits.questions
            && self.questions.iter().enumerate().all(is_question)
            && self.options.iter().all(|one| slots(&one.texts))
            && ranges(&self.required)
            && ranges(&self.names)
            && self.cursor <= self.questions.len()
            && self.open.is_none_or(|open| self.text.is_char_boundary(open.start))
    }
}

/// The lists of words of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Words {
    Names,
    Defaults,
    RequiredIds,
}

/// Returns the next part of a question's own texts.
fn question_delta(question: &mut FormQuestion) -> Option<Addition> {
    let mut delta = |text: QuestionText, field| Some((field, question.texts[text as usize].next_delta()?));
    let found = delta(QuestionText::Header, Field::Header).or_else(|| delta(QuestionText::Text, Field::Question));
    // A detail is shown below its question, so it waits for that.
    let has_text = !question.text(QuestionText::Text).is_empty();
    let found = found.or_else(|| {
        let detail = &mut question.texts[QuestionText::Detail as usize];
        if has_text { Some((Field::Detail, detail.next_delta()?)) } else { None }
    });
    if found.is_some() {
        question.has_news = false;
    }
    found
}

/// Returns whether a label says that its option is recommended.
fn has_mark(label: &str) -> bool {
    const MARK: &str = "(recommended)";
    let label = label.trim();
    let starts = label.get(..MARK.len()).is_some_and(|start| start.eq_ignore_ascii_case(MARK));
    let ends = label.len().checked_sub(MARK.len()).and_then(|at| label.get(at..));
    starts || ends.is_some_and(|end| end.eq_ignore_ascii_case(MARK))
}
