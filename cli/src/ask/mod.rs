//! `followup ask`: the questions in a message, one after the other, and the replies.

mod answers;
mod dialect;
mod prompt;

use std::io::{self, Write};
use std::sync::Arc;

use followup::Event;
use followup::dialogue::{self, AnswerErrorKind, Dialogue, Directive, IMAGE_LIMIT, Image, Reply, Setup};

use self::answers::{Answers, Given};
use self::prompt::Prompt;
use crate::args::{Ask, Format};
use crate::error::{Error, Status};
use crate::stream::{Happened, Input};

pub(crate) fn run(args: &Ask) -> Result<Status, Error> {
    let policy = Arc::new(args.reading.policy()?);
    // Of one message every call is looked at: there is no next turn to stop before.
    let setup = Setup { dialect: dialect::load(&args.dialect)?, mistakes: 0, ..Setup::default() };
    let images = args.image.iter().map(|path| image(path)).collect::<Result<_, _>>()?;
    let answers: Box<dyn Answers> = match Given::new(&args.answer, &args.text) {
        Some(given) => Box::new(given),
        None => Box::new(Prompt::open(args.no_color).ok_or_else(|| Error::Usage(NOBODY.into()))?),
    };
    let input = Input::open(args.stream.file.as_deref(), "ask")?;
    let mut asking =
        Asking { dialogue: Dialogue::new(setup), answers, images, format: args.format, status: Status::Well };
    input.read(&args.stream, policy, |happened, when| {
        asking.answers.show(&happened, when)?;
        match happened {
            Happened::Event(event) => asking.event(event),
            Happened::Error(_) => {
                asking.status = Status::Wrong;
                Ok(())
            }
            Happened::Pause | Happened::End => Ok(()),
        }
    })?;
    Ok(asking.status)
}

fn image(path: &std::path::Path) -> Result<Image, Error> {
    let bytes = std::fs::read(path).map_err(|error| Error::reading(path, &error))?;
    Image::from_bytes(&bytes, IMAGE_LIMIT)
        .map_err(|error| Error::Unreadable(format!("can't send {}: {error}", path.display())))
}

struct Asking {
    dialogue: Dialogue,
    answers: Box<dyn Answers>,
    /// Those that go with the first answer.
    images: Vec<Image>,
    format: Format,
    status: Status,
}

impl Asking {
    fn event(&mut self, event: Event<'_>) -> Result<(), Error> {
        let reply = match self.dialogue.event(event) {
            Directive::Nothing | Directive::Show(_) | Directive::Later(_) => return Ok(()),
            Directive::Ask(_) => return self.ask(),
            Directive::Tell(correction) | Directive::Stop(correction) => correction.reply(),
        };
        self.status = Status::Wrong;
        self.print(&reply)
    }

    /// Asks the question that is open.
    fn ask(&mut self) -> Result<(), Error> {
        while let Some(question) = self.dialogue.question().cloned() {
            let number = question.number;
            let reply = match self.answers.answer(&question)? {
                Some(answer) => {
                    let images = std::mem::take(&mut self.images);
                    match self.dialogue.answer(number, answer, images) {
                        Ok(reply) => reply,
                        Err(error) => {
                            // A person is asked again.
                            self.images = error.images;
                            self.answers.refused(&question, error.kind)?;
                            continue;
                        }
                    }
                }
                None => {
                    self.status = Status::Wrong;
                    match self.dialogue.cancel(number) {
                        Ok(reply) => reply,
                        Err(_) => return Ok(()),
                    }
                }
            };
            self.print(&reply)?;
        }
        Ok(())
    }

    /// Prints a reply at once: whoever reads it may be waiting.
    fn print(&self, reply: &Reply) -> Result<(), Error> {
        let mut out = io::stdout().lock();
        let format = match self.format {
            Format::Text => {
                writeln!(out, "{}", reply.text)?;
                return Ok(out.flush()?);
            }
            Format::Json => {
                serde_json::to_writer(&mut out, reply).map_err(io::Error::from)?;
                writeln!(out)?;
                return Ok(out.flush()?);
            }
            Format::OpenaiChat => dialogue::Format::OpenAiChat,
            Format::OpenaiResponses => dialogue::Format::OpenAiResponses,
            Format::Anthropic => dialogue::Format::Anthropic,
        };
        for message in reply.messages(format) {
            writeln!(out, "{message}")?;
        }
        Ok(out.flush()?)
    }
}

/// Why an answer can't be taken, for people.
fn explain(question: &dialogue::Question, kind: AnswerErrorKind) -> String {
    format!("question {}: {kind}", question.number + 1)
}

const NOBODY: &str = "\
there is no terminal to ask on: answer on the command line

  followup ask --answer 1 …          to take the first suggestion
  followup ask --text \"Neither\" …    to answer in your own words

`followup ask --help` has more.";
