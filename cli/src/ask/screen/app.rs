//! What the screen shows, and what the person does with it. No terminal and no clock: those are given to it.

use std::collections::VecDeque;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use followup::dialogue::{Answer, Correction, Dialogue, Directive, Reply, ReplyKind, Setup};
use followup::{Event, Note};
use ratatui::layout::{Position, Rect};

use super::asking::{Asking, Focus, Wish};
use super::call::Choice;
use super::countdown::Countdown;
use super::document::{Document, Layout};
use super::scroll::Scroll;
use super::theme::Theme;
use crate::ask::images::Attached;
use crate::error::Error;
use crate::stream::Happened;

/// Reads the image whose path was typed.
pub(super) type Load = fn(&str) -> Result<Attached, Error>;

#[derive(Debug)]
pub(super) struct App {
    pub(super) theme: Theme,
    dialogue: Dialogue,
    pub(super) document: Document,
    /// The question that is open.
    pub(super) asking: Option<Asking>,
    /// Whether it has been seen: what was typed before is not meant for it.
    is_seen: bool,
    /// They go with the next answer.
    pub(super) images: Vec<Attached>,
    load: Load,
    pub(super) countdown: Countdown,
    pub(super) scroll: Scroll,
    /// All keys are shown.
    pub(super) help: bool,
    /// What the person has to know about the last key.
    pub(super) notice: Option<String>,
    /// Where things were drawn.
    pub(super) drawn: Drawn,
    pressed: Option<Choice>,
    pub(super) ended: bool,
    /// Something went wrong: it makes the exit status.
    pub(super) wrong: bool,
    /// The person has had enough, and was asked whether that is meant.
    pub(super) quit: Quit,
    replies: VecDeque<Pending>,
    /// The key that answered the last question, and when it was pressed last.
    answered_by: Option<(KeyCode, Duration)>,
}

/// A call's place among the replies, which are given in the order of the calls.
#[derive(Debug)]
struct Pending {
    /// The question it waits for.
    number: Option<u64>,
    reply: Option<Reply>,
}

/// A key that is pressed again as soon as that is being held down.
const REPEAT: Duration = Duration::from_millis(500);

/// Where things were drawn, for the mouse and for scrolling.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Drawn {
    pub(super) document: Rect,
    pub(super) top: usize,
    pub(super) layout: Layout,
    pub(super) draft: Rect,
    /// The countdown is seen.
    pub(super) countdown: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quit {
    No,
    /// What has been written would be lost.
    Asked,
    Yes,
}

impl App {
    pub(super) fn new(setup: Setup, images: Vec<Attached>, load: Load, seconds: Option<u64>, theme: Theme) -> App {
        App {
            theme,
            dialogue: Dialogue::new(setup),
            document: Document::new(theme),
            asking: None,
            is_seen: false,
            images,
            load,
            countdown: Countdown::new(seconds),
            scroll: Scroll::Follow,
            help: false,
            notice: None,
            drawn: Drawn::default(),
            pressed: None,
            ended: false,
            wrong: false,
            quit: Quit::No,
            replies: VecDeque::new(),
            answered_by: None,
        }
    }

    /// There is nothing left to do: the message is over, and all its questions are done with.
    pub(super) fn is_done(&self) -> bool {
        self.quit == Quit::Yes || (self.ended && self.asking.is_none())
    }

    /// How many questions wait for their turn.
    pub(super) fn waiting(&self) -> usize {
        self.dialogue.waiting()
    }

    /// Takes what happens in the message.
    pub(super) fn happened(&mut self, happened: Happened<'_>) {
        match happened {
            Happened::Found(_) | Happened::Pause => {}
            Happened::Event(event) => self.event(event),
            Happened::Error(error) => {
                self.wrong = true;
                self.document.error(&error.to_string());
            }
            Happened::End => {
                self.ended = true;
                self.document.finish();
            }
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.document.event(event);
        let (nth, notes) = match event {
            Event::Complete(call) => (call.nth(), call.notes()),
            Event::Rejected(call) => (call.nth(), &[] as &[Note]),
            Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => return,
        };
        match self.dialogue.event(event) {
            Directive::Nothing | Directive::Show(_) => {}
            Directive::Ask(question) | Directive::Later(question) => {
                self.document.wait(nth, question, notes);
                self.replies.push_back(Pending { number: Some(question.number), reply: None });
                self.open_next();
            }
            Directive::Tell(correction) | Directive::Stop(correction) => {
                let Correction { user, model, .. } = correction;
                self.document.reject(nth, user, model);
                self.wrong = true;
                self.replies.push_back(Pending { number: None, reply: Some(correction.reply()) });
            }
        }
    }

    /// Asks the question whose turn it is, unless one is being asked.
    fn open_next(&mut self) {
        if let (None, Some(question)) = (&self.asking, self.dialogue.question()) {
            self.document.open(question.number);
            self.asking = Some(Asking::new(question.clone()));
            self.is_seen = false;
            self.scroll = Scroll::Follow;
        }
    }

    /// It was drawn: what the person does from now on is meant for what was seen.
    pub(super) fn was_drawn(&mut self, drawn: Drawn, now: Duration) {
        self.drawn = drawn;
        self.is_seen = self.asking.is_some() && !drawn.document.is_empty();
        if self.may_be_taken() && drawn.countdown {
            self.countdown.run(now);
        }
    }

    /// Whether there is a suggestion to be taken.
    fn may_be_taken(&self) -> bool {
        self.asking.as_ref().is_some_and(|asking| asking.own() > 0)
    }

    /// How long until the first suggestion is taken.
    pub(super) fn left(&self, now: Duration) -> Option<Duration> {
        self.countdown.left(now).filter(|_| self.may_be_taken())
    }

    /// That time has come.
    pub(super) fn tick(&mut self, now: Duration) {
        if self.is_seen && self.drawn.countdown && self.left(now).is_some_and(|left| left.is_zero()) {
            self.answer(Answer::Suggestion(0));
        }
    }

    /// Somebody is there.
    fn wake(&mut self) {
        self.countdown = Countdown::Off;
        self.notice = None;
    }

    pub(super) fn key(&mut self, key: KeyEvent, now: Duration) {
        self.wake();
        if self.is_repeated(key.code, now) {
            return;
        }
        let before = self.asking.as_ref().map(|asking| asking.question.number);
        self.key_once(key);
        let is_answered = before.is_some() && before != self.asking.as_ref().map(|asking| asking.question.number);
        if is_answered {
            self.answered_by = Some((key.code, now));
        }
    }

    /// Whether the key that has answered a question is still being held down: that does not answer the next one.
    fn is_repeated(&mut self, key: KeyCode, now: Duration) -> bool {
        let last = self.answered_by.take().filter(|&(last, at)| last == key && now.saturating_sub(at) < REPEAT);
        self.answered_by = last.map(|_| (key, now));
        last.is_some()
    }

    fn key_once(&mut self, key: KeyEvent) {
        let was_asked = std::mem::replace(&mut self.quit, Quit::No) == Quit::Asked;
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return self.leave(was_asked);
        }
        if std::mem::take(&mut self.help) {
            // The key has closed the help, and does nothing else.
            return;
        }
        if self.scroll.key(key, &self.drawn, self.asking.is_some()) {
            return;
        }
        let Some(asking) = self.asking.as_mut().filter(|_| self.is_seen) else {
            self.help = key.code == KeyCode::Char('?');
            return;
        };
        if asking.draft().is_none() {
            self.scroll = Scroll::Follow;
            if key.code == KeyCode::Char('?') {
                self.help = true;
                return;
            }
        }
        let wish = asking.key(key);
        self.grant(wish);
    }

    /// Ctrl-C. What has been written is not lost by one key.
    fn leave(&mut self, was_asked: bool) {
        if !was_asked && self.asking.as_ref().is_some_and(Asking::has_drafts) {
            self.quit = Quit::Asked;
            self.notice = Some("Ctrl-C again quits, and what you have written is lost.".into());
        } else {
            self.quit = Quit::Yes;
        }
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.wake();
        self.help = false;
        if let Some(asking) = self.asking.as_mut().filter(|_| self.is_seen) {
            asking.paste(text);
        }
    }

    pub(super) fn mouse(&mut self, mouse: MouseEvent) {
        let at = Position::new(mouse.column, mouse.row);
        // A mouse that is only moved says nothing.
        if matches!(mouse.kind, MouseEventKind::Moved) {
            return;
        }
        self.wake();
        match mouse.kind {
            MouseEventKind::ScrollUp => self.scroll.by(-3, &self.drawn),
            MouseEventKind::ScrollDown => self.scroll.by(3, &self.drawn),
            MouseEventKind::Down(MouseButton::Left) => self.press(at),
            MouseEventKind::Up(MouseButton::Left) => self.release(at),
            _ => {}
        }
    }

    fn press(&mut self, at: Position) {
        self.pressed = None;
        if std::mem::take(&mut self.help) {
            return;
        }
        let choice = self.choice_at(at);
        let Some(asking) = self.asking.as_mut().filter(|_| self.is_seen) else { return };
        let draft = self.drawn.draft;
        if draft.contains(at) {
            if let Some(editor) = asking.draft_mut() {
                editor.click(at.y - draft.y, at.x - draft.x);
            }
        } else if let Some(choice) = choice {
            asking.selected = choice;
            // Who is writing goes back to the choices first.
            if matches!(asking.focus, Focus::Choices) {
                self.pressed = Some(choice);
            } else {
                asking.focus = Focus::Choices;
            }
        }
    }

    /// As a button: what was pressed is taken if it is also where the mouse is let go.
    fn release(&mut self, at: Position) {
        let choice = self.pressed.take().filter(|&choice| self.choice_at(at) == Some(choice));
        if let (Some(choice), Some(asking)) = (choice, &mut self.asking) {
            let wish = asking.take(choice);
            self.grant(wish);
        }
    }

    fn choice_at(&mut self, at: Position) -> Option<Choice> {
        let Drawn { document, top, .. } = self.drawn;
        if !document.contains(at) || !self.is_seen {
            return None;
        }
        self.document.choice_at(top + usize::from(at.y - document.y), usize::from(document.width))
    }

    fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Nothing => {}
            Wish::Answer(answer) => self.answer(answer),
            Wish::Leave => self.leave_unanswered(),
            Wish::Attach(path) if path.trim().is_empty() => {
                self.notice = Some("Type the path of an image, or Esc to go back.".into());
            }
            Wish::Attach(path) => match (self.load)(&path) {
                Ok(image) => {
                    self.images.push(image);
                    if let Some(asking) = &mut self.asking {
                        asking.back();
                    }
                }
                Err(error) => self.notice = Some(error.to_string()),
            },
            Wish::Detach => {
                if let Some(Attached { label, .. }) = self.images.pop() {
                    self.notice = Some(format!("{label} will not be sent."));
                }
            }
        }
    }

    fn answer(&mut self, answer: Answer) {
        let Some(Asking { question, .. }) = &self.asking else { return };
        let number = question.number;
        let text = match &answer {
            Answer::Suggestion(choice) => question.suggest.get(*choice).map_or("", |suggested| &suggested.answer),
            Answer::Edited { text, .. } | Answer::Text(text) => text,
        };
        if text.trim().is_empty() && self.images.is_empty() {
            self.notice = Some("There is nothing to send yet: write something first, or Esc to go back.".into());
            return;
        }
        let text = text.to_owned();
        let images = self.images.iter().map(|attached| attached.image.clone()).collect();
        match self.dialogue.answer(number, answer, images) {
            Ok(reply) => {
                let labels: Vec<String> = self.images.drain(..).map(|attached| attached.label).collect();
                self.document.answered(number, &text, &labels);
                self.ended_question(reply);
            }
            Err(error) => self.notice = Some(error.to_string()),
        }
    }

    /// The next reply, in the order of the calls. `all`: also those that wait for a question that will not be answered any more.
    pub(super) fn next_reply(&mut self, all: bool) -> Option<Reply> {
        while let Some(Pending { reply, .. }) = self.replies.front_mut() {
            let reply = reply.take();
            if reply.is_none() && !all {
                return None;
            }
            self.replies.pop_front();
            if reply.is_some() {
                return reply;
            }
        }
        None
    }

    /// The person has gone: what was being asked is not answered.
    pub(super) fn gone(&mut self) {
        self.document.finish();
        if let Some(asking) = self.asking.take() {
            self.document.left(asking.question.number);
        }
    }

    fn leave_unanswered(&mut self) {
        let Some(number) = self.asking.as_ref().map(|asking| asking.question.number) else { return };
        match self.dialogue.cancel(number) {
            Ok(reply) => {
                self.document.left(number);
                self.ended_question(reply);
            }
            Err(error) => self.notice = Some(error.to_string()),
        }
    }

    fn ended_question(&mut self, reply: Reply) {
        self.wrong |= reply.kind == ReplyKind::Cancelled;
        if let Some(pending) = self.replies.iter_mut().find(|pending| pending.number == reply.number) {
            pending.reply = Some(reply);
        }
        self.asking = None;
        self.countdown.rest();
        self.open_next();
    }
}
