//! What a host does with a completed call: it asks one question at a time and passes on the answer.
//!
//! A [`Dialogue`] consumes the events of a parser, of either syntax, and returns what to do next:
//! [show](Directive::Show) the growing question, [ask](Directive::Ask) it, [tell](Directive::Tell)
//! the model what is wrong with a call, or [stop](Directive::Stop) after too many mistakes in a
//! row. It accepts the user's answer and returns the reply for the model. It has no clock and does
//! no I/O: the same events and answers lead to the same state.
//!
//! A call of another agent's question tool is a [`Form`] of several questions. It is answered as a
//! whole, and a [`Template`] writes the reply in the words of the tool's host.
//!
//! ```text
//!                Complete             answer, cancel, decline, …
//!   no question ──────────► open question ────────────────► the next waiting question, or none
//!
//!             Rejected                 at the limit           guide, answer
//!   running ───────────► one mistake more ────────► stopped ───────────────► running, no mistakes
//! ```
//!
//! ```
//! use followup::Parser;
//! use followup::dialogue::{Answer, Dialogue, Directive};
//!
//! let message = "<ask_followup_question><question>Which database?</question><follow_up>\
//!     <suggest>PostgreSQL</suggest><suggest mode=\"code\">SQLite</suggest>\
//!     </follow_up></ask_followup_question>";
//! let (mut parser, mut dialogue) = (Parser::default(), Dialogue::default());
//! let mut events = parser.feed(message);
//! while let Some(event) = events.next() {
//!     match dialogue.event(event) {
//!         Directive::Show(call) => println!("{}", call.question().unwrap_or_default()),
//!         Directive::Ask(question) => assert_eq!(question.question, "Which database?"),
//!         other => panic!("{other:?}"),
//!     }
//! }
//! let reply = dialogue.answer(0, Answer::Suggestion(1), Vec::new())?;
//! assert_eq!(reply.text, "<answer>\nSQLite\n</answer>");
//! assert_eq!(reply.mode.as_deref(), Some("code"));
//! // It has an answer already.
//! assert!(dialogue.answer(0, Answer::Text("No".into()), Vec::new()).is_err());
//! # Ok::<(), followup::dialogue::AnswerError>(())
//! ```

mod answers;
mod checkpoint;
mod dialect;
mod ending;
mod error;
mod finding;
mod form;
mod history;
mod image;
mod messages;
mod placeholder;
mod placeholder_text;
mod question;
mod rejection;
mod reply;
mod rules;
mod setup;
mod template;
mod wrapping;

use alloc::collections::VecDeque;
use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;

use self::template::Rendered;
use crate::event::{Event, Partial};
use crate::reason::Reason;

pub use checkpoint::Checkpoint;
pub use dialect::{Dialect, Messages, PartNames};
pub use error::{AnswerError, AnswerErrorKind, GuideError};
pub use finding::Finding;
pub use form::{Form, FormOption, FormQuestion};
pub use history::{AssistantRole, Correction, HistoryError, HistoryErrorKind, ReplayError, Turn, UserRole};
pub use image::{IMAGE_LIMIT, Image, ImageError};
pub use messages::MessageFormat;
pub use question::{AskMessage, Question, Suggestion};
pub use rejection::Rejection;
pub use reply::{Answer, FormAnswer, Reply, ReplyKind};
pub use rules::{Rules, Severity};
pub use setup::Setup;
pub use template::{Template, TemplateEntry, TemplateOutcome, TemplateRejection};
pub use wrapping::Wrapping;

/// What a host is to do next.
///
/// A host that does not follow one of them loses a question or a message, so a new one would be a
/// breaking change: it is not `#[non_exhaustive]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use = "a host that does not follow a directive loses a question or a message"]
pub enum Directive<'d> {
    /// Do nothing.
    Nothing,
    /// Show the part of a growing question that is known so far.
    Show(Partial<'d>),
    /// Ask this question. It is open until it is answered or cancelled.
    Ask(&'d Question),
    /// Ask this question later: another one is open, or the dialogue has stopped.
    ///
    /// When its turn comes, [`Dialogue::question`] returns it.
    Later(&'d Question),
    /// Tell the model and the user what is wrong with a call.
    Tell(&'d Correction),
    /// Tell them, and stop: the limit of mistakes in a row is reached.
    ///
    /// The user should [guide](Dialogue::guide) the model.
    Stop(&'d Correction),
}

/// The questions and answers of a model and its user, one question at a time.
///
/// Every method may be called in every state and returns an error or [`Directive::Nothing`] if
/// there is nothing to do. Cost: O(1) per event, and a copy of each completed call.
///
/// The history grows without a limit until it is [taken](Dialogue::take_history). An open or
/// waiting question is in memory twice. An answer's text and images, which have no size limit of
/// their own, are in memory once besides the copy in the reply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dialogue {
    setup: Arc<Setup>,
    open: Option<Question>,
    /// The questions after the open one, in order.
    waiting: VecDeque<Question>,
    /// The number of questions so far.
    questions: u64,
    /// The number of mistakes in a row.
    mistakes: u32,
    history: Vec<Turn>,
}

impl Dialogue {
    /// Returns a dialogue with these settings: a [`Setup`], or an `Arc` of one to share it.
    pub fn new(setup: impl Into<Arc<Setup>>) -> Dialogue {
        Dialogue { setup: setup.into(), ..Dialogue::default() }
    }

    /// Returns the dialogue in the state that these turns lead to.
    ///
    /// # Errors
    ///
    /// If no dialogue with these settings can have this history. The error has the index of the
    /// first turn that can't follow; the turns before it can be replayed.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Answer, Dialogue, Setup};
    ///
    /// let mut dialogue = Dialogue::default();
    /// let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    /// let mut parser = Parser::default();
    /// parser.feed(call).for_each(|event| drop(dialogue.event(event)));
    /// dialogue.answer(0, Answer::Text("Yes".into()), Vec::new()).unwrap();
    /// assert_eq!(Dialogue::replay(Setup::default(), dialogue.history()), Ok(dialogue.clone()));
    ///
    /// let answered_first = &dialogue.history()[1..];
    /// assert_eq!(Dialogue::replay(Setup::default(), answered_first).unwrap_err().turn, 0);
    /// ```
    pub fn replay(setup: impl Into<Arc<Setup>>, history: &[Turn]) -> Result<Dialogue, ReplayError> {
        let mut dialogue = Dialogue::new(setup);
        for (index, turn) in history.iter().enumerate() {
            dialogue.replay_turn(turn).ok_or(ReplayError { turn: index })?;
        }
        Ok(dialogue)
    }

    fn replay_turn(&mut self, turn: &Turn) -> Option<()> {
        match turn {
            Turn::Asked { question, .. } => {
                (question.number == self.questions && question.can_be_asked()).then_some(())?;
                self.add_question(question.clone());
            }
            Turn::Corrected { correction, .. } => self.add_correction(correction.clone()),
            Turn::Answered { number, answer, images, .. } => {
                self.answer(*number, answer.clone(), images.clone()).ok()?;
            }
            Turn::Cancelled { number, .. } => {
                self.cancel(*number).ok()?;
            }
            Turn::Declined { number, .. } => {
                self.decline(*number).ok()?;
            }
            Turn::Discussed { number, answers, .. } => {
                self.discuss(*number, answers.clone()).ok()?;
            }
            Turn::TimedOut { number, answers, .. } => {
                self.time_out(*number, answers.clone()).ok()?;
            }
            Turn::Guided { text, images, .. } => {
                self.guide(text.clone(), images.clone()).ok()?;
            }
        }
        Some(())
    }

    /// Returns the settings.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// Returns the open question, `None` if there is none.
    pub fn question(&self) -> Option<&Question> {
        self.open.as_ref()
    }

    /// Returns the number of waiting questions.
    ///
    /// They wait for an answer to the open one, or for the user's guidance.
    pub fn waiting_count(&self) -> usize {
        self.waiting.len()
    }

    /// Returns the number of mistakes that the model has made in a row.
    pub fn mistakes(&self) -> u32 {
        self.mistakes
    }

    /// Returns `true` if the limit of mistakes in a row is reached.
    ///
    /// The user should then [guide](Dialogue::guide) the model.
    pub fn has_stopped(&self) -> bool {
        self.setup.mistake_limit > 0 && self.mistakes >= self.setup.mistake_limit
    }

    /// Returns the turns so far.
    pub fn history(&self) -> &[Turn] {
        &self.history
    }

    /// Removes and returns the turns so far, for a host that keeps them elsewhere or not at all.
    ///
    /// The dialogue continues unchanged, except that the error for a late answer to a removed
    /// question is [`AnswerErrorKind::NotAsked`].
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Answer, Dialogue};
    ///
    /// let mut dialogue = Dialogue::default();
    /// let mut parser = Parser::default();
    /// let call = "<ask_followup_question><question>Tea?</question></ask_followup_question>";
    /// parser.feed(call).for_each(|event| drop(dialogue.event(event)));
    /// assert_eq!(dialogue.take_history().len(), 1);
    /// assert!(dialogue.history().is_empty());
    /// assert!(dialogue.answer(0, Answer::Text("Yes".into()), Vec::new()).is_ok());
    /// ```
    pub fn take_history(&mut self) -> Vec<Turn> {
        core::mem::take(&mut self.history)
    }

    /// Consumes an event and returns what to do about it.
    ///
    /// Nothing for prose, for other tools' calls, and for a call that is
    /// [superseded](Reason::Superseded): another one is asked.
    pub fn event<'d>(&'d mut self, event: Event<'d>) -> Directive<'d> {
        match event {
            Event::Text(_) | Event::Opaque(_) => Directive::Nothing,
            Event::Partial(_) if self.open.is_some() || self.has_stopped() => Directive::Nothing,
            Event::Partial(call) => Directive::Show(call),
            Event::Complete(call) => self.ask(Question::new(&call)),
            Event::Rejected(call) => self.correct(&(&call).into()),
        }
    }

    /// Asks a question that was read elsewhere: by another process, or in another language.
    ///
    /// It is handled like [`Event::Complete`]: the dialogue numbers it and checks the rules. One
    /// without text misses its parameter.
    ///
    /// ```
    /// use followup::dialogue::{Dialogue, Directive, Question};
    ///
    /// let json = r#"{"number":7,"question":"Tea?","suggest":[{"answer":"Yes"},{"answer":"No"}]}"#;
    /// let question: Question = serde_json::from_str(json).unwrap();
    /// let mut dialogue = Dialogue::default();
    /// assert!(matches!(dialogue.ask(question), Directive::Ask(question) if question.number == 0));
    /// ```
    pub fn ask(&mut self, question: Question) -> Directive<'_> {
        if !question.can_be_asked() {
            return self.correct(&Rejection::of(question));
        }
        let mut question = Question { number: self.questions, advice: Vec::new(), ..question };
        match self.setup.examine(&mut question) {
            Some(mut correction) => {
                correction.tool = question.native_tool();
                correction.id = question.id;
                self.add_correction(correction);
                self.tell_or_stop()
            }
            None => {
                self.add_question(question);
                match self.waiting.back() {
                    Some(last) => Directive::Later(last),
                    None => self.open.as_ref().map_or(Directive::Nothing, Directive::Ask),
                }
            }
        }
    }

    /// Corrects a call that was read elsewhere and can't be asked.
    ///
    /// It is handled like [`Event::Rejected`].
    ///
    /// ```
    /// use followup::Reason;
    /// use followup::dialogue::{Dialogue, Directive, Rejection};
    ///
    /// let mut dialogue = Dialogue::default();
    /// let rejection = Rejection::new("ask_followup_question", Reason::MissingParameter);
    /// assert!(matches!(dialogue.correct(&rejection), Directive::Tell(_)));
    /// assert_eq!(dialogue.mistakes(), 1);
    /// ```
    pub fn correct(&mut self, rejection: &Rejection) -> Directive<'_> {
        if rejection.reason == Reason::Superseded {
            return Directive::Nothing;
        }
        let correction = self.setup.explain(rejection);
        self.add_correction(correction);
        self.tell_or_stop()
    }

    /// Returns the directive for the correction that has just been added.
    fn tell_or_stop(&self) -> Directive<'_> {
        match self.history.last() {
            Some(Turn::Corrected { correction, .. }) if self.has_stopped() => Directive::Stop(correction),
            Some(Turn::Corrected { correction, .. }) => Directive::Tell(correction),
            _ => Directive::Nothing,
        }
    }

    fn add_correction(&mut self, correction: Correction) {
        self.mistakes = self.mistakes.saturating_add(1);
        self.history.push(Turn::Corrected { role: AssistantRole::Assistant, correction });
    }

    fn add_question(&mut self, question: Question) {
        self.questions += 1;
        self.history.push(Turn::Asked { role: AssistantRole::Assistant, question: question.clone() });
        self.waiting.push_back(question);
        self.open_next();
    }

    /// Opens the next waiting question, unless one is open or the dialogue has stopped.
    fn open_next(&mut self) {
        if self.open.is_none() && !self.has_stopped() {
            self.open = self.waiting.pop_front();
        }
    }

    /// Accepts the user's answer to the open question, which must have this number.
    ///
    /// The count of mistakes becomes 0, and the next question is opened.
    ///
    /// # Errors
    ///
    /// If the question is not open or has no such suggestion. The error contains the answer, and
    /// the dialogue is unchanged.
    pub fn answer(&mut self, number: u64, answer: Answer, images: Vec<Image>) -> Result<Reply, AnswerError> {
        let (Rendered { text, is_error }, mode) = match self.render_answer(number, &answer, &images) {
            Ok(rendered) => rendered,
            Err(kind) => return Err(AnswerError { kind, answer, images }),
        };
        let answered = self.open.take();
        let reply = Reply {
            kind: ReplyKind::Answer,
            number: Some(number),
            tool: answered.as_ref().and_then(Question::native_tool),
            id: answered.and_then(|question| question.id),
            text,
            images: images.clone(),
            mode,
            is_error,
        };
        self.history.push(Turn::Answered { role: UserRole::User, number, answer, images });
        self.mistakes = 0;
        self.open_next();
        Ok(reply)
    }

    /// Returns the reply's text and the mode that goes with the answer.
    fn render_answer(
        &self,
        number: u64,
        answer: &Answer,
        images: &[Image],
    ) -> Result<(Rendered, Option<String>), AnswerErrorKind> {
        let question = self.open.as_ref().filter(|open| open.number == number).ok_or_else(|| self.not_open(number))?;
        if let Some(form) = &question.form {
            let template = self.setup.template_for(form);
            let answers = form.accept(answer, images, &template)?;
            return Ok((template.answered(form, &answers), form.mode(answer)));
        }
        let count = question.suggest.len();
        let suggestion = |i: usize| question.suggest.get(i).ok_or(AnswerErrorKind::NoSuchSuggestion { count });
        let (text, mode) = match answer {
            Answer::Suggestion(i) => suggestion(*i).map(|one| (&one.answer, one.mode.clone()))?,
            Answer::Edited { suggestion: i, text } => (text, suggestion(*i)?.mode.clone()),
            Answer::Text(text) => (text, None),
            Answer::Form(_) => return Err(AnswerErrorKind::NoForm),
        };
        let text = self.setup.dialect.reply.wrap(text, self.setup.escape);
        Ok((Rendered { text, is_error: false }, mode))
    }

    /// Returns why a question that is not open can't be answered.
    fn not_open(&self, number: u64) -> AnswerErrorKind {
        if self.waiting.iter().any(|waiting| waiting.number == number) {
            return AnswerErrorKind::NotYetAsked;
        }
        let end = self.history.iter().rev().find_map(|turn| match turn {
            Turn::Answered { number: ended, .. } if *ended == number => Some(AnswerErrorKind::AlreadyAnswered),
            Turn::Cancelled { number: ended, .. } if *ended == number => Some(AnswerErrorKind::AlreadyCancelled),
            Turn::Declined { number: ended, .. } if *ended == number => Some(AnswerErrorKind::AlreadyDeclined),
            Turn::Discussed { number: ended, .. } if *ended == number => Some(AnswerErrorKind::AlreadyDiscussed),
            Turn::TimedOut { number: ended, .. } if *ended == number => Some(AnswerErrorKind::AlreadyTimedOut),
            _ => None,
        });
        end.unwrap_or(AnswerErrorKind::NotAsked)
    }

    /// Accepts the user's guidance for the model after the dialogue has stopped.
    ///
    /// The count of mistakes becomes 0, and the next question is opened.
    ///
    /// # Errors
    ///
    /// If the dialogue has not stopped. The error contains the guidance, and the dialogue is
    /// unchanged.
    ///
    /// ```
    /// use followup::Reason;
    /// use followup::dialogue::{Dialogue, Directive, Rejection, Setup};
    ///
    /// let mut dialogue = Dialogue::new(Setup::default().with_mistake_limit(1));
    /// let error = dialogue.guide("Ask again.".into(), Vec::new()).unwrap_err();
    /// assert_eq!(error.text, "Ask again.");
    ///
    /// let mistake = Rejection::new("ask_followup_question", Reason::MissingParameter);
    /// assert!(matches!(dialogue.correct(&mistake), Directive::Stop(_)));
    /// let reply = dialogue.guide(error.text, error.images).unwrap();
    /// assert!(reply.text.contains("Ask again."));
    /// assert!(!dialogue.has_stopped());
    /// ```
    pub fn guide(&mut self, text: String, images: Vec<Image>) -> Result<Reply, GuideError> {
        if !self.has_stopped() {
            return Err(GuideError { text, images });
        }
        let reply = Reply {
            kind: ReplyKind::Guidance,
            number: None,
            id: None,
            tool: None,
            text: self.setup.dialect.guidance.wrap(&text, self.setup.escape),
            images: images.clone(),
            mode: None,
            is_error: false,
        };
        self.history.push(Turn::Guided { role: UserRole::User, text, images });
        self.mistakes = 0;
        self.open_next();
        Ok(reply)
    }
}
