//! Native calls, whose arguments are JSON, and lists of options as JSON in markup.
//!
//! ```text
//! text ──► lexer ──tokens──► arguments: the meaning of each value ──► Call
//!            └ nom: one escape, one literal
//! ```
//!
//! | file | contents |
//! |---|---|
//! | `grammar` | the grammar of an escape and of a literal |
//! | `lexer` | tokens, and the incomplete token at the end of the text so far |
//! | `key` | a key of an object |
//! | `arguments` | the state, and what each token means in it |
//! | `machine` | the loop over the tokens of a stream |
//! | `list` | a list of options whose text is complete |

pub(crate) mod arguments;
mod grammar;
pub(crate) mod key;
pub(crate) mod lexer;
pub(crate) mod list;
pub(crate) mod machine;
