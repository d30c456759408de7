//! The state of the screen, and what keys, mouse and time do to it.
//!
//! It owns no terminal and no clock.

use std::collections::VecDeque;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use followup::dialogue::{Answer, Correction, Dialogue, Directive, Reply, Setup};
use followup::{Event, Note, Reason};
use ratatui::layout::Position;

use super::countdown::Countdown;
use super::document::Document;
use super::drawn::DrawnFrame;
use super::open_question::{Focus, OpenQuestion};
use super::scroll::Scroll;
use super::spot::Spot;
use super::theme::Theme;
use crate::ask::images::{AttachedImage, ImageFiles};
use crate::events::InputEvent;

/// The state of the screen.
#[derive(Debug)]
pub(super) struct App {
    pub(super) theme: Theme,
    pub(super) dialogue: Dialogue,
    pub(super) document: Document,
    pub(super) open_question: Option<OpenQuestion>,
    /// When the open question became visible; `None` while it is not.
    visible_since: Option<Duration>,
    /// Whether the open question has been visible for [`ANSWER_DELAY`].
    ///
    /// Keys pressed before are not meant for it.
    pub(super) is_answerable: bool,
    /// The images to send with the next answer.
    pub(super) images: Vec<AttachedImage>,
    pub(super) files: ImageFiles,
    /// Whether the format of the replies has room for images.
    pub(super) sends_images: bool,
    pub(super) countdown: Countdown,
    pub(super) scroll: Scroll,
    /// Whether the list of keys is shown.
    pub(super) help: bool,
    /// The first visible line of the list of keys.
    pub(super) help_top: usize,
    /// A notice about the effect of the last key.
    pub(super) notice: Option<String>,
    pub(super) drawn: DrawnFrame,
    /// The choice on which the mouse button was pressed.
    pressed: Option<Spot>,
    /// Whether the message has ended.
    pub(super) has_ended: bool,
    /// Whether the exit status is a failure.
    pub(super) has_failed: bool,
    pub(super) quit: Quit,
    pub(super) replies: VecDeque<ReplySlot>,
    /// The key that answered the last question, and when it was last pressed.
    answered_by: Option<(KeyCode, Duration)>,
}

/// The place of a call's reply among the replies, which are printed in the order of the calls.
#[derive(Debug)]
pub(super) struct ReplySlot {
    /// The number of the question, if the call can be asked.
    pub(super) number: Option<u64>,
    pub(super) reply: Option<Reply>,
}

/// How long a question is visible before it can be answered.
const ANSWER_DELAY: Duration = Duration::from_millis(400);

/// A key pressed again within this time is held down.
///
/// Keyboards begin to repeat after up to 660 ms.
const KEY_REPEAT: Duration = Duration::from_millis(700);

/// How many lines of the list of keys a page is, at least on the lowest screens.
const HELP_PAGE: usize = 4;

/// Whether the person quits the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quit {
    No,
    /// The person has to confirm, because drafts or answers would be lost.
    Confirming,
    Yes,
}

impl App {
    pub(super) fn new(
        setup: Setup,
        images: Vec<AttachedImage>,
        files: ImageFiles,
        seconds: Option<u64>,
        theme: Theme,
    ) -> App {
        App {
            theme,
            dialogue: Dialogue::new(setup),
            document: Document::new(theme),
            open_question: None,
            visible_since: None,
            is_answerable: false,
            images,
            files,
            sends_images: true,
            countdown: Countdown::new(seconds),
            scroll: Scroll::Follow,
            help: false,
            help_top: 0,
            notice: None,
            drawn: DrawnFrame::default(),
            pressed: None,
            has_ended: false,
            has_failed: false,
            quit: Quit::No,
            replies: VecDeque::new(),
            answered_by: None,
        }
    }

    /// Returns whether the person quits, or the message and all questions have ended.
    pub(super) fn is_done(&self) -> bool {
        self.quit == Quit::Yes || (self.has_ended && self.open_question.is_none())
    }

    /// Returns the number of questions that wait for their turn.
    pub(super) fn waiting(&self) -> usize {
        self.dialogue.waiting()
    }

    /// Handles an event of the input.
    pub(super) fn input_event(&mut self, event: InputEvent<'_>) {
        match event {
            InputEvent::Detected(_) | InputEvent::ChunkEnd => {}
            InputEvent::Event(event) => self.event(event),
            InputEvent::Error(error) => {
                self.has_failed = true;
                self.document.error(&error.to_string());
            }
            InputEvent::End => {
                self.has_ended = true;
                self.document.finish();
            }
        }
    }

    fn event(&mut self, event: Event<'_>) {
        self.document.event(event);
        let (call, notes) = match event {
            Event::Complete(call) => (call.index(), call.notes()),
            Event::Rejected(call) if call.reason() == Reason::Superseded => return self.document.remove(call.index()),
            Event::Rejected(call) => (call.index(), &[] as &[Note]),
            Event::Text(_) | Event::Opaque(_) | Event::Partial(_) => return,
        };
        match self.dialogue.event(event) {
            Directive::Nothing | Directive::Show(_) => {}
            Directive::Ask(question) | Directive::Later(question) => {
                self.document.complete(call, question, notes);
                self.replies.push_back(ReplySlot { number: Some(question.number), reply: None });
                self.open_next();
            }
            Directive::Tell(correction) | Directive::Stop(correction) => {
                let Correction { user, model, .. } = correction;
                self.document.reject(call, user, model);
                self.has_failed = true;
                self.replies.push_back(ReplySlot { number: None, reply: Some(correction.reply()) });
            }
        }
    }

    /// Opens the next question, unless one is open.
    pub(super) fn open_next(&mut self) {
        if let (None, Some(question)) = (&self.open_question, self.dialogue.question()) {
            self.document.open(question.number);
            self.open_question = Some(OpenQuestion::new(question.clone()));
            (self.visible_since, self.is_answerable) = (None, false);
        }
    }

    /// Records what was drawn: keys pressed from now on are meant for it.
    pub(super) fn was_drawn(&mut self, drawn: DrawnFrame, now: Duration) {
        self.drawn = drawn;
        // The editor may have taken the only row.
        let is_edited =
            drawn.document.is_empty() && self.open_question.as_ref().is_some_and(|open| open.draft().is_some());
        let is_visible = self.open_question.is_some() && (drawn.is_question_visible() || is_edited);
        self.visible_since = self.visible_since.or(Some(now)).filter(|_| is_visible);
        if drawn.countdown && self.automatic_answer().is_some() {
            self.countdown.run(now);
        }
    }

    /// Returns the answer to the open question that is given when nobody is there.
    pub(super) fn automatic_answer(&self) -> Option<Answer> {
        self.open_question.as_ref().and_then(OpenQuestion::automatic_answer)
    }

    /// Returns how long until the first suggestion is taken.
    pub(super) fn countdown_left(&self, now: Duration) -> Option<Duration> {
        self.countdown.left(now).filter(|_| self.automatic_answer().is_some())
    }

    /// Returns how long until the next [`App::tick`]; `None` if no change is due.
    pub(super) fn next_tick(&self, now: Duration) -> Option<Duration> {
        let answerable = self.visible_since.filter(|_| !self.is_answerable);
        let answerable = answerable.map(|since| (since + ANSWER_DELAY).saturating_sub(now));
        answerable.into_iter().chain(self.countdown.next_tick(now)).min()
    }

    /// Updates the state to the current time.
    pub(super) fn tick(&mut self, now: Duration) {
        self.is_answerable = self.visible_since.is_some_and(|since| now.saturating_sub(since) >= ANSWER_DELAY);
        if self.is_answerable
            && self.drawn.countdown
            && self.countdown_left(now).is_some_and(|left| left.is_zero())
            && let Some(answer) = self.automatic_answer()
        {
            self.answer_with(answer, true);
        }
    }

    /// Returns `true` if there was no question to send images with.
    pub(super) fn has_unsent_images(&self) -> bool {
        !self.images.is_empty()
    }

    /// Stops the countdown, because a person is present, and clears the notice.
    pub(super) fn on_input(&mut self) {
        self.countdown = Countdown::Off;
        self.notice = None;
    }

    pub(super) fn key(&mut self, key: KeyEvent, now: Duration) {
        self.on_input();
        if self.is_repeated(key.code, now) {
            return;
        }
        let before = (self.open_number(), self.is_at_review());
        self.key_once(key);
        let is_answered = before.0.is_some() && before.0 != self.open_number();
        if is_answered || (!before.1 && self.is_at_review()) {
            self.answered_by = Some((key.code, now));
        }
    }

    /// Returns whether the next key may send the answers.
    fn is_at_review(&self) -> bool {
        self.open_question.as_ref().is_some_and(OpenQuestion::is_at_review)
    }

    /// Returns the number of the open question.
    pub(super) fn open_number(&self) -> Option<u64> {
        self.open_question.as_ref().map(|open| open.question.number)
    }

    /// Returns whether the key that answered the last question is still held down.
    ///
    /// Such a key must not answer the next question, nor send the answers.
    fn is_repeated(&mut self, key: KeyCode, now: Duration) -> bool {
        let last = self.answered_by.take().filter(|&(last, at)| last == key && now.saturating_sub(at) < KEY_REPEAT);
        self.answered_by = last.map(|_| (key, now));
        last.is_some()
    }

    fn key_once(&mut self, key: KeyEvent) {
        let was_confirming = std::mem::replace(&mut self.quit, Quit::No) == Quit::Confirming;
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return self.control_c(was_confirming);
        }
        if self.help {
            // A key that closes the list does nothing else.
            self.help = self.scroll_help(key.code);
            return;
        }
        if self.scroll.key(key, &self.drawn, self.open_question.is_some()) {
            return;
        }
        if key.code == KeyCode::F(1) {
            return self.open_help();
        }
        let is_visible = self.visible_since.is_some();
        let Some(open) = &mut self.open_question else {
            self.key_without_question(key);
            return;
        };
        if open.draft().is_none() || !is_visible {
            // Every key brings the question into view.
            self.scroll = Scroll::Follow;
            if !self.is_answerable {
                self.key_without_question(key);
                return;
            }
            let is_chosen_from = matches!(open.focus, Focus::Choices) && !open.begins_text(key);
            if is_chosen_from && self.key_without_question(key) {
                return;
            }
        }
        let Some(open) = &mut self.open_question else { return };
        let action = open.key(key);
        self.perform(action);
    }

    /// Handles a key that has the same effect whether or not a question is open.
    ///
    /// Returns whether it is one.
    fn key_without_question(&mut self, key: KeyEvent) -> bool {
        match key.code {
            _ if key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT) => return false,
            KeyCode::Char('?') => self.open_help(),
            KeyCode::Char('n') => self.document.toggle_notes(),
            KeyCode::Char('o') => self.document.toggle_calls(),
            _ => return false,
        }
        true
    }

    fn open_help(&mut self) {
        (self.help, self.help_top) = (true, 0);
    }

    /// Scrolls the list of keys, and returns whether the key does that.
    fn scroll_help(&mut self, key: KeyCode) -> bool {
        // Drawing it keeps the position within the list.
        self.help_top = match key {
            KeyCode::Up | KeyCode::Char('k') => self.help_top.saturating_sub(1),
            KeyCode::Down | KeyCode::Char('j') => self.help_top + 1,
            KeyCode::PageUp => self.help_top.saturating_sub(HELP_PAGE),
            KeyCode::PageDown | KeyCode::Char(' ') => self.help_top + HELP_PAGE,
            KeyCode::Home => 0,
            KeyCode::End => usize::MAX / 2,
            _ => return false,
        };
        true
    }

    /// Handles Ctrl-C, which has to be confirmed if drafts or answers would be lost.
    fn control_c(&mut self, was_confirming: bool) {
        let open = self.open_question.as_ref().filter(|_| !was_confirming);
        let lost = match open {
            Some(open) if open.has_drafts() => "what you have written is lost",
            Some(open) if open.has_picks() => "your answers are lost",
            _ => {
                self.quit = Quit::Yes;
                return;
            }
        };
        self.quit = Quit::Confirming;
        self.notice = Some(format!("Ctrl-C again quits, and {lost}."));
    }

    pub(super) fn paste(&mut self, text: &str) {
        self.on_input();
        self.help = false;
        let is_visible = self.visible_since.is_some();
        // As a key does, it brings the question into view.
        self.scroll = if is_visible { self.scroll } else { Scroll::Follow };
        match &mut self.open_question {
            Some(open) if is_visible || open.draft().is_some() => {
                if !open.paste(text) {
                    self.notice = Some("Nothing was pasted: no text is taken here.".into());
                }
            }
            Some(_) => self.notice = Some("Nothing was pasted: the question was out of sight. Paste again.".into()),
            None => {}
        }
    }

    pub(super) fn mouse(&mut self, mouse: MouseEvent) {
        let at = Position::new(mouse.column, mouse.row);
        // Moving the mouse has no effect.
        if matches!(mouse.kind, MouseEventKind::Moved) {
            return;
        }
        self.on_input();
        match mouse.kind {
            MouseEventKind::ScrollUp if self.help => self.help_top = self.help_top.saturating_sub(3),
            MouseEventKind::ScrollDown if self.help => self.help_top += 3,
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
        let spot = self.spot_at(at);
        let Some(open) = self.open_question.as_mut().filter(|_| self.is_answerable) else { return };
        let draft = self.drawn.draft;
        if draft.contains(at) {
            if let Some(editor) = open.draft_mut() {
                editor.click(at.y - draft.y, at.x - draft.x);
            }
        } else if let Some(spot) = spot {
            // From the editor, a click only returns to the choices.
            if !matches!(open.focus, Focus::Choices) {
                open.leave_editor();
                open.go_to_spot(spot);
                return;
            }
            // Another question is entered on release, because rows may move then.
            if spot.step == open.current {
                open.select(spot.choice);
            }
            self.pressed = Some(spot);
        }
    }

    /// Takes a choice if the mouse is released on the choice on which it was pressed.
    fn release(&mut self, at: Position) {
        let spot = self.pressed.take().filter(|&spot| self.spot_at(at) == Some(spot));
        if let (Some(spot), Some(open)) = (spot, &mut self.open_question) {
            open.go_to_spot(spot);
            let action = open.pick(spot.choice);
            self.perform(action);
        }
    }

    fn spot_at(&mut self, at: Position) -> Option<Spot> {
        let DrawnFrame { document, top, .. } = self.drawn;
        if !document.contains(at) || !self.is_answerable {
            return None;
        }
        self.document.choice_at(top + usize::from(at.y - document.y), usize::from(document.width))
    }
}
