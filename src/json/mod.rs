//! Calls made natively: their arguments as JSON, and JSON where markup holds some.
//!
//! ```text
//!   text ──► lexer: tokens ──► arguments: what each value is ──► Call
//!              └── nom: one escape, one literal
//! ```
//!
//! | file | what it holds |
//! |---|---|
//! | `grammar` | one escape, one literal |
//! | `lexer` | tokens, and the incomplete one that the text so far ends in |
//! | `key` | a key of an object |
//! | `arguments` | which value is the question, which are suggestions |
//! | `machine` | the machine: one token after the other |
//! | `list` | a list of suggestions whose text is complete |

mod arguments;
mod grammar;
mod key;
mod lexer;
pub(crate) mod list;
pub(crate) mod machine;
