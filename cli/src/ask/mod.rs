//! `followup ask`: asks the questions of a message one after the other, and prints the replies.

mod answers;
mod form_answers;
mod images;
#[cfg(unix)]
mod interrupt;
mod label;
mod line_answer;
mod line_form;
mod line_prompt;
mod line_terminal;
mod notice;
mod replies;
mod screen;
mod typing;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use followup::dialogue::{Answer, Dialogue, Directive, Image, Question, Reply, Setup};
use followup::{Event, Policy};

use self::answers::{Answerer, Decision, PresetAnswers, early_end_warning};
use self::images::AttachedImage;
use self::line_prompt::LinePrompt;
use self::notice::NoQuestionNotice;
use self::replies::Replies;
use crate::args::ask::{AskArgs, ReplyFormat};
use crate::error::{Error, Status, report};
use crate::events::{InputEvent, report_detected};
use crate::input::Input;
use crate::wording;

pub(crate) fn run(args: &AskArgs) -> Result<Status, Error> {
    let policy = Arc::new(args.policy.policy()?);
    // The message is a single turn, so the limit on consecutive mistakes is off.
    args.input.check()?;
    args.policy.check(args.input.wire)?;
    let setup = wording::setup(&args.dialect, &args.template, &policy)?.with_mistake_limit(0).with_escape(args.escape);
    if args.format == ReplyFormat::Text && !args.image.is_empty() {
        return Err(Error::Usage(TEXT_HAS_NO_IMAGES.into()));
    }
    if args.text.iter().any(|text| text.trim().is_empty()) && args.image.is_empty() {
        return Err(Error::Usage("--text is empty: say something, or send an image with it".into()));
    }
    let images = args.image.iter().map(|path| images::load(path)).collect::<Result<Vec<_>, _>>()?;
    if let Some(preset) = PresetAnswers::new(&args.answer, &args.text, &args.answer_json)? {
        let input = Input::open(args.input.file.as_deref(), "ask")?;
        return ask_in_turn(input, policy, setup, images, args, Box::new(preset));
    }
    // The answers are typed on the terminal, so the message can't be typed there.
    if args.input.file.as_deref() == Some(Path::new("-")) && io::stdin().is_terminal() {
        return Err(Error::Usage(STDIN_IS_TERMINAL.into()));
    }
    let input = Input::open(args.input.file.as_deref(), "ask")?;
    if !args.lines
        && let Some(terminal) = screen::terminal()
    {
        return screen::run(terminal, input, policy, setup, images, args);
    }
    let mut prompt = LinePrompt::open().ok_or_else(|| Error::Usage(NO_TERMINAL.into()))?;
    if let Some(seconds) = args.auto_answer {
        prompt.answer_after(seconds.into())?;
    }
    ask_in_turn(input, policy, setup, images, args, Box::new(prompt))
}

/// Reads the message, and has each question answered before it reads on.
fn ask_in_turn(
    input: Input,
    policy: Arc<Policy>,
    setup: Setup,
    images: Vec<AttachedImage>,
    args: &AskArgs,
    answerer: Box<dyn Answerer>,
) -> Result<Status, Error> {
    let images = images.into_iter().map(|attached| attached.image).collect();
    let replies = Arc::new(Mutex::new(Replies::to_stdout(args.format)));
    #[cfg(unix)]
    interrupt::write_replies_on_signals(&replies);
    let mut session = Session { dialogue: Dialogue::new(setup), answerer, images, replies, status: Status::Success };
    let mut notice = NoQuestionNotice::default();
    let read = input.read(&args.input, policy, args.policy.wire_limits(), |event, emitted| {
        notice.observe(&event);
        session.answerer.observe(&event, emitted)?;
        match event {
            InputEvent::Detected(format) => report_detected(format),
            InputEvent::Event(event) => {
                session.event(event)?;
                // The history is not used, and a message may have any number of calls.
                drop(session.dialogue.take_history());
            }
            InputEvent::Error(_) => session.status = Status::Failure,
            InputEvent::ChunkEnd | InputEvent::End => {}
        }
        Ok(())
    });
    if read.is_ok() {
        session.answerer.end();
    }
    if read.is_ok() && !session.images.is_empty() {
        report(UNSENT_IMAGES);
    }
    // The answers so far are printed even if the rest of the message could not be read.
    session.replies().write_turn()?;
    read?;
    notice.report(args.input.wire);
    Ok(session.status)
}

/// A dialogue whose questions are answered one after the other.
struct Session {
    dialogue: Dialogue,
    answerer: Box<dyn Answerer>,
    /// The images to send with the first answer.
    images: Vec<Image>,
    /// Also written by the handler of signals.
    replies: Arc<Mutex<Replies>>,
    status: Status,
}

impl Session {
    fn replies(&self) -> MutexGuard<'_, Replies> {
        // Nothing panics under the lock, so poison carries no meaning.
        self.replies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn event(&mut self, event: Event<'_>) -> Result<(), Error> {
        let reply = match self.dialogue.event(event) {
            Directive::Nothing | Directive::Show(_) | Directive::Later(_) => return Ok(()),
            Directive::Ask(_) => return self.ask(),
            Directive::Tell(correction) | Directive::Stop(correction) => correction.reply(),
        };
        self.status = Status::Failure;
        self.replies().send(reply)
    }

    /// Has the open question answered, and those that were waiting for it.
    fn ask(&mut self) -> Result<(), Error> {
        while let Some(question) = self.dialogue.question().cloned() {
            let reply = match self.answerer.decide(&question, !self.images.is_empty())? {
                Decision::Answer(answer) => match self.answer(&question, answer)? {
                    Some(reply) => reply,
                    // A person is asked again.
                    None => continue,
                },
                Decision::Decline => {
                    self.status = Status::Failure;
                    let Ok(reply) = self.dialogue.decline(question.number) else { return Ok(()) };
                    reply
                }
                Decision::Cancel => {
                    self.status = Status::Failure;
                    let Ok(reply) = self.dialogue.cancel(question.number) else { return Ok(()) };
                    reply
                }
                Decision::Discuss(answers) => {
                    self.status = Status::Failure;
                    match self.dialogue.discuss(question.number, answers) {
                        Ok(reply) => reply,
                        Err(kind) => {
                            self.answerer.refused(&question, kind)?;
                            continue;
                        }
                    }
                }
            };
            self.replies().send(reply)?;
        }
        Ok(())
    }

    /// Answers a question; `None` if the answer was refused.
    fn answer(&mut self, question: &Question, answer: Answer) -> Result<Option<Reply>, Error> {
        let images = std::mem::take(&mut self.images);
        let warning = early_end_warning(self.dialogue.setup(), question, &answer);
        match self.dialogue.answer(question.number, answer, images) {
            Ok(reply) => {
                if let Some(warning) = warning {
                    report(format_args!("question {}: {warning}", question.number + 1));
                }
                Ok(Some(reply))
            }
            Err(error) => {
                self.images = error.images;
                self.answerer.refused(question, error.kind)?;
                Ok(None)
            }
        }
    }
}

const UNSENT_IMAGES: &str = "there was no question to send the images with";

const NO_TERMINAL: &str = "\
there is no terminal to ask on: answer on the command line

  followup ask --answer 1 …          to take the first suggestion
  followup ask --text \"Neither\" …    to answer in your own words

`followup ask --help` has more.";

const TEXT_HAS_NO_IMAGES: &str = "\
replies as text have no images: choose another format

  followup ask --image sketch.png --format json …            the reply with everything known about it
  followup ask --image sketch.png --format openai-chat …     messages for a provider

`followup ask --help` has more.";

const STDIN_IS_TERMINAL: &str = "\
the message can't be typed here, because the answers are: name a file, or pipe the message in

  followup ask message.txt
  cat message.txt | followup ask

`followup ask --help` has more.";
