//! Calls in the models' own envelopes, which arrive as text where a server has no parser for them.
//!
//! ```text
//!   opener ──► header: held back ──► JSON, or parameters ──► after the call: its close tags
//!                 │ it is none          one of the readers      │ what is no part of it
//!                 └──► prose                                    └──► prose, or the next header
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `name` | the names of tools |
//! | `kinds` | the kinds of tags and tokens, and sets of them |
//! | `tag_names` | the names of tags and tokens of all families, and how they are found |
//! | `tag` | the grammar of a tag or token |
//! | `object` | a JSON object that has a name and arguments |
//! | `harmony` | the text in the headers of Harmony |
//! | `arguments` | what reads the arguments of a call, by its tool |
//! | `change` | what the text around an envelope has to know of it |
//! | `state` | the states |
//! | `allowed` | which tags mean something in which state |
//! | `machine` | the machine: what text and each tag does |
//! | `header`, `json`, `parameters`, `after` | its parts: before a call is certain, in JSON, in parameters, after the call's end |

mod after;
mod allowed;
pub(crate) mod arguments;
pub(crate) mod change;
mod harmony;
mod header;
mod json;
pub(crate) mod kinds;
pub(crate) mod machine;
mod name;
mod object;
mod parameters;
mod state;
pub(crate) mod tag;
pub(crate) mod tag_names;
