//! Owned events, for tasks, channels and streams.
//!
//! The events of a [`Parser`](crate::Parser) borrow from it: nothing is copied, and no event
//! outlives its cursor. An event that is sent to another task has to own its text. A [`Reader`]
//! feeds a parser, or a [`ResponseParser`](crate::wire::ResponseParser), and returns such events.
//! They are `Send + Sync + 'static` and cheap to clone: their text is a [`ByteString`], which is
//! [`Bytes`](bytes::Bytes) known to be UTF-8.
//!
//! ```
//! use bytes::Bytes;
//! use followup::Parser;
//! use followup::owned::{CallView, Event, Reader};
//!
//! let mut reader = Reader::new(Parser::default());
//! let (sender, receiver) = std::sync::mpsc::channel();
//! let chunks =
//!     ["Hm. <ask_followup_question><question>Wh", "y?</question></ask_followup_question>"];
//! for chunk in chunks {
//!     for event in reader.feed(Bytes::from(chunk)) {
//!         sender.send(event).unwrap(); // it borrows nothing
//!     }
//! }
//! drop(sender);
//! let mut view = CallView::default();
//! std::thread::spawn(move || {
//!     for event in receiver {
//!         match event {
//!             Event::Partial(partial) => view.append(&partial),
//!             Event::Complete(call) => assert_eq!(view.question(), Some(&*call.question)),
//!             Event::Text(_) | Event::Opaque(_) | Event::Rejected(_) => {}
//!         }
//!     }
//! })
//! .join()
//! .unwrap();
//! ```
//!
//! A [`Partial`] carries what is new in the open call, not the whole call: n snapshots would be n²
//! bytes. A receiver that needs the whole call keeps a [`CallView`].

mod convert;
#[cfg(feature = "wire")]
pub(crate) mod error;
pub(crate) mod event;
mod reader;
mod view;

pub use bytestring::ByteString;

#[cfg(feature = "wire")]
pub use error::Error;
pub use event::{Complete, Event, Field, Form, Opaque, Partial, Question, QuestionOption, Rejected, Suggestion};
pub use reader::{ChunkParser, Events, Reader};
pub use view::{CallView, QuestionView, SuggestionView};
