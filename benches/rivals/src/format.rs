//! The formats in which models write the same call.

use serde_json::{Value, json};

use crate::call::{Call, Part};

/// The name of the tool.
pub(crate) const TOOL: &str = "ask_followup_question";

/// The name of the tool that asks with a form.
pub(crate) const FORM_TOOL: &str = "AskUserQuestion";

/// Returns the JSON schema of the tool's parameters, which most parsers of tool calls require.
pub(crate) fn parameters() -> Value {
    json!({
        "type": "object",
        "properties": {
            "question": { "type": "string" },
            "follow_up": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": { "text": { "type": "string" }, "mode": { "type": ["string", "null"] } },
                },
            },
        },
        "required": ["question", "follow_up"],
    })
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// The tags that `followup` parses.
    Markup,
    /// The arguments of one native call, without prose around them.
    Arguments,
    /// The arguments of one native call of `AskUserQuestion`, a form, without prose around them.
    Form,
    /// `<tool_call>` around JSON: Hermes, Qwen 2.5 and 3.
    Hermes,
    /// `<tool_call>` around tags for each parameter: Qwen 3 Coder.
    QwenCoder,
    /// `<tool_calls>` around pairs of key and value: Hunyuan 4.
    Hunyuan,
    /// `<tool_call>` around pairs of key and value: GLM 4.7 and 5.
    Glm,
    /// Tags that begin with a special token: DeepSeek V4.
    Dsml,
}

impl Format {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Format::Markup => "markup",
            Format::Arguments => "arguments",
            Format::Form => "form",
            Format::Hermes => "Hermes",
            Format::QwenCoder => "Qwen Coder",
            Format::Hunyuan => "Hunyuan 4",
            Format::Glm => "GLM",
            Format::Dsml => "DeepSeek V4",
        }
    }

    pub(crate) fn write(self, parts: &[Part]) -> String {
        let write = |part: &Part| match part {
            Part::Prose(text) => text.clone(),
            Part::Call(call) => self.call(call),
        };
        parts.iter().map(write).collect()
    }

    fn call(self, call: &Call) -> String {
        let Call { question, suggestions } = call;
        let follow_up: Value = suggestions.iter().map(|one| json!({ "text": one.text, "mode": one.mode })).collect();
        // Not with `json!`, which would sort the keys: models write the question first.
        let arguments = format!(r#"{{"question": {}, "follow_up": {follow_up}}}"#, json!(question));
        match self {
            Format::Markup => {
                let suggest = |mode: &Option<String>| match mode {
                    Some(mode) => format!("<suggest mode=\"{mode}\">"),
                    None => "<suggest>".to_owned(),
                };
                let suggestions: String =
                    suggestions.iter().map(|one| suggest(&one.mode) + &one.text + "</suggest>\n").collect();
                format!("<{TOOL}>\n<question>{question}</question>\n<follow_up>\n{suggestions}</follow_up>\n</{TOOL}>")
            }
            Format::Arguments => arguments,
            Format::Form => unreachable!("only the workload itself is a form"),
            Format::Hermes => {
                format!("<tool_call>\n{{\"name\": \"{TOOL}\", \"arguments\": {arguments}}}\n</tool_call>")
            }
            Format::QwenCoder => format!(
                "<tool_call>\n<function={TOOL}>\n<parameter=question>\n{question}\n</parameter>\n\
                 <parameter=follow_up>\n{follow_up}\n</parameter>\n</function>\n</tool_call>"
            ),
            Format::Hunyuan => format!(
                "<tool_calls>\n<tool_call>{TOOL}\n<arg_key>question</arg_key>\n<arg_value>{question}</arg_value>\n\
                 <arg_key>follow_up</arg_key>\n<arg_value>{follow_up}</arg_value>\n</tool_call>\n</tool_calls>"
            ),
            Format::Glm => format!(
                "<tool_call>{TOOL}<arg_key>question</arg_key><arg_value>{question}</arg_value>\
                 <arg_key>follow_up</arg_key><arg_value>{follow_up}</arg_value></tool_call>"
            ),
            Format::Dsml => format!(
                "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"{TOOL}\">\n\
                 <｜DSML｜parameter name=\"question\" string=\"true\">{question}</｜DSML｜parameter>\n\
                 <｜DSML｜parameter name=\"follow_up\" string=\"false\">{follow_up}</｜DSML｜parameter>\n\
                 </｜DSML｜invoke>\n</｜DSML｜tool_calls>"
            ),
        }
    }
}
