//! Tests of the screen without a terminal: what it shows, and what keys, mouse and time do.

mod forms;
mod input;
mod notes;
mod screens;
mod talks;

use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use followup::Policy;
use followup::dialogue::{Dialect, Image, Reply, Setup};
use followup::wire::{Format, Limits};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use super::app::App;
use super::theme::Theme;
use super::view;
use crate::ask::images::{AttachedImage, Completion, ImageFiles};
use crate::error::Error;
use crate::events::{BodyReader, InputEvent};
use crate::input_format::InputFormat;

/// A screen with a model that writes on it, and a person who answers.
struct Scene {
    app: App,
    body: BodyReader,
    terminal: Terminal<TestBackend>,
    /// The last frame. (The backend's buffer keeps cells that a wide character has covered.)
    drawn: Buffer,
    now: Duration,
    cursor: Option<(u16, u16)>,
    /// The replies to the model.
    replies: Vec<Reply>,
}

/// Loads the only image that exists in these tests.
fn load(path: &str) -> Result<AttachedImage, Error> {
    match path {
        "sketch.gif" => Ok(AttachedImage {
            label: "sketch.gif (GIF, 6 bytes)".into(),
            image: Image::from_bytes(b"GIF89a", 99).unwrap(),
        }),
        _ => Err(Error::Unreadable(format!("can't read {path}: there is no such file; check the path"))),
    }
}

/// Completes the path of the only image that exists in these tests.
fn complete(path: &str) -> Completion {
    let is_found = "sketch.gif".starts_with(path);
    Completion { path: if is_found { "sketch.gif" } else { path }.into(), names: Vec::new(), is_found }
}

impl Scene {
    fn new(width: u16, height: u16) -> Scene {
        Scene::with(width, height, None, Format::Text)
    }

    fn with(width: u16, height: u16, seconds: Option<u64>, wire: Format) -> Scene {
        let setup = Setup::default().with_dialect(Dialect::roo_code()).with_mistake_limit(0);
        let mut scene = Scene {
            app: App::new(setup, Vec::new(), ImageFiles { load, complete }, seconds, Theme::new(true)),
            body: BodyReader::new(InputFormat::Known(wire), Arc::new(Policy::default()), Limits::default()),
            terminal: Terminal::new(TestBackend::new(width, height)).unwrap(),
            drawn: Buffer::default(),
            now: Duration::ZERO,
            cursor: None,
            replies: Vec::new(),
        };
        scene.draw();
        scene
    }

    fn draw(&mut self) {
        let completed = self
            .terminal
            .draw(|frame| {
                let (cursor, drawn) = view::draw(&mut self.app, self.now, frame.area(), frame.buffer_mut());
                if let Some(cursor) = cursor {
                    frame.set_cursor_position(cursor);
                }
                self.cursor = cursor.map(|at| (at.x, at.y));
                self.app.was_drawn(drawn, self.now);
            })
            .unwrap();
        self.drawn = completed.buffer.clone();
        self.replies.extend(std::iter::from_fn(|| self.app.next_reply()));
    }

    /// The model writes a text in chunks, and it is drawn.
    fn writes(&mut self, text: &str) -> &mut Scene {
        text.as_bytes().chunks(7).for_each(|chunk| self.feeds(Some(chunk)));
        self.draw();
        self.becomes_answerable()
    }

    /// Feeds a chunk without drawing.
    fn feeds(&mut self, chunk: Option<&[u8]>) {
        let app = &mut self.app;
        let mut handler = |event: InputEvent<'_>, _| {
            app.input_event(event);
            Ok(())
        };
        self.body.feed(chunk, &mut handler).unwrap();
    }

    /// The message ends.
    fn ends(&mut self) -> &mut Scene {
        self.feeds(None);
        self.draw();
        self
    }

    fn key(&mut self, code: KeyCode, modifiers: KeyModifiers) -> &mut Scene {
        self.becomes_answerable();
        self.app.key(KeyEvent::new(code, modifiers), self.now);
        self.draw();
        self
    }

    fn press(&mut self, code: KeyCode) -> &mut Scene {
        self.key(code, KeyModifiers::NONE)
    }

    fn control(&mut self, char: char) -> &mut Scene {
        self.key(KeyCode::Char(char), KeyModifiers::CONTROL)
    }

    /// Types characters; a new line is Alt-Enter.
    fn types(&mut self, text: &str) -> &mut Scene {
        for char in text.chars() {
            match char {
                '\n' => self.key(KeyCode::Enter, KeyModifiers::ALT),
                char => self.press(KeyCode::Char(char)),
            };
        }
        self
    }

    fn pastes(&mut self, text: &str) -> &mut Scene {
        self.app.paste(text);
        self.draw();
        self
    }

    /// Waits until the open question can be answered.
    fn becomes_answerable(&mut self) -> &mut Scene {
        self.waits(400)
    }

    fn mouse(&mut self, kind: MouseEventKind, row: u16) -> &mut Scene {
        self.becomes_answerable();
        self.app.mouse(MouseEvent { kind, column: 8, row, modifiers: KeyModifiers::NONE });
        self.draw();
        self
    }

    fn clicks(&mut self, row: u16) -> &mut Scene {
        self.mouse(MouseEventKind::Down(MouseButton::Left), row).mouse(MouseEventKind::Up(MouseButton::Left), row)
    }

    fn waits(&mut self, milliseconds: u64) -> &mut Scene {
        self.now += Duration::from_millis(milliseconds);
        self.app.tick(self.now);
        self.draw();
        self
    }

    fn resizes(&mut self, width: u16, height: u16) -> &mut Scene {
        self.terminal.backend_mut().resize(width, height);
        self.draw();
        self
    }

    /// The replies to the model.
    fn replies(&self) -> Vec<&str> {
        self.replies.iter().map(|reply| &*reply.text).collect()
    }

    /// Returns the rows of the screen.
    fn rows(&self) -> Vec<String> {
        rows(&self.drawn)
    }

    #[track_caller]
    fn sees(&mut self, wanted: &str) -> &mut Scene {
        assert!(self.rows().join("\n").contains(wanted), "{wanted:?} should be on the screen:\n{}", self.shown());
        self
    }

    #[track_caller]
    fn misses(&mut self, gone: &str) -> &mut Scene {
        assert!(!self.rows().join("\n").contains(gone), "{gone:?} should not be on the screen:\n{}", self.shown());
        self
    }

    /// Returns the screen in a frame, with the position of the cursor.
    fn shown(&self) -> String {
        let (width, height) =
            (self.terminal.backend().buffer().area.width, self.terminal.backend().buffer().area.height);
        let mut shown = format!("{width} x {height}");
        if let Some((x, y)) = self.cursor {
            let _ = write!(shown, ", cursor at column {x} of row {y}");
        }
        self.rows().iter().for_each(|row| {
            let _ = write!(shown, "\n|{row}");
        });
        shown + "\n"
    }
}

/// Returns the rows of a buffer. A wide character covers two cells, of which the second is skipped.
fn rows(buffer: &Buffer) -> Vec<String> {
    let width = usize::from(buffer.area.width);
    let row = |cells: &[ratatui::buffer::Cell]| {
        let mut row = String::new();
        let mut covered = 0;
        for cell in cells {
            if covered == 0 {
                row.push_str(cell.symbol());
                covered = unicode_width::UnicodeWidthStr::width(cell.symbol()).max(1);
            }
            covered -= 1;
        }
        row.trim_end().to_owned()
    };
    buffer.content.chunks(width.max(1)).map(row).collect()
}

const QUESTION: &str = "<ask_followup_question><question>Which **database** should the service use? It stores\n\n\
    - about `10 GB`, and\n- is read *often*.</question><follow_up>";
const SUGGESTIONS: &str = "<suggest>PostgreSQL, which the rest of the company runs already</suggest>\
    <suggest mode=\"code\">SQLite</suggest><suggest>数据库 — something else</suggest>";
const END: &str = "</follow_up></ask_followup_question>";

fn call() -> String {
    [QUESTION, SUGGESTIONS, END].concat()
}

fn asked(question: &str, suggestions: &[&str]) -> String {
    let suggestions: String = suggestions.iter().map(|one| format!("<suggest>{one}</suggest>")).collect();
    format!("<ask_followup_question><question>{question}</question><follow_up>{suggestions}{END}")
}
