//! What a host does with a completed call: one question at a time, its answer, and what the model is told.
//!
//! A [`Dialogue`] is given the events of a parser, of either syntax, and says what is to be done: [show](Directive::Show) the growing question,
//! [ask](Directive::Ask) it, [tell](Directive::Tell) the model what was wrong with a call, or [stop](Directive::Stop), because the model makes one mistake after the
//! other. It takes what the user did and gives what the model gets. It does nothing itself: it has no clock and no terminal, and the same
//! events and answers lead to the same state.
//!
//! ```text
//!              Complete                     answer · cancel
//!   nothing ─────────────► a question open ─────────────────► the next that waits, or nothing
//!   open     Rejected: a mistake more. At the limit: stopped ──► guide · answer ──► as before
//! ```
//!
//! ```
//! use followup::Parser;
//! use followup::dialogue::{Answer, Dialogue, Directive};
//!
//! let message = "<ask_followup_question><question>Which database?</question><follow_up>\
//!     <suggest>PostgreSQL</suggest><suggest mode=\"code\">SQLite</suggest></follow_up></ask_followup_question>";
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
//! assert_eq!((&*reply.text, reply.mode.as_deref()), ("<answer>\nSQLite\n</answer>", Some("code")));
//! assert!(dialogue.answer(0, Answer::Text("No".into()), Vec::new()).is_err(), "it has been answered");
//! # Ok::<(), followup::dialogue::AnswerError>(())
//! ```

mod dialect;
mod finding;
mod format;
mod history;
mod image;
mod placeholder;
mod question;
mod reply;
mod wrapping;

use alloc::collections::VecDeque;
use alloc::string::{String, ToString};
use alloc::sync::Arc;
use alloc::vec::Vec;

use crate::event::{Complete, Event, Partial, Rejected};

pub use dialect::{Dialect, Messages, Places};
pub use finding::{Finding, Rules, Severity};
pub use format::Format;
pub use history::{Assistant, Correction, HistoryError, HistoryErrorKind, ReplayError, Turn, User};
pub use image::{IMAGE_LIMIT, Image, ImageError};
pub use question::{AskMessage, Question, Suggested};
pub use reply::{Answer, AnswerError, AnswerErrorKind, GuideError, Reply, ReplyKind};
pub use wrapping::Wrapping;

/// How a host leads its dialogues. Plain data, shared by all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setup {
    /// What is said, and how replies are wrapped.
    pub dialect: Dialect,
    /// What a question should be like.
    pub rules: Rules,
    /// How many mistakes in a row stop the dialogue; 0: none do. Default 3.
    pub mistakes: u32,
    /// Whether what looks like the end of the wrapping in a user's text is escaped, as [`Wrapping::wrap`] says. Default no: the text is untouched.
    pub escape: bool,
}

impl Default for Setup {
    fn default() -> Setup {
        Setup { dialect: Dialect::roo_code(), rules: Rules::default(), mistakes: 3, escape: false }
    }
}

/// What a host is to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Directive<'d> {
    /// Nothing.
    Nothing,
    /// Show this much of a question that is still being written.
    Show(Partial<'d>),
    /// Ask this. It is open until it is answered or cancelled.
    Ask(&'d Question),
    /// Keep this for later: another question is open, or the dialogue has stopped. [`Dialogue::question`] has it when it is its turn.
    Later(&'d Question),
    /// Tell the model, and the user, what was wrong with a call.
    Tell(&'d Correction),
    /// The same; and stop: it was one mistake too many in a row. The user is to [guide](Dialogue::guide) the model.
    Stop(&'d Correction),
}

/// Leads a model and its user through questions and answers, one at a time.
///
/// Every method may be called in every state; each says what comes of it where there is nothing to do. Cost: an event costs O(1), and a completed call a
/// copy of it. The history grows with what happens, without a limit, until it is [taken](Dialogue::take_history): a question is in it twice while it is open or waits, and an answer's text and images, of any
/// size and number, once, beside the copy in the reply.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Dialogue {
    setup: Arc<Setup>,
    open: Option<Question>,
    /// Those that come after it, in order.
    waiting: VecDeque<Question>,
    /// How many questions there have been.
    questions: u64,
    /// How many mistakes in a row.
    mistakes: u32,
    history: Vec<Turn>,
}

impl Dialogue {
    /// A dialogue led in this way: a [`Setup`], or an `Arc` of one to share it.
    pub fn new(setup: impl Into<Arc<Setup>>) -> Dialogue {
        Dialogue { setup: setup.into(), ..Dialogue::default() }
    }

    /// The dialogue that these turns made.
    ///
    /// # Errors
    ///
    /// If they can't have been made by a dialogue led in this way. The error says which turn does not follow; those in front of it can be replayed.
    pub fn replay(setup: impl Into<Arc<Setup>>, history: &[Turn]) -> Result<Dialogue, ReplayError> {
        let mut dialogue = Dialogue::new(setup);
        for (turn, happened) in history.iter().enumerate() {
            dialogue.replay_turn(happened).ok_or(ReplayError { turn })?;
        }
        Ok(dialogue)
    }

    fn replay_turn(&mut self, turn: &Turn) -> Option<()> {
        match turn {
            Turn::Asked { question, .. } => {
                (question.number == self.questions && !question.question.is_empty()).then_some(())?;
                self.keep(question.clone());
            }
            Turn::Corrected { correction, .. } => self.correct(correction.clone()),
            Turn::Answered { number, answer, images, .. } => {
                self.answer(*number, answer.clone(), images.clone()).ok()?;
            }
            Turn::Cancelled { number, .. } => {
                self.cancel(*number).ok()?;
            }
            Turn::Guided { text, images, .. } => {
                self.guide(text.clone(), images.clone()).ok()?;
            }
        }
        Some(())
    }

    /// How it is led.
    pub fn setup(&self) -> &Setup {
        &self.setup
    }

    /// The question that is open. `None` if there is none, and while the dialogue has stopped with none open.
    pub fn question(&self) -> Option<&Question> {
        self.open.as_ref()
    }

    /// How many questions wait until the one that is open has been answered, or the user has guided the model.
    pub fn waiting(&self) -> usize {
        self.waiting.len()
    }

    /// How many mistakes the model has made in a row.
    pub fn mistakes(&self) -> u32 {
        self.mistakes
    }

    /// Whether it was one mistake too many, so that the user is to guide the model.
    pub fn has_stopped(&self) -> bool {
        self.setup.mistakes > 0 && self.mistakes >= self.setup.mistakes
    }

    /// What has happened.
    pub fn history(&self) -> &[Turn] {
        &self.history
    }

    /// Takes what has happened, for a host that keeps it elsewhere, or not at all. The dialogue goes on as it would have; only why an answer comes too
    /// late can't be told any more of questions that are gone with it.
    ///
    /// ```
    /// use followup::Parser;
    /// use followup::dialogue::{Answer, Dialogue};
    ///
    /// let mut dialogue = Dialogue::default();
    /// let mut parser = Parser::default();
    /// let mut events = parser.feed("<ask_followup_question><question>Tea?</question></ask_followup_question>");
    /// while let Some(event) = events.next() {
    ///     dialogue.event(event);
    /// }
    /// assert_eq!(dialogue.take_history().len(), 1);
    /// assert!(dialogue.history().is_empty());
    /// assert!(dialogue.answer(0, Answer::Text("Yes".into()), Vec::new()).is_ok());
    /// ```
    pub fn take_history(&mut self) -> Vec<Turn> {
        core::mem::take(&mut self.history)
    }

    /// Takes an event, and says what is to be done about it. Prose and other tools' calls are not its matter: nothing.
    pub fn event<'d>(&'d mut self, event: Event<'d>) -> Directive<'d> {
        match event {
            Event::Text(_) | Event::Opaque(_) => Directive::Nothing,
            Event::Partial(_) if self.open.is_some() || self.has_stopped() => Directive::Nothing,
            Event::Partial(call) => Directive::Show(call),
            Event::Complete(call) => self.complete(&call),
            Event::Rejected(call) => self.rejected(&call),
        }
    }

    fn complete(&mut self, call: &Complete<'_>) -> Directive<'_> {
        let Setup { dialect, rules, .. } = &*self.setup;
        let mut question = Question::new(self.questions, call);
        let said = if rules.follow_up_required.unwrap_or(dialect.follow_up_required) && question.suggest.is_empty() {
            Some(("missing_parameter", dialect.missing("follow_up")))
        } else {
            let findings = rules.findings(&question.suggest);
            let broken = findings.iter().find(|(severity, _)| *severity == Severity::Reject);
            let said = broken.map(|(_, finding)| ("rule", dialect.broken_rule(&finding.to_string())));
            question.advice = findings.into_iter().map(|(_, finding)| finding).collect();
            said
        };
        match said {
            Some((reason, said)) => {
                let (user, model) = (said.user, said.model);
                self.correct(Correction { id: question.id, reason: reason.into(), user, model });
                self.told()
            }
            None => {
                self.keep(question);
                match self.waiting.back() {
                    Some(last) => Directive::Later(last),
                    None => self.open.as_ref().map_or(Directive::Nothing, Directive::Ask),
                }
            }
        }
    }

    fn rejected(&mut self, call: &Rejected<'_>) -> Directive<'_> {
        let said = self.setup.dialect.said(call.reason());
        self.correct(Correction {
            id: call.id().map(Into::into),
            reason: call.reason().code().into(),
            user: said.user,
            model: said.model,
        });
        self.told()
    }

    /// What is to be done about the mistake that has just been made.
    fn told(&self) -> Directive<'_> {
        match self.history.last() {
            Some(Turn::Corrected { correction, .. }) if self.has_stopped() => Directive::Stop(correction),
            Some(Turn::Corrected { correction, .. }) => Directive::Tell(correction),
            _ => Directive::Nothing,
        }
    }

    fn correct(&mut self, correction: Correction) {
        self.mistakes = self.mistakes.saturating_add(1);
        self.history.push(Turn::Corrected { role: Assistant::Assistant, correction });
    }

    fn keep(&mut self, question: Question) {
        self.questions += 1;
        self.history.push(Turn::Asked { role: Assistant::Assistant, question: question.clone() });
        self.waiting.push_back(question);
        self.open_next();
    }

    /// The next question has its turn, if there is one and nothing stands in its way.
    fn open_next(&mut self) {
        if self.open.is_none() && !self.has_stopped() {
            self.open = self.waiting.pop_front();
        }
    }

    /// Takes what the user did with the open question, whose number this is. The counter of mistakes falls to 0, and the next question has its turn.
    ///
    /// # Errors
    ///
    /// If the question is not open, or has no such suggestion. The answer is given back, and nothing has changed.
    pub fn answer(&mut self, number: u64, answer: Answer, images: Vec<Image>) -> Result<Reply, AnswerError> {
        let (text, mode) = match self.taken(number, &answer) {
            Ok(taken) => taken,
            Err(kind) => return Err(AnswerError { kind, answer, images }),
        };
        let reply = Reply {
            kind: ReplyKind::Answer,
            number: Some(number),
            id: self.open.take().and_then(|question| question.id),
            text,
            images: images.clone(),
            mode,
        };
        self.history.push(Turn::Answered { role: User::User, number, answer, images });
        self.mistakes = 0;
        self.open_next();
        Ok(reply)
    }

    /// The answer, wrapped, and the mode that goes with it.
    fn taken(&self, number: u64, answer: &Answer) -> Result<(String, Option<String>), AnswerErrorKind> {
        let question = self.open.as_ref().filter(|open| open.number == number).ok_or_else(|| self.not_open(number))?;
        let of = question.suggest.len();
        let suggestion = |i: usize| question.suggest.get(i).ok_or(AnswerErrorKind::NoSuchSuggestion { of });
        let (text, mode) = match answer {
            Answer::Suggestion(i) => suggestion(*i).map(|one| (&one.answer, one.mode.clone()))?,
            Answer::Edited { suggestion: i, text } => (text, suggestion(*i)?.mode.clone()),
            Answer::Text(text) => (text, None),
        };
        Ok((self.setup.dialect.reply.wrap(text, self.setup.escape), mode))
    }

    /// Why a question can't be answered.
    fn not_open(&self, number: u64) -> AnswerErrorKind {
        if self.waiting.iter().any(|waiting| waiting.number == number) {
            return AnswerErrorKind::NotYetAsked;
        }
        let ended = self.history.iter().rev().find_map(|turn| match turn {
            Turn::Answered { number: one, .. } if *one == number => Some(AnswerErrorKind::AlreadyAnswered),
            Turn::Cancelled { number: one, .. } if *one == number => Some(AnswerErrorKind::AlreadyCancelled),
            _ => None,
        });
        ended.unwrap_or(AnswerErrorKind::NotAsked)
    }

    /// The user does not answer a question, which is open or waits. The next has its turn. The counter of mistakes stays.
    ///
    /// # Errors
    ///
    /// If there is no such question any more.
    pub fn cancel(&mut self, number: u64) -> Result<Reply, AnswerErrorKind> {
        let question = match self.waiting.iter().position(|waiting| waiting.number == number) {
            Some(at) => self.waiting.remove(at),
            None => self.open.take_if(|open| open.number == number),
        };
        let Some(Question { id, .. }) = question else { return Err(self.not_open(number)) };
        self.history.push(Turn::Cancelled { role: User::User, number });
        self.open_next();
        let text = self.setup.dialect.cancelled.to_string();
        Ok(Reply { kind: ReplyKind::Cancelled, number: Some(number), id, text, images: Vec::new(), mode: None })
    }

    /// The user tells the model how to go on, now that the dialogue has stopped. The counter of mistakes falls to 0, and the next question has its turn.
    ///
    /// # Errors
    ///
    /// If it has not stopped: then there is nothing to guide. What the user said is given back, and nothing has changed.
    pub fn guide(&mut self, text: String, images: Vec<Image>) -> Result<Reply, GuideError> {
        if !self.has_stopped() {
            return Err(GuideError { text, images });
        }
        let reply = Reply {
            kind: ReplyKind::Guidance,
            number: None,
            id: None,
            text: self.setup.dialect.guidance.wrap(&text, self.setup.escape),
            images: images.clone(),
            mode: None,
        };
        self.history.push(Turn::Guided { role: User::User, text, images });
        self.mistakes = 0;
        self.open_next();
        Ok(reply)
    }
}
