//! How a question ends without an answer to it.

use alloc::vec::Vec;

use super::Dialogue;
use super::error::AnswerErrorKind;
use super::history::{Turn, UserRole};
use super::reply::{FormAnswer, Reply};
use super::setup::Ending;
use super::template::Rendered;

impl Dialogue {
    /// Cancels an open or waiting question: the user does not answer it.
    ///
    /// The next question is opened. The count of mistakes does not change.
    ///
    /// # Errors
    ///
    /// If no open or waiting question has this number.
    pub fn cancel(&mut self, number: u64) -> Result<Reply, AnswerErrorKind> {
        self.end(number, Ending::Cancelled, Vec::new())
    }

    /// Declines an open or waiting question: the user says that they will not answer it.
    ///
    /// Many tools tell the two apart, `ask_followup_question` does not. The next question is
    /// opened. The count of mistakes does not change.
    ///
    /// ```
    /// use followup::dialogue::{AnswerErrorKind, Dialogue, ReplyKind};
    /// use followup::{Parser, Policy};
    ///
    /// let mut dialogue = Dialogue::default();
    /// for question in ["Tea?", "When?", "Where?"] {
    ///     let mut parser = Parser::arguments_of("request_user_input", Policy::new()).unwrap();
    ///     drop(parser.feed(&format!(r#"{{"questions": [{{"id": "q", "question": "{question}"}}]}}"#)));
    ///     parser.finish().for_each(|event| drop(dialogue.event(event)));
    /// }
    /// assert_eq!(dialogue.decline(0)?.kind, ReplyKind::Declined);
    /// assert_eq!(dialogue.cancel(1)?.kind, ReplyKind::Cancelled);
    /// assert_eq!(dialogue.time_out(2, Vec::new())?.kind, ReplyKind::Cancelled);
    /// assert_eq!(dialogue.decline(0), Err(AnswerErrorKind::AlreadyDeclined));
    /// assert_eq!(dialogue.question(), None);
    /// # Ok::<(), AnswerErrorKind>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If no open or waiting question has this number.
    pub fn decline(&mut self, number: u64) -> Result<Reply, AnswerErrorKind> {
        self.end(number, Ending::Declined, Vec::new())
    }

    /// Ends an open or waiting question because the user wants to talk about it first.
    ///
    /// `answers` are those so far: none, or one for each question, where nothing has to be
    /// answered. The reply's kind is [`Declined`](super::ReplyKind::Declined). The next question is
    /// opened. The count of mistakes does not change.
    ///
    /// ```
    /// use followup::dialogue::{Dialogue, FormAnswer};
    /// use followup::{Parser, Policy};
    ///
    /// let mut dialogue = Dialogue::default();
    /// let mut parser = Parser::arguments_of("AskUserQuestion", Policy::new()).unwrap();
    /// drop(parser.feed(r#"{"questions": [{"question": "Tea?"}, {"question": "When?"}]}"#));
    /// parser.finish().for_each(|event| drop(dialogue.event(event)));
    /// assert!(dialogue.question().unwrap().can_discuss);
    /// let reply = dialogue.discuss(0, vec![FormAnswer::text("Yes"), FormAnswer::default()])?;
    /// assert!(reply.text.ends_with(
    ///     "Questions asked:\n- \"Tea?\"\n  Answer: Yes\n- \"When?\"\n  (No answer provided)"
    /// ));
    /// # Ok::<(), followup::dialogue::AnswerErrorKind>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the tool has no reply for that ([`Question::can_discuss`](super::Question::can_discuss)),
    /// an answer can't be accepted, or no open or waiting question has this number. The dialogue is
    /// unchanged.
    pub fn discuss(&mut self, number: u64, answers: Vec<FormAnswer>) -> Result<Reply, AnswerErrorKind> {
        self.end(number, Ending::Discussed, answers)
    }

    /// Ends an open or waiting question because the time for an answer is over.
    ///
    /// The dialogue has no clock: the host decides when that is. `answers` are those so far: none,
    /// or one for each question, where nothing has to be answered. Where the tool has no reply of
    /// its own for that, it is that of a cancelled question. The reply's kind is
    /// [`Cancelled`](super::ReplyKind::Cancelled). The next question is opened. The count of
    /// mistakes does not change.
    ///
    /// # Errors
    ///
    /// If an answer can't be accepted, or no open or waiting question has this number. The dialogue
    /// is unchanged.
    pub fn time_out(&mut self, number: u64, answers: Vec<FormAnswer>) -> Result<Reply, AnswerErrorKind> {
        self.end(number, Ending::TimedOut, answers)
    }

    fn end(&mut self, number: u64, ending: Ending, answers: Vec<FormAnswer>) -> Result<Reply, AnswerErrorKind> {
        let question = self.open.iter().chain(&self.waiting).find(|question| question.number == number);
        let question = question.ok_or_else(|| self.not_open(number))?;
        let Rendered { text, is_error } = self.setup.ended(question, ending, &answers)?;
        let (id, tool) = (question.id.clone(), question.native_tool());
        self.open.take_if(|open| open.number == number);
        self.waiting.retain(|waiting| waiting.number != number);
        let role = UserRole::User;
        self.history.push(match ending {
            Ending::Cancelled => Turn::Cancelled { role, number },
            Ending::Declined => Turn::Declined { role, number },
            Ending::Discussed => Turn::Discussed { role, number, answers },
            Ending::TimedOut => Turn::TimedOut { role, number, answers },
        });
        self.open_next();
        let (kind, number) = (ending.kind(), Some(number));
        Ok(Reply { kind, number, id, tool, text, images: Vec::new(), mode: None, is_error })
    }
}
