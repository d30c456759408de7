//! Nothing certain is held back (G3), by brute force, of calls in envelopes.
//!
//! The families that are read by default are tested together, and each family alone and among all.
//!
//! Where the text waits for a limit is documented. So the limits are those by default, which no
//! stream reaches, but for those of values: no text waits for them.

use followup::{Envelope, Envelopes};
use followup_testing::Syntax;

use self::families::{COMMON, FAMILIES, Family, JSON_NEXT};
use crate::certain::{Continuations, LENGTH, TAGS, rests as rests_of_markup, rules, sweep_of};
use crate::common::reference::Rules;
use crate::common::sweep::Sweep;

mod families;

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
    let sweep = Sweep::sampled(LENGTH, 16).thinned(10);
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

/// What may follow a stream of any family.
const ANY_NEXT: [&str; 11] =
    ["", "x", " ", "\n", ">x", "\">x", "`", "``\n{}x", "`\n{}x", "<read_file>", "<ask_followup_question>"];

/// Asserts that what is certain of a family is shown, with only some families read.
fn of_family(Family { family, beginnings, pieces, next }: &Family, more: &[&str], rules: &Rules, sweep: Sweep) {
    eprintln!("{family}, of {:?}", rules.envelopes);
    // Objects may follow a wrapper of any family.
    let json = if rules.envelopes == Envelopes::all() { JSON_NEXT } else { &[] };
    let next: Vec<&str> = ANY_NEXT.iter().chain(*next).chain(json).copied().collect();
    let pieces: Vec<&[u8]> = pieces.iter().chain(&COMMON).chain(more).map(|piece| piece.as_bytes()).collect();
    sweep_of(sweep, Syntax::Markup, &Continuations { rests, next: &next }, rules, beginnings, &pieces);
}

/// The rules with only this family.
fn alone(family: &Family) -> Rules {
    Rules { envelopes: [family.family].into_iter().collect(), ..rules() }
}

#[test]
fn nothing_certain_is_held_back_of_a_family_alone() {
    for family in &FAMILIES {
        of_family(family, &[], &alone(family), Sweep::sampled(LENGTH, 8).thinned(10));
    }
}

#[test]
fn nothing_certain_is_held_back_of_a_family_among_all() {
    for family in &FAMILIES {
        // By default a few pieces: each family alone has tried them.
        let sweep = if Sweep::is_short() { Sweep::new(1) } else { Sweep::sampled(LENGTH, 16) };
        of_family(family, &[], &Rules { envelopes: Envelopes::all(), ..rules() }, sweep);
    }
}

#[test]
fn nothing_certain_is_held_back_of_a_family_that_is_read_by_choice_outside_code() {
    for family in FAMILIES.iter().filter(|family| !Envelopes::default().contains(family.family)) {
        let rules = Rules { outside_code: true, ..alone(family) };
        of_family(family, &["<think>", "</think>"], &rules, Sweep::sampled(LENGTH, 32).thinned(10));
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

/// Asserts that what is certain of the arguments of a call is shown, in every form, after a
/// beginning of theirs.
fn of_arguments(arguments: &str, more: &[&str], limits: &Rules, mut sweep: impl FnMut() -> Sweep) {
    for (family, before, after) in AROUND_ARGUMENTS {
        eprintln!("{family}, after {before}");
        let rules = Rules { envelopes: Envelopes::none().with(family), ..limits.clone() };
        let is_string = before.ends_with('"');
        let written = |json: &str| match is_string {
            true => json.replace('\\', "\\\\").replace('"', "\\\""),
            false => json.to_owned(),
        };
        let beginning = before.to_owned() + &written(arguments);
        let closers = NEXT_IN_SUGGESTIONS.iter().chain(more).map(|end| written(&format!("{end}}}")) + after + "x");
        let closers: Vec<String> = closers.collect();
        let of_family = FAMILIES.iter().find(|one| one.family == family).unwrap().next;
        let closers = closers.iter().map(String::as_str);
        let next: Vec<&str> = closers.chain(ANY_NEXT).chain(of_family.iter().copied()).collect();
        let end = written("}") + after;
        let pieces: Vec<String> = SUGGESTIONS.iter().map(|piece| written(piece)).chain([end]).collect();
        let pieces: Vec<&[u8]> = pieces.iter().map(String::as_bytes).collect();
        let continuations = Continuations { rests, next: &next };
        sweep_of(sweep(), Syntax::Markup, &continuations, &rules, &[&beginning], &pieces);
    }
}

#[test]
fn nothing_certain_is_held_back_of_suggestions_in_envelopes() {
    let arguments = "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"a ";
    of_arguments(arguments, &[], &rules(), || Sweep::new(LENGTH + 1).thinned(3));
}

#[test]
fn nothing_certain_is_held_back_of_arguments_in_envelopes_near_the_limits_of_values() {
    let limits = Rules { question: 2, answer: 2, suggestions: 1, ..rules() };
    for (arguments, more) in [
        ("{\"question\":\"Q\",\"follow_up\":[{\"text\":\"a", &[][..]),
        ("{\"question\":\"Q\",\"follow_up\":[\"A\",{\"mode\":\"m", &[]),
        ("{\"question\":\"a", &["\"", "Z\"", "n\"", ",\"question\":\"Z\""]),
    ] {
        of_arguments(arguments, more, &limits, || Sweep::new(LENGTH));
    }
}
