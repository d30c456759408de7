//! `followup ask`: the questions in a message, one after the other, and the replies.

mod answers;
mod images;
mod lines;
mod replies;
mod screen;

use std::io::{self, IsTerminal};
use std::path::Path;
use std::sync::Arc;

use followup::dialogue::{Answer, AnswerErrorKind, Dialogue, Directive, Image, Question, Setup};
use followup::wire;
use followup::{Event, Policy};

use self::answers::{Answers, Given};
use self::images::Attached;
use self::lines::Lines;
use self::replies::Replies;
use crate::args::{Ask, Format};
use crate::dialect;
use crate::error::{Error, Status, say};
use crate::stream::{Happened, Input, Source, say_found};

pub(crate) fn run(args: &Ask) -> Result<Status, Error> {
    let policy = Arc::new(args.reading.policy()?);
    // Of one message every call is looked at: there is no next turn to stop before.
    let dialect = dialect::load(&args.dialect)?;
    let setup = Setup::default().with_dialect(dialect).with_mistake_limit(0).with_escape(args.escape);
    if args.format == Format::Text && !args.image.is_empty() {
        return Err(Error::Usage(NO_IMAGES.into()));
    }
    if args.text.iter().any(|text| text.trim().is_empty()) && args.image.is_empty() {
        return Err(Error::Usage("--text is empty: say something, or send an image with it".into()));
    }
    let images = args.image.iter().map(|path| images::load(path)).collect::<Result<Vec<_>, _>>()?;
    if let Some(given) = Given::new(&args.answer, &args.text) {
        let input = Input::open(args.stream.file.as_deref(), "ask")?;
        return in_turn(input, policy, setup, images, args, Box::new(given));
    }
    // From there come the answers.
    if args.stream.file.as_deref() == Some(Path::new("-")) && io::stdin().is_terminal() {
        return Err(Error::Usage(BOTH.into()));
    }
    let input = Input::open(args.stream.file.as_deref(), "ask")?;
    if !args.lines
        && let Some(terminal) = screen::terminal()
    {
        return screen::run(terminal, input, policy, setup, images, args);
    }
    if args.auto_answer.is_some() {
        return Err(Error::Usage("--auto-answer needs a terminal that can show a countdown".into()));
    }
    let lines = Lines::open(args.no_color).ok_or_else(|| Error::Usage(NOBODY.into()))?;
    in_turn(input, policy, setup, images, args, Box::new(lines))
}

/// Reads the message, and has each question answered before it reads on.
fn in_turn(
    input: Input,
    policy: Arc<Policy>,
    setup: Setup,
    images: Vec<Attached>,
    args: &Ask,
    answers: Box<dyn Answers>,
) -> Result<Status, Error> {
    let images = images.into_iter().map(|attached| attached.image).collect();
    let replies = Replies::at_once(args.format);
    let mut asking = Asking { dialogue: Dialogue::new(setup), answers, images, replies, status: Status::Well };
    let mut noticed = Noticed::default();
    let read = input.read(&args.stream, policy, args.reading.wire_limits(), |happened, when| {
        noticed.happened(&happened);
        asking.answers.show(&happened, when)?;
        match happened {
            Happened::Found(wire) => say_found(wire),
            Happened::Event(event) => {
                asking.event(event)?;
                // Nobody asks for it, and a message may have any number of calls.
                drop(asking.dialogue.take_history());
            }
            Happened::Error(_) => asking.status = Status::Wrong,
            Happened::Pause | Happened::End => {}
        }
        Ok(())
    });
    if read.is_ok() && !asking.images.is_empty() {
        say("there was no question to send the images with");
    }
    // What was answered is worth printing also where the rest could not be read.
    asking.replies.finish()?;
    read?;
    noticed.say(args);
    Ok(asking.status)
}

/// Whether anything was asked. If not, that may not be what was meant.
#[derive(Default)]
struct Noticed {
    is_asked: bool,
    /// The message begins as what providers stream does.
    is_stream: Option<bool>,
}

impl Noticed {
    fn happened(&mut self, happened: &Happened<'_>) {
        match happened {
            Happened::Event(Event::Text(text)) if self.is_stream.is_none() => {
                let begins = |begin: &str| text.trim_start().starts_with(begin);
                self.is_stream = Some(["data:", "event:", "{\"", "[{"].into_iter().any(begins));
            }
            Happened::Event(Event::Complete(_) | Event::Rejected(_)) | Happened::Error(_) => self.is_asked = true,
            _ => {}
        }
    }

    fn say(&self, args: &Ask) {
        let is_text = args.stream.wire == Source::Known(wire::Format::Text);
        let hint = match self.is_stream {
            Some(true) if is_text => "; it looks like what a provider streams: try --wire auto",
            _ => "",
        };
        if !self.is_asked {
            say(format_args!("there was no question in it{hint}"));
        }
    }
}

struct Asking {
    dialogue: Dialogue,
    answers: Box<dyn Answers>,
    /// Those that go with the first answer.
    images: Vec<Image>,
    replies: Replies,
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
        self.replies.send(reply)
    }

    /// Asks the question that is open.
    fn ask(&mut self) -> Result<(), Error> {
        while let Some(question) = self.dialogue.question().cloned() {
            let number = question.number;
            let reply = match self.answers.answer(&question)? {
                Some(answer) => {
                    let images = std::mem::take(&mut self.images);
                    let ends = ends_early(self.dialogue.setup(), text_of(&question, &answer));
                    match self.dialogue.answer(number, answer, images) {
                        Ok(reply) => {
                            if let Some(ends) = ends {
                                say(format_args!("question {}: {ends}", number + 1));
                            }
                            reply
                        }
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
            self.replies.send(reply)?;
        }
        Ok(())
    }
}

/// What an answer says.
fn text_of<'a>(question: &'a Question, answer: &'a Answer) -> &'a str {
    match answer {
        Answer::Suggestion(choice) => question.suggest.get(*choice).map_or("", |suggested| &suggested.answer),
        Answer::Edited { text, .. } | Answer::Text(text) => text,
    }
}

/// What a person should know of an answer that may end for the model before it ends.
fn ends_early(setup: &Setup, text: &str) -> Option<String> {
    let reply = &setup.dialect.reply;
    (!setup.escape && reply.is_ended_by(text)).then(|| {
        let close = reply.close.split_whitespace().collect::<Vec<_>>().join(" ");
        format!("{close} stands in the answer, and may end it for the model; --escape prevents that")
    })
}

/// Why an answer can't be taken, for people.
fn explain(question: &Question, kind: AnswerErrorKind) -> String {
    format!("question {}: {kind}", question.number + 1)
}

const NOBODY: &str = "\
there is no terminal to ask on: answer on the command line

  followup ask --answer 1 …          to take the first suggestion
  followup ask --text \"Neither\" …    to answer in your own words

`followup ask --help` has more.";

const NO_IMAGES: &str = "\
replies as text have no images: choose another format

  followup ask --image sketch.png --format json …            the reply with all that is known of it
  followup ask --image sketch.png --format openai-chat …     messages for a provider

`followup ask --help` has more.";

const BOTH: &str = "\
the message can't be typed here, because the answers are: name a file, or pipe the message in

  followup ask message.txt
  cat message.txt | followup ask

`followup ask --help` has more.";
