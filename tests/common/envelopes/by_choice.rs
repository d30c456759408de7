//! The families that are not read by default: `mistral`, `deepseek` and `llama`.

use followup::Envelope;

use super::calls::{Call, CallEnd};
use super::headers::{Body, Closer, Head, No, Try};
use super::tags::bare_name;
use crate::common::reference::Reader;

const CALLS: &str = "[TOOL_CALLS]";
const ARGUMENTS: &str = "[ARGS]";
const CALL_ID: &str = "[CALL_ID]";

const CALL_BEGIN: &str = "<｜tool▁call▁begin｜>";
const SEPARATOR: &str = "<｜tool▁sep｜>";
const CALL_END: &str = "<｜tool▁call▁end｜>";

pub(super) const DEEPSEEK_SECTIONS: [&str; 2] = ["<｜tool▁calls▁begin｜>", "<｜tool▁calls｜>"];
pub(super) const DEEPSEEK_SECTION_ENDS: [&str; 1] = ["<｜tool▁calls▁end｜>"];
pub(super) const DEEPSEEK_OPENERS: [&str; 3] = [DEEPSEEK_SECTIONS[0], DEEPSEEK_SECTIONS[1], CALL_BEGIN];
pub(super) const LLAMA_OPENERS: [&str; 2] = ["<|python_tag|>", "<|python_start|>"];
pub(super) const LLAMA_ENDS: [&str; 2] = ["<|python_end|>", "<|eom_id|>"];

const SPACE_OR_BRACKET: &str = " \t\r\n[{";

impl Reader<'_> {
    /// The index of the first character that no header can have, unless it is the end of the
    /// stream.
    fn ends(&self, index: usize) -> No {
        if index == self.chars.len() { No::Ends(false) } else { No::At(index) }
    }

    /// "`[TOOL_CALLS]`, in a list also `[`", the name "after it, and then `[CALL_ID]` and up to 64
    /// letters and digits or not, `[ARGS]` or not; in a list in an object". "Space may be between
    /// the parts."
    ///
    /// Decided: `[TOOL_CALLS]` is no token, so no limit but that of the header counts.
    pub(super) fn mistral(&self, index: usize) -> Try<Head> {
        if !self.rules.reads(Envelope::Mistral) || self.peek(index) != Some('[') {
            return Err(No::At(index));
        }
        let p = self.space(self.literal(index, CALLS).map_err(|p| self.ends(p))?);
        if self.peek(p) == Some('[') {
            return self.object_after(Envelope::Mistral, Closer::List, p + 1);
        }
        let end = self.name(p, SPACE_OR_BRACKET)?;
        let name = bare_name(&self.string(p, end)).to_string();
        let body = self.after_mistral_name(self.space(end))?;
        // "`mistral`, not in a list: none: it ends with its JSON"
        Ok(Head {
            family: Envelope::Mistral,
            name,
            body,
            what: Body::Arguments,
            closer: Closer::None,
            in_wrapper: false,
            is_fenced: false,
            certain: body + 1,
        })
    }

    /// Returns the index of the `{` that follows a name, "`[CALL_ID]` and up to 64 letters and
    /// digits or not, `[ARGS]` or not".
    fn after_mistral_name(&self, index: usize) -> Try<usize> {
        let mut p = index;
        if self.peek(p) == Some('[') && self.peek(p + 1) == Some('C') {
            p = self.space(self.literal(p, CALL_ID).map_err(|p| self.ends(p))?);
            let id = p;
            while p < id + 64 && self.peek(p).is_some_and(|c| c.is_ascii_alphanumeric()) {
                p += 1;
            }
            p = self.space(p);
        }
        if self.peek(p) == Some('[') {
            p = self.space(self.literal(p, ARGUMENTS).map_err(|p| self.ends(p))?);
        }
        self.literal(p, "{").map(|_| p).map_err(|p| self.ends(p))
    }

    /// Space, and an object with the name and the arguments in it.
    fn object_after(&self, family: Envelope, closer: Closer, index: usize) -> Try<Head> {
        let object = self.space(index);
        self.literal(object, "{").map_err(|p| self.ends(p))?;
        let (name, certain) = self.object_header(object, false)?;
        Ok(Head {
            family,
            name,
            body: object,
            what: Body::Object(object),
            closer,
            in_wrapper: true,
            is_fenced: false,
            certain,
        })
    }

    /// "In a list of `mistral` the next object follows after a `,`, and in `llama` after a `;`.
    /// They belong to its header, too."
    pub(super) fn next_object(&self, family: Envelope, index: usize) -> Try<Head> {
        let (closer, separator) = match family {
            Envelope::Mistral => (Closer::List, ","),
            _ => (Closer::Llama, ";"),
        };
        let after = self.literal(self.space(index), separator).map_err(|p| self.ends(p))?;
        self.object_after(family, closer, after)
    }

    /// "`<|python_tag|>` (or `python_start`)", the name "in an object"
    pub(super) fn llama(&self, index: usize, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        if !self.rules.reads(Envelope::Llama) {
            return Err(No::At(index));
        }
        let end = self.expect_one(index, &LLAMA_OPENERS, tags)?;
        self.object_after(Envelope::Llama, Closer::Llama, end)
    }

    /// The row of `deepseek`, in a section that is open already or not.
    pub(super) fn deepseek(&self, index: usize, in_section: bool, tags: &mut Vec<(usize, usize)>) -> Try<Head> {
        if !self.rules.reads(Envelope::Deepseek) {
            return Err(No::At(index));
        }
        let mut p = index;
        let mut in_wrapper = in_section;
        if !in_section {
            self.expect_one(index, &DEEPSEEK_OPENERS, tags)?;
            if let Some(end) = self.one_of(index, &DEEPSEEK_SECTIONS) {
                in_wrapper = true;
                p = end;
            }
        }
        p = if in_wrapper { self.space(p) } else { p };
        let next_token = |p: usize, token: &str, tags: &mut Vec<(usize, usize)>| match self.peek(p) {
            None => Err(No::Ends(false)),
            Some(_) => self.expect(p, token, tags).map(|end| self.space(end)),
        };
        p = next_token(p, CALL_BEGIN, tags)?;
        let end = self.name(p, " \t\r\n<")?;
        let mut name = self.string(p, end);
        p = next_token(self.space(end), SEPARATOR, tags)?;
        // "if that is `function`, after `<｜tool▁sep｜>`, up to space or `{`"
        if name == "function" {
            let end = self.name(p, " \t\r\n{")?;
            name = self.string(p, end);
            p = self.space(end);
        }
        // "Before the `{` may be the opening line of a fence [..] after the name of `glm` or
        // `deepseek`."
        let (body, is_fenced) = self.fenced_object(p)?;
        Ok(Head {
            family: Envelope::Deepseek,
            name: bare_name(&name).to_string(),
            body,
            what: Body::Arguments,
            closer: Closer::Token(CALL_END),
            in_wrapper,
            is_fenced,
            certain: body + 1,
        })
    }

    /// What follows an object in a list of `mistral`: "in a list `]`, or a `,` after which the next
    /// object begins".
    pub(super) fn after_list_item(&self, call: &mut Call<'_>, end: usize) -> CallEnd {
        let mut next = self.space(end);
        if self.peek(next) == Some(']') {
            return CallEnd::AfterWrapper(next + 1);
        }
        if self.peek(next) == Some(',') {
            next = self.space(next + 1);
            if self.peek(next) == Some('{') {
                return CallEnd::At(end);
            }
        }
        call.repair("UnclosedEnvelope");
        // "then what has come of the space and of the close tag belongs to the call"
        if next == self.chars.len() { CallEnd::AfterJson } else { CallEnd::At(end) }
    }

    /// What follows an object of `llama`: "`<|python_end|>` or `<|eom_id|>`, which may be missing
    /// without a note".
    pub(super) fn after_llama(&self, end: usize) -> CallEnd {
        match self.one_of(self.space(end), &LLAMA_ENDS) {
            Some(end) => CallEnd::AfterWrapper(end),
            None => CallEnd::At(end),
        }
    }
}
