//! The streams that are counted: the start of each, and the text that is repeated after it.

use followup::wire::Format;

const ASK: &str = "<ask_followup_question>";
const QUESTION: &str = "<ask_followup_question><question>";
const ANSWER: &str = "<ask_followup_question><question>Q</question><suggest>";

/// Messages: the start, and the text that is repeated after it.
pub(crate) const STREAMS: [(&str, &str); 45] = [
    ("", "prose "),
    ("", "<<<<"),
    ("", "</</"),
    ("", "<ask_followup_questio "),
    ("", "<ask_followup_question "),
    ("", "<ask_followup_question a='"),
    ("", "<ask_followup_question>"),
    ("", "<ask_followup_question> hm "),
    ("", "<ask_followup_question>`"),
    ("", "<read_file><path>"),
    ("", "<read_file></read_file>"),
    ("", "`"),
    ("", "`` ``` \n"),
    ("", "\n```\n"),
    (ASK, " "),
    ("<read_file><path>", "</pat </path"),
    (QUESTION, "word "),
    (QUESTION, "          "),
    (QUESTION, "a         "),
    (QUESTION, "</questio "),
    (QUESTION, "&am&#0"),
    (QUESTION, "`<follow_up>"),
    (ANSWER, "x</suggest><suggest>"),
    ("<ask_followup_question><question>Q</question><options>[", "\"a\", "),
    ("", "<tool_call>"),
    ("", "<tool_call> "),
    ("", "<function=f>"),
    ("", "<tool_call>f "),
    ("", "{\"id\":\"x\",\n"),
    ("", "{\n"),
    ("", "<|channel|>commentary to=f"),
    ("", "<|tool_call_begin|>f"),
    ("", "<｜DSML｜tool_calls>"),
    ("", "<｜DSML"),
    ("<function=f><parameter=x>", "</param</function>"),
    ("<function=ask_followup_question><parameter=question>", "</paramete <parameter="),
    ("<function=ask_followup_question><parameter=question>Q</parameter>", "<parameter=x></parameter>"),
    ("<tool_call>f<arg_key>", "</arg_key><arg_key>"),
    ("<tool_call>{\"name\":\"f\",\"x\":[", "{\"a\":[1,\"b\"]},"),
    ("<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":\"{\\\"question\\\":\\\"", "word \\\\n"),
    ("<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":\"{\\\"follow_up\\\":[", "\\\"a\\\","),
    ("<function_calls>", "<invoke name=f></invoke> "),
    ("<｜DSML｜tool_calls>", "<｜DSML｜invoke name=f></｜DSML｜invoke> "),
    (
        "<｜DSML｜invoke name=ask_followup_question><｜DSML｜parameter name=question string=\"false\">\"",
        "word \\n</｜DSML｜parameter>",
    ),
    ("<|tool_calls_section_begin|>", "<|tool_call_begin|>f<|tool_call_argument_begin|>{}<|tool_call_end|> "),
];

/// The same for the families of envelopes that are read by choice.
pub(crate) const STREAMS_BY_CHOICE: [(&str, &str); 15] = [
    ("", "prose [1] "),
    ("", "[TOOL_CALLS]"),
    ("", "[TOOL_CALLS"),
    ("", "[TOOL_CALLS]f "),
    ("", "[TOOL_CALLS]f[CALL_ID]a1 "),
    ("[TOOL_CALLS]", "f[ARGS]{} [TOOL_CALLS]"),
    ("[TOOL_CALLS][", "{\"name\":\"f\",\"arguments\":{}}, "),
    ("[TOOL_CALLS]ask_followup_question[ARGS]{\"question\":\"", "word "),
    ("", "<｜tool▁calls▁begin｜>"),
    ("", "<｜tool▁call▁begin｜>f"),
    ("", "<｜tool▁"),
    ("<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜> "),
    ("<｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>x", "<｜tool▁call▁en"),
    ("", "<|python_tag|>{\"id\":1,"),
    ("<|python_tag|>", "{\"name\":\"f\",\"parameters\":{}}; "),
];

/// Arguments of native calls: the start, the repeated text, and the end.
pub(crate) const ARGUMENTS: [(&str, &str, &str); 38] = [
    ("", " ", ""),
    ("", "[", ""),
    ("{", "\"k\":1,", ""),
    ("{\"", "key ", "\":1}"),
    ("{\"", "\\u0031", "\":1}"),
    ("{\"question\":", "1", "}"),
    ("{\"question\":1.", "0", "}"),
    ("{\"question\":\"", "word ", "\"}"),
    ("{\"question\":\"", "          ", "\"}"),
    ("{\"question\":\"", "a         ", "\"}"),
    ("{\"question\":\"", "\\n", "\"}"),
    ("{\"question\":\"", "\\u0061\\/", "\"}"),
    ("{\"question\":\"", "\\ud83d", "\"}"),
    ("{\"question\":\"", "\\ud83d\\ude00", "\"}"),
    ("{\"question\":\"", "\\ud83d\\ude0x", "\"}"),
    ("{\"question\":\"", "\\x\\u12", "\"}"),
    ("{\"question\":\"", "\n\0", "\"}"),
    ("{\"other\":\"", "a\\n\u{1}", "\"}"),
    ("{\"other\":", "1", "}"),
    ("{\"other\":[", "{\"a\":[null, -1.5e3]},", ""),
    ("{\"other\":[", "[],", ""),
    ("{\"other\":", "{\"\":", ""),
    ("{\"question\":1,", "\"question\":\"again\",", ""),
    ("{\"follow_up\":[", "\"a\",", ""),
    ("{\"follow_up\":[", "\" \",", ""),
    ("{\"follow_up\":[", "{\"mode\":\"m\",\"text\":\"a\"},", ""),
    ("{\"follow_up\":[", "{\"mode\":\"a mode\"},", ""),
    ("{\"follow_up\":[{\"text\":1,", "\"mode\":\"\",", ""),
    ("{\"follow_up\":[{\"mode\":\"", "m ", "\"}]}"),
    ("{\"follow_up\":{", "\"0\":\"a\",", ""),
    ("{\"follow_up\":{\"", "1", "\":\"a\"}}"),
    ("{\"follow_up\":\"", "line\\n", "\"}"),
    ("{\"follow_up\":\"", "<suggest mode='m'>a</suggest>", "\"}"),
    ("{\"follow_up\":\"<suggest>", "<", "\"}"),
    ("{\"follow_up\":\"[", "1,", "2]\"}"),
    ("{\"follow_up\":\"[", "{\\\"text\\\":\\\"a\\\",\\\"mode\\\":\\\"m\\\"},", "2]\"}"),
    ("{", "\"follow_up\":\"<suggest>a\",\"options\":\" \",", ""),
    ("{}", " garbage }", ""),
];

/// Arguments of other tools that ask: the tool, the start, the repeated text, and the end.
pub(crate) const TOOLS: [(&str, &str, &str, &str); 12] = [
    ("AskUserQuestion", "{\"questions\":[{\"question\":\"", " ", "\"}]}"),
    ("AskUserQuestion", "{\"questions\":[{\"question\":\"", "word ", "\"}]}"),
    ("AskUserQuestion", "{\"questions\":[{\"header\":\"", " ", "\"}]}"),
    ("AskUserQuestion", "{\"questions\":[{\"question\":\"Q\",\"options\":[{\"label\":\"", " ", "\"}]}]}"),
    ("AskUserQuestion", "{\"questions\":[{\"question\":\"Q\",\"options\":[{\"description\":\"", " ", "\"}]}]}"),
    ("AskUserQuestion", "{\"questions\":[{\"question\":\"Q\",\"options\":[", "{\"label\":\"a\"},", "]}]}"),
    ("AskUserQuestion", "{\"questions\":[", "{\"question\":\"Q\"},", "]}"),
    ("AskUserQuestion", "{\"questions\":\"[", "{\\\"question\\\":\\\"Q\\\"},", "]\"}"),
    ("AskUser", "{\"questionnaire\":\"", "word ", "\"}"),
    ("AskUser", "{\"questionnaire\":\"", "\\n", "\"}"),
    ("AskUser", "{\"questionnaire\":\"1. [question] Q\\n", "[option] a\\n", "\"}"),
    ("AskUser", "{\"questionnaire\":\"", "1. [question] Q\\n", "\"}"),
];

/// Bodies: a beginning, a part that is repeated, and an end.
pub(crate) const BODIES: [(Format, &str, &str, &str); 25] = [
    (Format::OpenAiChat, "data: ", "a", "\n\n"),
    (Format::OpenAiChat, "data: x", " ", "\n\n"),
    (Format::OpenAiChat, "data: ", " ", "\n\n"),
    (Format::OpenAiChat, ":", " ", "\n\n"),
    (Format::OpenAiChat, ": x", " ", "\n\n"),
    (Format::OpenAiChat, "data: {\"choices\":[{\"delta\":{\"content\":\"", "word \\n", "\"}}]}\n\n"),
    (Format::OpenAiChat, "", "data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n", ""),
    (Format::OpenAiChat, "", "data: {\"choices\":[{\"delta\":{\"content\":\"\\ud83d\"}}]}\n\n", ""),
    (Format::OpenAiChat, "", "data: oops\n\n", ""),
    (Format::OpenAiChat, "", "data\n", ""),
    (Format::OpenAiChat, "", "\r", ""),
    (Format::OpenAiChat, "", ": a comment\n", ""),
    (Format::OpenAiChat, ": ", "one comment", ""),
    (Format::OpenAiChat, "id: ", "one id", "\n"),
    (
        Format::OpenAiChat,
        "",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"arguments\":\"{\"}}]}}]}\n\n",
        "",
    ),
    (
        Format::OpenAiChat,
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[",
        "{\"function\":{\"name\":\"ask_followup_question\",\"arguments\":\"{}\"}},",
        "{}]}}]}\n\n",
    ),
    (
        Format::OpenAiResponses,
        "",
        "data: {\"type\":\"response.function_call_arguments.done\",\"item_id\":\"i\",\"arguments\":\"{}\"}\n\n",
        "",
    ),
    (Format::Ollama, "{\"response\":\"", "word ", "\"}\n"),
    (Format::Ollama, "", "{\"response\":\"word \"}\n", ""),
    (Format::Ollama, "", "{\"a\":\n", ""),
    (Format::Ollama, "{", "\n[", ""),
    (Format::Ollama, "{\"a\":", "\n", "1}\n"),
    (Format::Gemini, "[", ",\n {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"word\"}]}}]}", "]"),
    (Format::Gemini, "[{", "[{\"", ""),
    (
        Format::Gemini,
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"a\",\"willContinue\":true}}]}}]}\n\n",
        "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"willContinue\":true,\"partialArgs\":[{\"jsonPath\":\"$.a.b[0]\",\"stringValue\":\"x\"}]}}]}}]}\n\n",
        "",
    ),
];

/// A call of a body that has thousands.
///
/// A delta is compared with the calls that are remembered, which are 256 at most. So the shorter
/// stream has more.
pub(crate) const CALL: (Format, &str) = (
    Format::Anthropic,
    "data: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"tool_use\",\"name\":\"a\"}}\n\n\
     data: {\"type\":\"content_block_stop\"}\n\n",
);

/// The length of the shorter stream of calls.
pub(crate) const LEN_OF_CALLS: usize = 128 << 10;
