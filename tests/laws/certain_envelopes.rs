//! Nothing certain is held back (G3), by brute force, of calls in envelopes: of the families that
//! are read by default together, and of each family alone and among all.
//!
//! Where the text waits for a limit is documented, so the limits are those by default, which no
//! stream reaches.

use followup::{Envelope, Envelopes};
use followup_testing::Syntax;

use crate::certain::{Continuations, LENGTH, TAGS, rests as rests_of_markup, rules, sweep_of};
use crate::common::reference::Rules;
use crate::common::sweep::Sweep;

/// The tags and tokens of envelopes that a continuation may complete.
const ENVELOPE_TAGS: [&str; 70] = [
    "<tool_call>",
    "</tool_call>",
    "</function_call>",
    concat!("</ant", "ml:tool_call>"),
    "<tool_call name=f>",
    concat!("<ant", "ml:invoke name=f>"),
    concat!("<ant", "ml:parameter=x>"),
    concat!("</ant", "ml:invoke>"),
    "<|DSML|invoke name=f>",
    "<|DSML|parameter=x>",
    "<|DSML|arg_key>",
    "<function=ask_followup_question>",
    "<function=f>",
    "</function>",
    "<invoke name=ask_followup_question>",
    "</invoke>",
    "<parameter=question>",
    "<parameter=follow_up>",
    "</parameter>",
    "<arg_key>",
    "</arg_key>",
    "<arg_value>",
    "</arg_value>",
    "<|start|>assistant",
    "<|channel|>",
    "<|constrain|>",
    "<|message|>",
    "<|call|>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<|tool_call_end|>",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_end|>",
    "<function_calls>",
    "</function_calls>",
    "<invoke name=\"ask_followup_question\">",
    "<invoke name=\"f\">",
    "<parameter name=\"question\">",
    "<parameter name=\"follow_up\">",
    "<parameter name=\"x\">",
    "<xai:function_call name=\"ask_followup_question\">",
    "</xai:function_call>",
    "<function_calls name=f>",
    "<xai:function_call name=f>",
    "<xai:parameter name=x>",
    "<｜DSML｜tool_calls>",
    "<｜DSML｜tool_calls name=f>",
    "</｜DSML｜tool_calls>",
    "<｜DSML｜invoke name=\"ask_followup_question\">",
    "<｜DSML｜invoke name=\"f\">",
    "</｜DSML｜invoke>",
    "<｜DSML｜parameter name=\"question\">",
    "<｜DSML｜parameter name=\"question\" string=\"false\">",
    "</｜DSML｜parameter>",
    "<|python_tag|>",
    "<|python_start|>",
    "<|python_end|>",
    "<|eom_id|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁calls｜>",
    "<｜tool▁call▁begin｜>",
    "<｜tool_call begin｜>",
    "<｜tool\\_call\\_begin｜>",
    "<｜tool▁sep｜>",
    "<｜tool_sep｜>",
    "<｜tool▁call▁end｜>",
    "<｜tool_call_end｜>",
    "<｜tool▁calls▁end｜>",
    "<｜tool_calls_end｜>",
    "<|tool_call_section_end|>",
];

/// Pieces of continuations of envelopes.
const NEXT_IN_ENVELOPES: [&str; 39] = [
    "",
    "x",
    " ",
    "\n",
    "`",
    ">x",
    "\">x",
    "}x",
    "</tool_call>x",
    "</function>x",
    "</parameter></function>x",
    "<parameter=question>Z</parameter></function>x",
    "<arg_key>question</arg_key><arg_value>Z</arg_value></tool_call>",
    "<function=f></function>",
    "<function=ask_followup_question><parameter=question>Z</parameter></function>",
    "{\"question\":\"Z\"}",
    "{\"name\":\"f\"}</tool_call>",
    "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Z\"}}",
    "\"}}</tool_call>x",
    "\":\"Z\"}}",
    "\",\"arguments\":{\"question\":\"Z\"}}x",
    "}",
    "\"",
    "1",
    ":1",
    "\":1",
    "\"question\":\"Z\"}}x",
    "},\"question\":\"Z\"}}x",
    ",\"question\":\"Z\"}}x",
    "{}x",
    "<|message|>{}x",
    " to=f<|message|>{}x",
    "commentary to=f<|message|>{}x",
    " to=f<|channel|>final<|message|>{}x",
    "f<|tool_call_argument_begin|>{}<|tool_call_end|>x",
    "<|tool_call_begin|>f:0<|tool_call_argument_begin|>{}x",
    "<|call|>x",
    "<|tool_calls_section_end|>x",
    "<read_file>",
];

/// The rests of the tag, the token or the JSON that the stream ends inside of.
fn rests(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut rests = vec![Vec::new()];
    if let Some(at) = stream.iter().rposition(|&b| b == b'<') {
        let incomplete = &stream[at..];
        let all = ENVELOPE_TAGS.iter().chain(&TAGS);
        rests.extend(all.filter_map(|tag| tag.as_bytes().strip_prefix(incomplete)).map(<[u8]>::to_vec));
    }
    let words = [
        "[TOOL_CALLS]f{}x",
        "[TOOL_CALLS][{\"name\":\"f\"}]x",
        "[CALL_ID]a[ARGS]{}x",
        "[ARGS]{}x",
        "function<｜tool▁sep｜>",
        "ask_followup_question",
        "functions.ask_followup_question",
        "commentary",
        "analysis",
        "final",
        "assistant",
        " to=",
    ];
    let json = [
        "{\"name\":\"f\"}</tool_call>x",
        "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Z\"}}x",
        "\"arguments\":{\"question\":\"",
        "\"question\":\"Z\"}}x",
        "\"name\":\"f\"}</tool_call>x",
        "\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Z\"}}x",
        "\"type\":\"t\",\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Z\"}}x",
    ];
    for whole in words.iter().chain(&json).map(|whole| whole.as_bytes()) {
        let ends = (1..whole.len()).filter(|&n| stream.ends_with(&whole[..n]));
        rests.extend(ends.map(|n| whole[n..].to_vec()));
    }
    rests
}

/// In the middle of every part of an envelope.
const ENVELOPE_BEGINNINGS: [&str; 17] = [
    "",
    "<tool_call>",
    "<tool_call>\n<function=ask_followup_question>",
    "<function=ask_followup_question><parameter=question>a ",
    "<function=ask_followup_question><parameter=question>Q</parameter>",
    "<tool_call><function=ask_followup_question><parameter=question>Q</parameter></function>",
    "<function=f><parameter=x>",
    "<tool_call>ask_followup_question<arg_key>",
    "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>Q</arg_value>",
    "<tool_call>{\"name\":\"ask_followup_question\",",
    "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}}",
    "{\"name\":\"ask_followup_question\",\"arguments\":{",
    "<|channel|>commentary",
    "<|channel|>commentary to=ask_followup_question<|message|>",
    "<|channel|>commentary to=ask_followup_question<|message|>{\"question\":\"Q\"}",
    "<|tool_calls_section_begin|>",
    "<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>{}",
];

const ENVELOPES: [&[u8]; 26] = [
    b"<tool_call>",
    b"</tool_call>",
    b"<function=ask_followup_question>",
    b"<function=f>",
    b"</function>",
    b"<parameter=question>",
    b"<parameter=follow_up>",
    b"</parameter>",
    b"ask_followup_question",
    b"<arg_key>",
    b"</arg_key>",
    b"<arg_value>",
    b"{\"name\":\"f\"",
    b"\"name\":\"ask_followup_question\"",
    b"\"arguments\":{",
    b"\"question\":\"Q\"",
    b"}",
    b",",
    b"<|channel|>final to=f<|message|>{}",
    b"<|tool_call_begin|>ask_followup_question:0<|tool_call_argument_begin|>{",
    b"<|tool_call_end|>",
    b"<|tool_calls_section_end|>",
    b"<read_file>",
    b"x",
    b" ",
    b"\n",
];

#[test]
fn nothing_certain_is_held_back_of_envelopes() {
    let rules = Rules { envelopes: Envelopes::default(), ..rules() };
    let continuations = Continuations { rests, next: &NEXT_IN_ENVELOPES };
    let sweep = Sweep::sampled(LENGTH, 16).thinned(5);
    sweep_of(sweep, Syntax::Markup, &continuations, &rules, &ENVELOPE_BEGINNINGS, &ENVELOPES);
}

/// The same, and the rests of an entity.
fn rests_with_entities(stream: &[u8]) -> Vec<Vec<u8>> {
    [rests(stream), rests_of_markup(stream)].concat()
}

/// What may be read differently where entities are decoded, or where calls start only outside code.
const UNDER_OTHER_RULES: [&[u8]; 9] = [
    b"&amp;",
    b"&lt;x",
    b"`",
    b"\n```\n",
    b"<think>",
    b"</think>",
    b"</parameter>",
    b"<tool_call>{\"name\":\"f\"}",
    b"</tool_call>",
];

/// The rests of a fence's opening line, and of what may follow it.
const NEXT_IN_FENCES: [&str; 6] = [
    "``\n{}x",
    "`\n{}x",
    "\n{}x",
    "``\n{\"name\":\"f\"}</tool_call>x",
    "`\n{\"name\":\"f\"}</tool_call>x",
    "\n{\"name\":\"f\"}</tool_call>x",
];

#[test]
fn nothing_certain_is_held_back_of_envelopes_under_other_rules() {
    let of_envelopes = Rules { envelopes: Envelopes::default(), ..rules() };
    let next = [&NEXT_IN_ENVELOPES[..], &NEXT_IN_FENCES].concat();
    let continuations = Continuations { rests: rests_with_entities, next: &next };
    for rules in
        [Rules { decode_entities: true, ..of_envelopes.clone() }, Rules { outside_code: true, ..of_envelopes.clone() }]
    {
        let sweep = Sweep::sampled(LENGTH, 4).thinned(4);
        sweep_of(sweep, Syntax::Markup, &continuations, &rules, &ENVELOPE_BEGINNINGS, &UNDER_OTHER_RULES);
    }
}

/// A family: what may begin a stream of it, its pieces, and what may follow.
struct Family {
    family: Envelope,
    beginnings: &'static [&'static str],
    pieces: &'static [&'static str],
    next: &'static [&'static str],
}

/// The pieces of every family.
const COMMON: [&str; 4] = ["x", " ", "\n", "`"];

const FAMILIES: [Family; 11] = [
    Family {
        family: Envelope::FunctionXml,
        beginnings: &[
            "",
            "<tool_call>\n",
            "<function=ask_followup_question>",
            "<function=ask_followup_question><parameter=question>a ",
            "<function=ask_followup_question><parameter=question>Q</parameter>",
            "<tool_call><function=ask_followup_question><parameter=question>Q</parameter></function>",
            "<function=f><parameter=x>",
        ],
        pieces: &[
            "<tool_call>",
            "</tool_call>",
            "<function=ask_followup_question>",
            "<function=f>",
            "</function>",
            "<parameter=question>",
            "<parameter=follow_up>[1]",
            "</parameter>",
            "{\"question\":\"Q\"}",
        ],
        next: &[
            "=f></function>",
            "=f><parameter=x>",
            "</function>x",
            "</tool_call>x",
            "</parameter></function>x",
            "<parameter=question>Z</parameter></function>x",
            "<function=f></function>x",
            "{}x",
            "\"question\":\"Z\"}</function>x",
        ],
    },
    Family {
        family: Envelope::Hermes,
        beginnings: &[
            "",
            "<tool_call>",
            "<tool_call>```json\n",
            "<tool_call>{\"name\":\"ask_followup_question\",",
            "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}}",
            "<tool_call>{\"arguments\":{\"question\":\"Q\"},",
            "<tool_call>{\"name\":\"f\",",
        ],
        pieces: &[
            "<tool_call>",
            "</tool_call>",
            "{",
            "\"name\":\"ask_followup_question\"",
            "\"name\":\"f\"",
            "\"arguments\":{",
            "\"arguments\":\"{\\\"question\\\":\\\"Q\\\"}\"",
            "\"question\":\"Q\"",
            "}",
            ",",
            "```",
        ],
        next: JSON_NEXT,
    },
    Family {
        family: Envelope::BareJson,
        beginnings: &[
            "",
            "{",
            "{\"id\":\"i\",",
            "{\"name\":\"ask_followup_question\",",
            "{\"name\":\"ask_followup_question\",\"arguments\":{",
            "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"",
            "{\"function\":{\"name\":\"ask_followup_question\",",
        ],
        pieces: &[
            "{",
            "\"type\":\"t\"",
            "\"name\":\"ask_followup_question\"",
            "\"name\":\"f\"",
            "\"arguments\":{",
            "\"x\":1",
            "\"question\":\"Q\"",
            "\"options\":[",
            "]",
            "}",
            ",",
        ],
        next: JSON_NEXT,
    },
    Family {
        family: Envelope::Invoke,
        beginnings: &[
            "",
            "<function_calls>\n",
            "<invoke name=\"ask_followup_question\">",
            "<invoke name=\"ask_followup_question\"><parameter name=\"question\">a ",
            "<function_calls><invoke name=\"ask_followup_question\"><parameter name=\"question\">Q</parameter></invoke>",
            "<xai:function_call name=\"ask_followup_question\"><parameter name=\"question\">Q</parameter>",
            "<invoke name=\"f\"><parameter name=\"x\">",
        ],
        pieces: &[
            "<function_calls>",
            "</function_calls>",
            "<invoke name=\"ask_followup_question\">",
            "<invoke name=\"f\">",
            "</invoke>",
            "<parameter name=\"question\">",
            "<parameter name=\"follow_up\">[1]",
            "</parameter>",
            "<xai:function_call name=\"ask_followup_question\">",
            "</xai:function_call>",
        ],
        next: &[
            " name=f></invoke>",
            "</invoke>x",
            "</function_calls>x",
            "</parameter></invoke>x",
            "<parameter name=question>Z</parameter></invoke>x",
            "<parameter name=question>Z</parameter></xai:function_call>x",
            "<invoke name=f></invoke>x",
            "{}x",
        ],
    },
    Family {
        family: Envelope::Dsml,
        beginnings: &[
            "",
            "<｜DSML｜tool_calls>\n",
            "<｜DSML｜invoke name=\"ask_followup_question\">",
            "<｜DSML｜invoke name=\"ask_followup_question\"><｜DSML｜parameter name=\"question\" string=\"false\">",
            "<｜DSML｜invoke name=\"ask_followup_question\"><｜DSML｜parameter name=\"question\" string=\"false\">\"a ",
            "<｜DSML｜tool_calls><｜DSML｜invoke name=\"ask_followup_question\"><｜DSML｜parameter name=\"question\">Q</｜DSML｜parameter></｜DSML｜invoke>",
        ],
        pieces: &[
            "<｜DSML｜tool_calls>",
            "</｜DSML｜tool_calls>",
            "<｜DSML｜invoke name=\"ask_followup_question\">",
            "<｜DSML｜invoke name=\"f\">",
            "</｜DSML｜invoke>",
            "<｜DSML｜parameter name=\"question\">",
            "<｜DSML｜parameter name=\"question\" string=\"false\">",
            "</｜DSML｜parameter>",
            "\"Q\\n",
            "\"",
        ],
        next: &[
            " name=f></｜DSML｜invoke>",
            "</｜DSML｜invoke>x",
            "</｜DSML｜tool_calls>x",
            "</｜DSML｜parameter></｜DSML｜invoke>x",
            "\"</｜DSML｜parameter></｜DSML｜invoke>x",
            "n\"</｜DSML｜parameter></｜DSML｜invoke>x",
            "<｜DSML｜parameter name=question>Z</｜DSML｜parameter></｜DSML｜invoke>x",
            "<｜DSML｜invoke name=f></｜DSML｜invoke>x",
            "{}x",
        ],
    },
    Family {
        family: Envelope::Glm,
        beginnings: &[
            "",
            "<tool_call>",
            "<tool_call>ask_followup_question\n",
            "<tool_call>ask_followup_question<arg_key>",
            "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>a ",
            "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>Q</arg_value>",
            "<tool_call>f<arg_key>x</arg_key><arg_value>",
        ],
        pieces: &[
            "<tool_call>",
            "</tool_call>",
            "ask_followup_question",
            "f",
            "<arg_key>",
            "question",
            "</arg_key>",
            "<arg_value>",
            "</arg_value>",
            "{\"question\":\"Q\"}",
        ],
        next: &[
            "</tool_call>x",
            "<arg_key>question</arg_key><arg_value>Z</arg_value></tool_call>x",
            "</arg_key><arg_value>Z</arg_value></tool_call>x",
            "question</arg_key><arg_value>Z</arg_value></tool_call>x",
            "<arg_value>Z</arg_value></tool_call>x",
            "</arg_value></tool_call>x",
            "{\"question\":\"Z\"}</tool_call>x",
            "\"question\":\"Z\"}</tool_call>x",
            "f</tool_call>x",
            "{}x",
        ],
    },
    Family {
        family: Envelope::Harmony,
        beginnings: &[
            "",
            "<|start|>assistant",
            "<|channel|>commentary",
            "<|channel|>analysis to=f",
            "<|start|>assistant to=ask_followup_question",
            "<|channel|>commentary to=ask_followup_question<|message|>",
            "<|channel|>commentary to=ask_followup_question<|message|>{\"question\":\"Q\"}",
        ],
        pieces: &[
            "<|start|>",
            "assistant",
            "<|channel|>",
            "final",
            " to=",
            "ask_followup_question",
            "<|constrain|>",
            "json",
            "<|message|>",
            "{\"question\":\"Q\"}",
            "<|call|>",
        ],
        next: &[
            "<|message|>{}x",
            " to=f<|message|>{}x",
            "to=f<|message|>{}x",
            "f<|message|>{}x",
            "commentary to=f<|message|>{}x",
            " to=f<|channel|>final<|message|>{}x",
            "<|channel|>final to=f<|message|>{}x",
            "<|channel|>final<|message|>{}x",
            "final<|message|>{}x",
            "{\"question\":\"Z\"}x",
            "{}x",
            "<|call|>x",
        ],
    },
    Family {
        family: Envelope::Kimi,
        beginnings: &[
            "",
            "<|tool_calls_section_begin|>\n",
            "<|tool_call_begin|>ask_followup_question:0",
            "<|tool_call_begin|>ask_followup_question:0<|tool_call_argument_begin|>",
            "<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>{}",
            "<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>{}<|tool_call_end|>",
        ],
        pieces: &[
            "<|tool_calls_section_begin|>",
            "<|tool_call_begin|>",
            "functions.ask_followup_question",
            ":0",
            "f",
            "<|tool_call_argument_begin|>",
            "{\"question\":\"Q\"}",
            "{",
            "<|tool_call_end|>",
            "<|tool_calls_section_end|>",
        ],
        next: &[
            "f<|tool_call_argument_begin|>{}<|tool_call_end|>x",
            "<|tool_call_argument_begin|>{}<|tool_call_end|>x",
            "<|tool_call_begin|>f<|tool_call_argument_begin|>{}x",
            "{\"question\":\"Z\"}<|tool_call_end|>x",
            "\"question\":\"Z\"}<|tool_call_end|>x",
            "{}x",
            "<|tool_call_end|>x",
            "<|tool_calls_section_end|>x",
        ],
    },
    Family {
        family: Envelope::Mistral,
        beginnings: &[
            "",
            "[TOOL_CALLS]",
            "[TOOL_CALLS]ask_followup_question",
            "[TOOL_CALLS]ask_followup_question[CALL_ID]a1",
            "[TOOL_CALLS]ask_followup_question[ARGS]",
            "[TOOL_CALLS][{\"name\":\"ask_followup_question\",",
            "[TOOL_CALLS][{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Q\"}}",
            "[TOOL_CALLS][{\"name\":\"f\",\"arguments\":{}}, ",
        ],
        pieces: &[
            "[TOOL_CALLS]",
            "ask_followup_question",
            "[CALL_ID]",
            "[ARGS]",
            "[",
            "{\"question\":\"Q\"}",
            "{\"name\":\"f\",\"arguments\":{}}",
            "\"arguments\":{",
            "}",
            ",",
            "]",
        ],
        next: MARKED_NEXT,
    },
    Family {
        family: Envelope::Deepseek,
        beginnings: &[
            "",
            "<｜tool▁calls▁begin｜>\n",
            "<｜tool▁call▁begin｜>ask_followup_question",
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>ask_followup_question",
            "<｜tool▁call▁begin｜>function<｜tool▁sep｜>ask_followup_question\n```json\n",
            "<｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>```\n{\"question\":\"Q\"}\n",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}",
            "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜>",
        ],
        pieces: &[
            "<｜tool▁calls▁begin｜>",
            "<｜tool▁calls｜>",
            "<｜tool▁call▁begin｜>",
            "<｜tool_call begin｜>",
            "<｜tool▁sep｜>",
            "ask_followup_question",
            "function",
            "{\"question\":\"Q\"}",
            "{",
            "```",
            "<｜tool▁call▁end｜>",
            "<｜tool▁calls▁end｜>",
        ],
        next: &[
            "f<｜tool▁sep｜>{}<｜tool▁call▁end｜>x",
            "<｜tool▁sep｜>{}<｜tool▁call▁end｜>x",
            "<｜tool▁sep｜>f{}<｜tool▁call▁end｜>x",
            "<｜tool▁call▁begin｜>f<｜tool▁sep｜>{}x",
            "{\"question\":\"Z\"}<｜tool▁call▁end｜>x",
            "\"question\":\"Z\"}<｜tool▁call▁end｜>x",
            "f{}x",
            "{}x",
            "```\n{}x",
            "``\n{}x",
            "`\n{}x",
            "\n{}x",
            "```<｜tool▁call▁end｜>x",
            "``<｜tool▁call▁end｜>x",
            "`<｜tool▁call▁end｜>x",
            "<｜tool▁call▁end｜>x",
            "<｜tool▁calls▁end｜>x",
        ],
    },
    Family {
        family: Envelope::Llama,
        beginnings: &[
            "",
            "<|python_tag|>",
            "<|python_tag|>{\"type\":\"function\",",
            "<|python_tag|>{\"name\":\"ask_followup_question\",",
            "<|python_tag|>{\"name\":\"ask_followup_question\",\"parameters\":{\"question\":\"Q\"}}",
            "<|python_start|>{\"name\":\"f\",\"parameters\":{}}",
            "<|python_start|>{\"name\":\"f\",\"parameters\":{}}; ",
        ],
        pieces: &[
            "<|python_tag|>",
            "<|python_end|>",
            "<|eom_id|>",
            "{",
            "\"name\":\"ask_followup_question\"",
            "{\"name\":\"f\",\"parameters\":{}}",
            "\"parameters\":{",
            "\"question\":\"Q\"",
            "}",
            ",",
            ";",
        ],
        next: MARKED_NEXT,
    },
];

/// Pieces of continuations of objects that a wrapper, or nothing, closes.
const JSON_NEXT: &[&str] = &[
    "\"name\":\"f\"}</tool_call>x",
    "{\"name\":\"f\"}</tool_call>x",
    "{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Z\"}}x",
    "\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Z\"}}x",
    "\"arguments\":{\"question\":\"Z\"}}x",
    ",\"arguments\":{\"question\":\"Z\"}}x",
    "\"question\":\"Z\"}}x",
    ",\"question\":\"Z\"}}x",
    "},\"question\":\"Z\"}}x",
    "\":\"Z\"}}x",
    ":\"Z\"}}x",
    "\"}}x",
    "Z\"}}x",
    "]}}x",
    "}}x",
    "}x",
    "]}",
    "}",
    "\"",
    "1",
    ":1",
    "\":1",
    "\":1}",
    "n\"",
    "n\"}",
    "\"}",
    ":1}",
    "1}",
    ",\"name\":\"f\"}</tool_call>x",
    "}},\"name\":\"f\"}</tool_call>x",
    ",\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Z\"}}x",
    "</tool_call>x",
    "```</tool_call>x",
    "``</tool_call>x",
    "`</tool_call>x",
    "`\n{\"name\":\"f\"}</tool_call>x",
    "``\n{\"name\":\"f\"}</tool_call>x",
    "\n{\"name\":\"f\"}</tool_call>x",
    "\\\"}\"}</tool_call>x",
    "\"}\"}</tool_call>x",
];

/// The same of calls after `[TOOL_CALLS]` and `<|python_tag|>`.
const MARKED_NEXT: &[&str] = &[
    "f{}x",
    "{}x",
    "[ARGS]{}x",
    "a[ARGS]{}x",
    "[{\"name\":\"f\"}]x",
    "{\"name\":\"f\"}x",
    "\"name\":\"f\"}x",
    ",\"name\":\"f\"}x",
    "\":1,\"name\":\"f\"}x",
    ":1,\"name\":\"f\"}x",
    "1,\"name\":\"f\"}x",
    "},\"name\":\"f\"}x",
    "\"},\"name\":\"f\"}x",
    "\",\"name\":\"f\"}x",
    "\":1},\"name\":\"f\"}x",
    ":1},\"name\":\"f\"}x",
    "1},\"name\":\"f\"}x",
    "\"question\":\"Z\"}}x",
    ",\"question\":\"Z\"}}x",
    "\":\"Z\"}}x",
    "\"}}x",
    "}}x",
    "}x",
    "}",
    "]x",
    "; {\"name\":\"f\"}x",
    ", {\"name\":\"f\"}x",
    "<|eom_id|>x",
];

/// What may follow a stream of any family.
const ANY_NEXT: [&str; 11] =
    ["", "x", " ", "\n", ">x", "\">x", "`", "``\n{}x", "`\n{}x", "<read_file>", "<ask_followup_question>"];

/// Asserts that what is certain of a family is shown, with only some families read.
fn of_family(Family { family, beginnings, pieces, next }: &Family, envelopes: Envelopes, sweep: Sweep) {
    eprintln!("{family}, of {envelopes:?}");
    let rules = Rules { envelopes, ..rules() };
    // Objects may follow a wrapper of any family.
    let json = if envelopes == Envelopes::all() { JSON_NEXT } else { &[] };
    let next: Vec<&str> = ANY_NEXT.iter().chain(*next).chain(json).copied().collect();
    let pieces: Vec<&[u8]> = pieces.iter().chain(&COMMON).map(|piece| piece.as_bytes()).collect();
    sweep_of(sweep, Syntax::Markup, &Continuations { rests, next: &next }, &rules, beginnings, &pieces);
}

#[test]
fn nothing_certain_is_held_back_of_a_family_alone() {
    for family in &FAMILIES {
        of_family(family, [family.family].into_iter().collect(), Sweep::sampled(LENGTH, 8).thinned(5));
    }
}

#[test]
fn nothing_certain_is_held_back_of_a_family_among_all() {
    for family in &FAMILIES {
        // By default a few pieces: each family alone has tried them.
        let sweep = if Sweep::is_short() { Sweep::new(1) } else { Sweep::sampled(LENGTH, 16) };
        of_family(family, Envelopes::all(), sweep);
    }
}

/// What begins a call of a family before its arguments, and what closes it after them. Between
/// quotes the arguments are a string.
const AROUND_ARGUMENTS: [(Envelope, &str, &str); 19] = [
    (Envelope::FunctionXml, "<function=ask_followup_question>", "</function>"),
    (Envelope::FunctionXml, "<function=ask_followup_question><parameter=arguments>", "</parameter></function>"),
    (Envelope::Hermes, "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":", "}</tool_call>"),
    (Envelope::Hermes, "<tool_call>{\"name\":\"ask_followup_question\",\"arguments\":\"", "\"}</tool_call>"),
    (Envelope::Hermes, "<tool_call name=\"ask_followup_question\">", "</tool_call>"),
    (Envelope::Invoke, "<invoke name=\"ask_followup_question\">", "</invoke>"),
    (
        Envelope::Invoke,
        "<invoke name=\"ask_followup_question\"><parameter name=\"arguments\">",
        "</parameter></invoke>",
    ),
    (Envelope::Dsml, "<｜DSML｜invoke name=\"ask_followup_question\">", "</｜DSML｜invoke>"),
    (
        Envelope::Dsml,
        "<｜DSML｜invoke name=\"ask_followup_question\"><｜DSML｜parameter name=\"arguments\" string=\"false\">",
        "</｜DSML｜parameter></｜DSML｜invoke>",
    ),
    (Envelope::Glm, "<tool_call>ask_followup_question\n", "</tool_call>"),
    (
        Envelope::Glm,
        "<tool_call>ask_followup_question<arg_key>arguments</arg_key><arg_value>",
        "</arg_value></tool_call>",
    ),
    (Envelope::BareJson, "{\"name\":\"ask_followup_question\",\"arguments\":", "}"),
    (Envelope::Harmony, "<|channel|>commentary to=functions.ask_followup_question<|message|>", "<|call|>"),
    (Envelope::Kimi, "<|tool_call_begin|>ask_followup_question:0<|tool_call_argument_begin|>", "<|tool_call_end|>"),
    (Envelope::Mistral, "[TOOL_CALLS]ask_followup_question[ARGS]", ""),
    (Envelope::Mistral, "[TOOL_CALLS][{\"name\":\"ask_followup_question\",\"arguments\":", "}]"),
    (Envelope::Deepseek, "<｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>", "<｜tool▁call▁end｜>"),
    (Envelope::Llama, "<|python_tag|>{\"name\":\"ask_followup_question\",\"parameters\":", "}<|eom_id|>"),
    (Envelope::Llama, "<|python_tag|>{\"name\":\"ask_followup_question\",\"parameters\":\"", "\"}<|eom_id|>"),
];

/// Parts of a list of suggestions. The first of them are inside an answer.
const SUGGESTIONS: [&str; 12] =
    ["B", " ", "\\n", "\"", "\"},", "{\"text\":\"", "\"mode\":\"m\"", "\"C\"", ",", "}", "]", "]}"];

/// What may follow in a list of suggestions, before the object of the arguments ends.
const NEXT_IN_SUGGESTIONS: [&str; 16] = [
    "",
    "Z\"}]",
    "\"}]",
    "n\"}]",
    "]",
    "}]",
    "\"]",
    "{\"text\":\"Z\"}]",
    "\"text\":\"Z\"}]",
    ":\"Z\"}]",
    "\":\"Z\"}]",
    ",\"text\":\"Z\"}]",
    ",{\"text\":\"Z\"}]",
    "\"Z\"]",
    ",\"mode\":\"n\"}]",
    ",\"x\":1",
];

#[test]
fn nothing_certain_is_held_back_of_suggestions_in_envelopes() {
    for (family, before, after) in AROUND_ARGUMENTS {
        eprintln!("{family}, after {before}");
        let rules = Rules { envelopes: Envelopes::none().with(family), ..rules() };
        let is_string = before.ends_with('"');
        let written = |json: &str| match is_string {
            true => json.replace('\\', "\\\\").replace('"', "\\\""),
            false => json.to_owned(),
        };
        let beginning = before.to_owned() + &written("{\"question\":\"Q\",\"follow_up\":[{\"text\":\"a ");
        let closers = NEXT_IN_SUGGESTIONS.map(|end| written(&format!("{end}}}")) + after + "x");
        let of_family = FAMILIES.iter().find(|one| one.family == family).unwrap().next;
        let closers = closers.iter().map(String::as_str);
        let next: Vec<&str> = closers.chain(ANY_NEXT).chain(of_family.iter().copied()).collect();
        let end = written("}") + after;
        let pieces: Vec<String> = SUGGESTIONS.iter().map(|piece| written(piece)).chain([end]).collect();
        let pieces: Vec<&[u8]> = pieces.iter().map(String::as_bytes).collect();
        let continuations = Continuations { rests, next: &next };
        sweep_of(Sweep::new(LENGTH + 1), Syntax::Markup, &continuations, &rules, &[&beginning], &pieces);
    }
}
