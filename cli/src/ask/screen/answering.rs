//! What the screen does about the open question: it answers or ends it, and keeps the replies.

use followup::dialogue::{Answer, AnswerErrorKind, Dialogue, Reply, ReplyKind};

use super::app::App;
use super::open_question::{Action, OpenQuestion};
use super::scroll::Scroll;
use crate::ask::answers::{DISCUSSED, early_end_warning, is_blank};
use crate::ask::form_answers::{refused_question, shown_answers};
use crate::ask::images::AttachedImage;

impl App {
    pub(super) fn perform(&mut self, action: Action) {
        match action {
            Action::Nothing => {}
            // The key was most likely meant for something else: nobody reads that fast.
            Action::Answer(_) | Action::Cancel | Action::Decline | Action::Discuss if !self.is_answerable => {}
            Action::Answer(answer) => self.answer_with(answer, false),
            Action::Cancel => self.end_unanswered("not answered", Dialogue::cancel),
            Action::Decline => self.end_unanswered("declined", Dialogue::decline),
            Action::Discuss => {
                let answers = self.open_question.as_ref().map(OpenQuestion::answers_so_far).unwrap_or_default();
                self.end_unanswered(DISCUSSED, |dialogue, number| dialogue.discuss(number, answers));
            }
            Action::AskForImage if !self.sends_images => {
                self.notice =
                    Some("Replies as text have no images: start with --format json, or that of a provider.".into());
            }
            Action::AskForImage => {
                if let Some(open) = &mut self.open_question {
                    open.ask_for_image();
                }
            }
            Action::Attach(path) if path.trim().is_empty() => {
                self.notice = Some("Type the path of an image, or Esc to go back.".into());
            }
            Action::Attach(path) => match (self.files.load)(&path) {
                Ok(image) => {
                    self.images.push(image);
                    if let Some(open) = &mut self.open_question {
                        open.attached();
                    }
                }
                Err(error) => self.notice = Some(error.to_string()),
            },
            Action::Complete(path) => {
                let completion = (self.files.complete)(&path);
                if let Some(open) = &mut self.open_question {
                    open.complete_path(&completion.path);
                }
                self.notice = completion.notice();
            }
            Action::Detach => {
                if let Some(AttachedImage { label, .. }) = self.images.pop() {
                    self.notice = Some(format!("{label} will not be sent."));
                }
            }
        }
    }

    pub(super) fn answer_with(&mut self, answer: Answer, is_automatic: bool) {
        let Some(open) = &self.open_question else { return };
        let number = open.question.number;
        let answers = shown_answers(&open.question, &answer);
        if is_blank(&open.question, &answer) && self.images.is_empty() {
            self.notice = Some(if open.has_review() {
                "Nothing is answered yet: Esc leaves it unanswered.".into()
            } else {
                "There is nothing to send yet: write something first, or Esc to go back.".into()
            });
            return;
        }
        let warning = early_end_warning(self.dialogue.setup(), &open.question, &answer);
        self.document.show_open(Some(open));
        let images = self.images.iter().map(|attached| attached.image.clone()).collect();
        match self.dialogue.answer(number, answer, images) {
            Ok(reply) => {
                let mut remarks: Vec<String> =
                    self.images.drain(..).map(|sent| format!("with {}", sent.label)).collect();
                remarks.extend(warning);
                remarks.extend(is_automatic.then(|| "taken because nobody pressed a key".to_owned()));
                self.document.answered(number, &answers, &remarks);
                self.close_question(reply);
            }
            Err(error) => self.refused(error.kind),
        }
    }

    /// Shows why the answer was refused, and moves to the question that it is about.
    fn refused(&mut self, kind: AnswerErrorKind) {
        self.notice = Some(kind.to_string());
        if let (Some(step), Some(open)) = (refused_question(kind), &mut self.open_question) {
            open.go_to(step);
        }
    }

    /// Returns the next reply in the order of the calls; `None` if it is not known yet.
    pub(super) fn next_reply(&mut self) -> Option<Reply> {
        let reply = self.replies.front_mut()?.reply.take()?;
        self.replies.pop_front();
        Some(reply)
    }

    /// Ends the screen: the open question stays unanswered.
    pub(super) fn abandon(&mut self) {
        self.document.finish();
        if let Some(open) = self.open_question.take() {
            self.document.unanswered(open.question.number, "not answered");
        }
    }

    /// Ends the open question without an answer.
    fn end_unanswered(&mut self, how: &str, end: impl FnOnce(&mut Dialogue, u64) -> Result<Reply, AnswerErrorKind>) {
        let Some(number) = self.open_number() else { return };
        match end(&mut self.dialogue, number) {
            Ok(reply) => {
                self.document.unanswered(number, how);
                self.close_question(reply);
            }
            Err(error) => self.notice = Some(error.to_string()),
        }
    }

    fn close_question(&mut self, reply: Reply) {
        self.has_failed |= matches!(reply.kind, ReplyKind::Cancelled | ReplyKind::Declined);
        if let Some(slot) = self.replies.iter_mut().find(|slot| slot.number == reply.number) {
            slot.reply = Some(reply);
        }
        self.open_question = None;
        self.scroll = Scroll::Follow;
        self.countdown.reset();
        self.open_next();
    }
}
