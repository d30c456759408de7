//! The questions of a call that a shape reads: one arena for all texts, and ranges into it.
//!
//! A form knows no JSON and no keys. A reader tells it what begins, what is appended and what ends.

mod parts;
mod view;

use alloc::string::String;
use alloc::vec::Vec;

use smallvec::SmallVec;

use super::{Addition, Range};
use crate::config::{Limits, Policy};
use crate::unsaved::Unsaved;
use crate::utf8;
use parts::Slot;
pub(crate) use parts::{OptionParts, OptionText, Place, QuestionParts, QuestionText};

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

/// The lists of words of a form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) enum Words {
    Names,
    Defaults,
    RequiredIds,
}

/// The questions of a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub(crate) struct CallForm {
    pub(crate) tool: String,
    pub(crate) shape: String,
    text: String,
    title: Slot,
    questions: Vec<QuestionParts>,
    options: Vec<OptionParts>,
    open: Option<OpenText>,
    /// Ids of questions that have to be answered.
    required: SmallVec<[Range; 4]>,
    /// Labels for options that are given as values.
    names: SmallVec<[Range; 4]>,
    /// The question that the next partial may be about; after the last one, if all are closed.
    cursor: usize,
    /// The question, and the option in it, that the last partial was about.
    #[cfg_attr(feature = "serde", serde(skip))]
    last: Unsaved<(usize, Option<usize>)>,
}

impl CallForm {
    pub(crate) fn new(tool: &str, shape: &str) -> CallForm {
        CallForm { tool: tool.into(), shape: shape.into(), ..CallForm::default() }
    }

    // Questions.

    /// Begins a question, after the one before it has ended.
    ///
    /// Returns `false` if it is beyond the limit: then none is open.
    pub(crate) fn begin_question(&mut self, limits: &Limits) -> bool {
        let has_room = self.questions.len() < limits.questions;
        if has_room {
            let first_option = self.options.len();
            self.questions.push(QuestionParts { first_option, ..QuestionParts::default() });
        }
        has_room
    }

    /// Returns the question that is open.
    pub(crate) fn open_question(&mut self) -> Option<&mut QuestionParts> {
        self.questions.last_mut().filter(|question| !question.is_closed)
    }

    /// Returns `true` if nothing of the open question can have been shown.
    pub(crate) fn can_drop_question(&mut self) -> bool {
        let options = self.options.len();
        self.open_question().is_some_and(|one| !one.has_text() && one.first_option == options)
    }

    /// Drops the open question, of which nothing can have been shown.
    ///
    /// Returns `false` if something can.
    pub(crate) fn drop_question(&mut self) -> bool {
        let can_be_dropped = self.can_drop_question();
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
    }

    // Options.

    /// Begins an option of the open question, after the one before it has ended.
    ///
    /// Returns `false` if it is beyond the limit: then none is open.
    pub(crate) fn begin_option(&mut self, limits: &Limits) -> bool {
        let options = self.options.len();
        let index = self.skip_option();
        let Some(question) = self.open_question() else { return true };
        let has_room = options - question.first_option < limits.suggestions;
        if has_room {
            self.options.push(OptionParts { index, ..OptionParts::default() });
        }
        has_room
    }

    /// Counts an option that the model has written. Returns its index.
    pub(crate) fn skip_option(&mut self) -> u32 {
        let Some(question) = self.open_question() else { return 0 };
        let index = question.written_options;
        question.written_options = index.saturating_add(1);
        index
    }

    /// Returns the option that is open.
    pub(crate) fn open_option(&mut self) -> Option<&mut OptionParts> {
        self.options.last_mut().filter(|option| !option.is_closed)
    }

    /// Moves another text of the open option to its label.
    pub(crate) fn move_to_label(&mut self, text: OptionText) {
        if let Some(option) = self.open_option() {
            // Without a label, nothing of it has been shown.
            option.texts[OptionText::Label as usize] = core::mem::take(&mut option.texts[text as usize]);
        }
        self.read_mark();
    }

    /// Ends the open option.
    ///
    /// Without a label it is dropped, unless it `waits` for one. Returns whether it has a label, or
    /// waits.
    pub(crate) fn end_option(&mut self, waits: bool) -> bool {
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
    pub(crate) fn open_options(&mut self) -> &mut [OptionParts] {
        let first = self.open_question().map(|question| question.first_option);
        first.and_then(|first| self.options.get_mut(first..)).unwrap_or_default()
    }

    /// Marks an option of the open question as recommended.
    ///
    /// `index` counts the options as the model has written them.
    pub(crate) fn recommend(&mut self, index: u32) {
        if let Some(option) = self.open_options().iter_mut().find(|option| option.index == index) {
            (option.recommended, option.has_news) = (true, true);
        }
    }

    /// Gives the options of the open question that have only a value a label.
    ///
    /// It is the name at their index, or else the value.
    pub(crate) fn name_options(&mut self) {
        let names = core::mem::take(&mut self.names);
        let Some(first) = self.open_question().map(|question| question.first_option) else { return };
        for i in first..self.options.len() {
            let option = &self.options[i];
            let value = option.text(OptionText::Value);
            if !option.text(OptionText::Label).is_empty() {
                continue;
            }
            let name = names.get(option.index as usize).copied().filter(|&name| !self.slice(name).trim().is_empty());
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
        let (mut rest, before) = (text, self.text.len());
        if open.escape && !rest.is_empty() {
            open.escape = false;
            match rest.strip_prefix('n') {
                Some(after) => (self.text.push('\n'), rest = after),
                None => (self.text.push('\\'), ()),
            };
        }
        while unescape && let Some(index) = rest.find('\\') {
            self.text.push_str(&rest[..index]);
            rest = &rest[index + 1..];
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
        // What came before is blank.
        open.exists = open.exists || self.text.get(before..).is_some_and(|new| !new.trim_start().is_empty());
        self.open = Some(open);
        self.set_open_end();
        if is_too_long { Err(beyond) } else { Ok(()) }
    }

    /// Makes certain what does not depend on the character that `tail` becomes.
    ///
    /// `tail` is the incomplete sequence.
    pub(crate) fn foresee_char(&mut self, tail: &[u8], limits: &Limits) {
        self.settle_escape();
        let Some(open) = &mut self.open else { return };
        let end = self.text.len() + utf8::longest_char(tail);
        if !utf8::may_be_blank(tail) && end <= open.end(limits).0 {
            open.exists = true;
            self.set_open_end();
        }
    }

    /// Makes a `\` certain that no `n` follows.
    pub(crate) fn settle_escape(&mut self) {
        if let Some(open) = &mut self.open
            && core::mem::take(&mut open.escape)
        {
            open.exists = true;
            self.text.push('\\');
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
        // Without text, something else may be left to show.
        let open = self.open.filter(|open| open.exists && !open.escape && !text.is_empty())?;
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
        // Nothing of a text is shown while it waits for another one.
        if slot.shown != shown - start || end > open.end(limits).0 {
            return None;
        }
        (slot.end, slot.shown) = (end, end - start);
        self.text.push_str(text);
        self.last.0 = last;
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
    /// It is dropped with the question that it belongs to, and if there is no room. A name without
    /// room is empty, so that those after it keep their index.
    pub(crate) fn push_word(&mut self, words: Words, mut word: &str, limits: &Limits) {
        let start = self.text.len();
        if words != Words::RequiredIds && self.open_question().is_none() {
            return;
        }
        if start + word.len() > limits.texts {
            if words != Words::Names {
                return;
            }
            word = "";
        }
        self.text.push_str(word);
        let range = (start, self.text.len());
        match words {
            Words::Names => self.names.push(range),
            Words::RequiredIds => self.required.push(range),
            Words::Defaults => {
                if let Some(question) = self.open_question() {
                    question.defaults.push(range);
                    question.has_news = true;
                }
            }
        }
    }

    /// Drops what is open and would not be shown.
    ///
    /// That is a text, unless it is shown while it grows, options from the first without a label
    /// on, and a question that has nothing else either.
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
        } else if let Some(question) = self.questions.last_mut() {
            // It may have ended, and then any option may have news.
            question.is_closed = true;
        }
    }

    /// Returns the number of words in a list of the call, or of the open question.
    pub(crate) fn words(&mut self, words: Words) -> usize {
        match words {
            Words::Names => self.names.len(),
            Words::RequiredIds => self.required.len(),
            Words::Defaults => self.open_question().map_or(0, |question| question.defaults.len()),
        }
    }

    /// Sets which questions have to be answered, if they do not say so.
    ///
    /// Those in the list have to be, and for the others `default` decides.
    pub(crate) fn apply_required(&mut self, default: Option<bool>) {
        let required = core::mem::take(&mut self.required);
        for i in 0..self.questions.len() {
            let id = self.slice(self.questions[i].text(QuestionText::Id).range());
            let is_listed = !id.is_empty() && required.iter().any(|&range| self.slice(range) == id);
            let question = &mut self.questions[i];
            question.required = question.required.or(if is_listed { Some(true) } else { default });
        }
    }

    /// Returns whether the state is one that this policy allows.
    pub(crate) fn is_in_bounds(&self, policy: &Policy) -> bool {
        let limits = &policy.limits;
        let is_read = policy.shapes.find(&self.tool).is_some_and(|shape| shape.name() == self.shape);
        let slots = |slots: &[Slot]| slots.iter().all(|slot| slot.is_in_bounds(&self.text));
        let words = |words: &[Range]| words.len() <= limits.suggestions.max(limits.questions);
        let first = |i: usize| self.questions.get(i).map_or(self.options.len(), |one| one.first_option);
        let is_question = |(i, one): (usize, &QuestionParts)| {
            slots(&one.texts)
                && words(&one.defaults)
                && one.first_option <= first(i + 1)
                && first(i + 1) - one.first_option <= limits.suggestions
                && one.shown_options <= first(i + 1) - one.first_option
        };
        is_read
            && self.text.len() <= limits.texts
            && self.title.is_in_bounds(&self.text)
            && self.questions.len() <= limits.questions
            && self.questions.iter().enumerate().all(is_question)
            && self.options.iter().all(|one| slots(&one.texts))
            && words(&self.required)
            && words(&self.names)
            && self.cursor <= self.questions.len()
            && self.open.is_none_or(|open| self.text.is_char_boundary(open.start))
    }
}

/// Returns whether a label says that its option is recommended.
fn has_mark(label: &str) -> bool {
    const MARK: &str = "(recommended)";
    let label = label.trim();
    let starts = label.get(..MARK.len()).is_some_and(|start| start.eq_ignore_ascii_case(MARK));
    let ends = label.len().checked_sub(MARK.len()).and_then(|start| label.get(start..));
    starts || ends.is_some_and(|end| end.eq_ignore_ascii_case(MARK))
}
