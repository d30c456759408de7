//! Calls written as markup in the text.
//!
//! ```text
//!   text ──► lexer: tags and the text between them ──► machine: states ──► Call
//!              └── nom: a tag, after its name
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `lexed` | a tag that was read, and what its name means |
//! | `tag` | the names of tags, and the grammar of one tag |
//! | `attributes` | the grammar of what follows a tag's name |
//! | `pending` | the incomplete tag that the text so far ends in |
//! | `allowed` | which tags mean something outside our calls |
//! | `state` | the states |
//! | `code` | code in prose |
//! | `pass` | how prose is passed, up to where a call may begin |
//! | `machine` | the machine: text and tags, one after the other |
//! | `outside`, `unconfirmed`, `inside` | what the machine does in prose and other tools' calls, after an opening tag, and inside a call, with the tags of a call |
//! | `incomplete` | what the machine does with an incomplete tag |
//! | `envelope` | how the machine of envelopes is driven |
//! | `checkpoint` | the state of the machine as data |
//! | `suggestions` | the markup of suggestions in a text of its own |

mod allowed;
pub(crate) mod attributes;
pub(crate) mod checkpoint;
mod code;
mod envelope;
mod incomplete;
mod inside;
pub(crate) mod lexed;
pub(crate) mod machine;
mod outside;
mod pass;
mod pending;
mod state;
pub(crate) mod suggestions;
mod tag;
mod unconfirmed;
