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
use super::document::{Document, Layout, Rows};
use super::scroll::Scroll;
use super::theme::Theme;
use crate::ask::images::Attached;
use crate::ask::{ends_early, text_of};
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
    /// Since when it has been seen, and whether that is long enough to be answered: what was typed before is not meant for it.
    seen: Option<Duration>,
    pub(super) is_live: bool,
    /// They go with the next answer.
    pub(super) images: Vec<Attached>,
    load: Load,
    /// Replies are printed in a form that has room for images.
    pub(super) sends_images: bool,
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

/// So long a question is seen before it can be answered.
const DEAD: Duration = Duration::from_millis(400);

/// A key that comes again as soon as that is being held down: keyboards begin to repeat it after up to 660 ms.
const REPEAT: Duration = Duration::from_millis(700);

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

impl Drawn {
    /// Whether anything is seen of the question that is open.
    fn is_question_seen(&self) -> bool {
        let bottom = self.top + usize::from(self.document.height);
        let is_in_sight = |rows: Rows| rows.begin < bottom && rows.end > self.top;
        !self.document.is_empty() && self.layout.question.is_some_and(is_in_sight)
    }
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
            seen: None,
            is_live: false,
            images,
            load,
            sends_images: true,
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
            (self.seen, self.is_live) = (None, false);
        }
    }

    /// It was drawn: what the person does from now on is meant for what was seen.
    pub(super) fn was_drawn(&mut self, drawn: Drawn, now: Duration) {
        self.drawn = drawn;
        let is_seen = self.asking.is_some() && drawn.is_question_seen();
        self.seen = self.seen.or(Some(now)).filter(|_| is_seen);
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

    /// When there is something to be done even if nothing happens.
    pub(super) fn next(&self, now: Duration) -> Option<Duration> {
        let live = self.seen.filter(|_| !self.is_live).map(|since| (since + DEAD).saturating_sub(now));
        live.into_iter().chain(self.countdown.next(now)).min()
    }

    /// That time has come.
    pub(super) fn tick(&mut self, now: Duration) {
        self.is_live = self.seen.is_some_and(|since| now.saturating_sub(since) >= DEAD);
        if self.is_live && self.drawn.countdown && self.left(now).is_some_and(|left| left.is_zero()) {
            self.answer_with(Answer::Suggestion(0), true);
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
        let is_in_sight = self.seen.is_some();
        let Some(asking) = &mut self.asking else {
            self.help = key.code == KeyCode::Char('?');
            return;
        };
        if asking.draft().is_none() || !is_in_sight {
            // Whatever else it does, it brings the question into sight.
            self.scroll = Scroll::Follow;
            self.help = key.code == KeyCode::Char('?');
            if self.help || !self.is_live {
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
        if let Some(asking) = self.asking.as_mut().filter(|_| self.seen.is_some()) {
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
        let Some(asking) = self.asking.as_mut().filter(|_| self.is_live) else { return };
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
        if !document.contains(at) || !self.is_live {
            return None;
        }
        self.document.choice_at(top + usize::from(at.y - document.y), usize::from(document.width))
    }

    fn grant(&mut self, wish: Wish) {
        match wish {
            Wish::Nothing => {}
            // Meant for something else, most likely: nobody reads that fast.
            Wish::Answer(_) | Wish::Leave if !self.is_live => {}
            Wish::Answer(answer) => self.answer(answer),
            Wish::Leave => self.leave_unanswered(),
            Wish::Attach(_) if !self.sends_images => {
                self.notice =
                    Some("Replies as text have no images: start with --format json, or that of a provider.".into());
            }
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
        self.answer_with(answer, false);
    }

    fn answer_with(&mut self, answer: Answer, is_automatic: bool) {
        let Some(Asking { question, .. }) = &self.asking else { return };
        let number = question.number;
        let text = text_of(question, &answer);
        if text.trim().is_empty() && self.images.is_empty() {
            self.notice = Some("There is nothing to send yet: write something first, or Esc to go back.".into());
            return;
        }
        let text = text.to_owned();
        let images = self.images.iter().map(|attached| attached.image.clone()).collect();
        match self.dialogue.answer(number, answer, images) {
            Ok(reply) => {
                let mut said: Vec<String> = self.images.drain(..).map(|sent| format!("with {}", sent.label)).collect();
                said.extend(ends_early(self.dialogue.setup(), &text));
                said.extend(is_automatic.then(|| "taken because nobody pressed a key".to_owned()));
                self.document.answered(number, &text, &said);
                self.ended_question(reply);
            }
            Err(error) => self.notice = Some(error.to_string()),
        }
    }

    /// The next reply, in the order of the calls.
    pub(super) fn next_reply(&mut self) -> Option<Reply> {
        let reply = self.replies.front_mut()?.reply.take()?;
        self.replies.pop_front();
        Some(reply)
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
        self.scroll = Scroll::Follow;
        self.countdown.rest();
        self.open_next();
    }
}
