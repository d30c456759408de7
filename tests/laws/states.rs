//! Every byte in every state of both machines, against the reference readers.

use std::sync::Arc;

use followup::{Envelopes, Parser};
use followup_testing::Syntax;

use crate::common::reference::{Rules, describe};
use crate::common::sweep::Sweep;
use crate::common::{oracle, parse, policy};

/// Prefixes that leave the markup machine in each of its states.
const STATES: [(&str, &str); 58] = [
    ("prose", ""),
    ("prose, in a line", "Hm. "),
    ("prose, after <", "Hm. <"),
    ("prose, after </", "</"),
    ("prose, in a name", "<ask_followup_quest"),
    ("prose, after a name", "<ask_followup_question"),
    ("prose, after a name and a blank", "<ask_followup_question "),
    ("prose, in an attribute's name", "<ask_followup_question a"),
    ("prose, after =", "<ask_followup_question a="),
    ("prose, in a value", "<ask_followup_question a=b"),
    ("prose, in a quoted value", "<ask_followup_question a=\""),
    ("prose, after a quoted value", "<ask_followup_question a='b'"),
    ("prose, after /", "<ask_followup_question /"),
    ("prose, after a tool's tag", "<ask_followup_question>"),
    ("prose, after an empty call", "<ask_followup_question/>"),
    ("prose, after a call", "<ask_followup_question>Q</ask_followup_question>"),
    ("code, at a mark", "`"),
    ("code, at a line's marks", "\n ``"),
    ("code, in a span", "`` a"),
    ("code, in a span, in a run", "`` a `"),
    ("code, in a span, in a blank line", "`` a\n "),
    ("code, after a fence's marks", "```rust"),
    ("code, in a fence", "```\n"),
    ("code, in a fence of tildes", "~~~\n~"),
    ("code, in a fence, in a line", "```\na"),
    ("code, in a fence, after its end", "```\n``` "),
    ("thinking", "<think>"),
    ("thinking, in its end", "<thinking></think"),
    ("another tool", "<read_file>"),
    ("another tool, in its tag", "<read_file"),
    ("another tool, in a parameter", "<read_file><path>"),
    ("another tool, in a parameter's end", "<read_file><path></pat"),
    ("another tool, in its end", "<read_file></read_file"),
    ("opened, with text", "<ask_followup_question>a"),
    ("opened, blank", "<ask_followup_question> \n"),
    ("opened, after a back-tick", "<ask_followup_question>`"),
    ("opened, in a tag", "<ask_followup_question>a<question"),
    ("between", "<ask_followup_question><question>Q</question>"),
    ("between, in a tag", "<ask_followup_question><question>Q</question><follow_u"),
    ("between, in the end", "<ask_followup_question><question>Q</question></ask_"),
    ("follow_up", "<ask_followup_question><question>Q</question><follow_up>"),
    ("follow_up, in a list", "<ask_followup_question><question>Q</question><follow_up>[\"a\""),
    ("question", "<ask_followup_question><question>"),
    ("question, with text", "<ask_followup_question><question>a "),
    ("question, after a back-tick", "<ask_followup_question><question>a`"),
    ("question, in an entity", "<ask_followup_question><question>a&#3"),
    ("question, in its end", "<ask_followup_question><question>a</quest"),
    ("suggestion", "<ask_followup_question><question>Q</question><suggest> "),
    ("suggestion, in its tag", "<ask_followup_question><question>Q</question><suggest mode=\"a"),
    ("answer", "<ask_followup_question><question>Q</question><suggest>a"),
    ("nested", "<ask_followup_question><question>Q</question><suggest><mode>m</mode>a"),
    ("nested, after its content", "<ask_followup_question><question>Q</question><suggest><content>a</content>"),
    ("content", "<ask_followup_question><question>Q</question><suggest><content>"),
    ("mode", "<ask_followup_question><question>Q</question><suggest><mode>m"),
    ("options", "<ask_followup_question><question>Q</question><options>"),
    ("options, in a list", "<ask_followup_question><question>Q</question><options>[\"a"),
    ("rejected", "<ask_followup_question><question>12345678901234567890"),
    (
        "suggestions dropped",
        "<ask_followup_question><question>Q</question><suggest>a</suggest><suggest>b</suggest><suggest>c",
    ),
];

/// Prefixes that leave the machine of envelopes in each of its states.
const ENVELOPE_STATES: [(&str, &str); 34] = [
    ("header, after a wrapper", "<tool_call>"),
    ("header, in a tag", "<tool_call>\n<func"),
    ("header, in a name", "<function=ask_follow"),
    ("header, in bars", "<\u{ff5c}DSML"),
    ("header, after a call tag", "<function=ask_followup_question>"),
    ("header, in a fence", "<tool_call>\n```js"),
    ("header, in a name of glm", "<tool_call>ask_followup_question"),
    ("header, after a name of glm", "<tool_call>ask_followup_question\n"),
    ("header, in the tag of a key", "<tool_call>f<arg_key "),
    ("header, in an object", "<tool_call>{\"id\": \"x\", "),
    ("parameters of another tool, in a tag", "<function=f><parameter=x>1</parameter>\n</fun"),
    ("value of another tool, in its end", "<function=f><parameter=x>1\n</"),
    ("header, in bare JSON", "{\"na"),
    ("header, in the name", "{\"name\": \"ask_followup_question"),
    ("header, in arguments", "{\"name\": \"ask_followup_question\", \"arguments\": {\"que"),
    ("header, of harmony", "<|channel|>commentary"),
    ("header, in a recipient", "<|channel|>commentary to=functions.ask_followup_question"),
    ("header, of kimi", "<|tool_calls_section_begin|> "),
    ("header, in a name of kimi", "<|tool_call_begin|>functions.ask_followup_question:"),
    ("parameters", "<function=ask_followup_question><parameter=question>Q</parameter>"),
    ("parameters, in a tag", "<function=ask_followup_question><parameter=question>Q</parameter></func"),
    ("value", "<function=ask_followup_question><parameter=question>a "),
    ("value, in its end", "<function=ask_followup_question><parameter=question>a</param"),
    ("value of another tool", "<function=f><parameter=x>"),
    ("list", "<function=ask_followup_question><parameter=question>Q</parameter><parameter=follow_up>[\"a\""),
    ("key", "<tool_call>ask_followup_question<arg_key>que"),
    ("value of glm", "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>a"),
    (
        "value of glm, in the tag of a key",
        "<tool_call>ask_followup_question<arg_key>question</arg_key><arg_value>a <arg_key ",
    ),
    ("object", "<tool_call>{\"name\": \"ask_followup_question\", "),
    ("after an object", "<tool_call>{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q\"}}"),
    ("ill-formed", "<tool_call>{\"name\": \"ask_followup_question\", x"),
    ("after a call", "<tool_call><function=ask_followup_question><parameter=question>Q</parameter></function> "),
    ("arguments of harmony", "<|channel|>commentary to=ask_followup_question<|message|>"),
    ("after kimi", "<|tool_calls_section_begin|><|tool_call_begin|>f<|tool_call_argument_begin|>{}<|tool_call_end|> "),
];

/// Prefixes that do the same in the families that are read by choice.
const STATES_BY_CHOICE: [(&str, &str); 26] = [
    ("header, in a marker", "[TOOL_"),
    ("header, after a marker", "[TOOL_CALLS]"),
    ("header, in a name of mistral", "[TOOL_CALLS]ask_follow"),
    ("header, after a name of mistral", "[TOOL_CALLS]ask_followup_question "),
    ("header, in a word of mistral", "[TOOL_CALLS]ask_followup_question[AR"),
    ("header, in an id", "[TOOL_CALLS]ask_followup_question[CALL_ID]a1"),
    ("header, after an id", "[TOOL_CALLS]ask_followup_question[CALL_ID]a1 "),
    ("header, after the words of mistral", "[TOOL_CALLS]ask_followup_question[ARGS] "),
    ("header, in a list", "[TOOL_CALLS]["),
    ("header, in an object of a list", "[TOOL_CALLS][{\"id\": 1, \"name\": \"ask_follow"),
    ("arguments of mistral", "[TOOL_CALLS]ask_followup_question[ARGS]{\"question\": \"a"),
    (
        "after an object of a list",
        "[TOOL_CALLS][{\"name\": \"ask_followup_question\", \"arguments\": {\"question\": \"Q\"}}",
    ),
    ("after a comma of a list", "[TOOL_CALLS][{\"name\": \"f\", \"arguments\": {}}, "),
    ("header, in a wide token", "<｜tool▁ca"),
    ("header, of deepseek", "<｜tool▁calls▁begin｜> "),
    ("header, in a name of deepseek", "<｜tool▁call▁begin｜>ask_followup_question"),
    ("header, after a type of deepseek", "<｜tool▁call▁begin｜>function<｜tool▁sep｜> "),
    ("header, in a fence of deepseek", "<｜tool▁call▁begin｜>function<｜tool▁sep｜>ask_followup_question\n```js"),
    ("arguments of deepseek", "<｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>{\"question\": \"a"),
    ("at the end of a fence", "<｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>```\n{\"question\": \"Q\"}\n``"),
    ("after deepseek", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>f<｜tool▁sep｜>{}<｜tool▁call▁end｜> "),
    ("ill-formed, of deepseek", "<｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>{x"),
    ("header, of llama", "<|python_tag|> "),
    ("header, in an object of llama", "<|python_tag|>{\"name\": \"ask_followup_question"),
    ("after llama", "<|python_tag|>{\"name\": \"ask_followup_question\", \"parameters\": {\"question\": \"Q\"}}"),
    (
        "after a semicolon",
        "<|python_tag|>{\"name\": \"ask_followup_question\", \"parameters\": {\"question\": \"Q\"}};",
    ),
];

/// Prefixes that leave the JSON machine in each of its states.
const JSON_STATES: [(&str, &str); 47] = [
    ("value", ""),
    ("value, blank", " "),
    ("key or end", "{"),
    ("key", "{\"question\":\"Q\","),
    ("in a key", "{\"quest"),
    ("in a key, after a back-slash", "{\"\\"),
    ("in a key, in an escape", "{\"\\u007"),
    ("colon", "{\"question\""),
    ("value of the question", "{\"question\":"),
    ("question", "{\"question\":\"a"),
    ("question, after a back-slash", "{\"question\":\"a\\"),
    ("question, in an escape", "{\"question\":\"a\\u00e"),
    ("question, after half a pair", "{\"question\":\"a\\ud83d"),
    ("question, in the other half", "{\"question\":\"a\\ud83d\\ude0"),
    ("question, blank", "{\"question\":\" "),
    ("number, minus", "{\"question\":-"),
    ("number, zero", "{\"question\":0"),
    ("number, whole", "{\"question\":12"),
    ("number, point", "{\"question\":1."),
    ("number, fraction", "{\"question\":1.5"),
    ("number, e", "{\"question\":1e"),
    ("number, sign", "{\"question\":1e+"),
    ("number, exponent", "{\"question\":1e5"),
    ("literal", "{\"question\":tru"),
    ("literal that ends", "{\"question\":true"),
    ("wrong type", "{\"question\":["),
    ("comma or end", "{\"question\":\"Q\""),
    ("after the object", "{\"question\":\"Q\"}"),
    ("ignored", "{\"question\":\"Q\"}x"),
    ("ill-formed", "{\"question\":\"Q\"]"),
    ("other value", "{\"question\":\"Q\",\"other\":"),
    ("in another value", "{\"question\":\"Q\",\"other\":[{\"a\":\""),
    ("list", "{\"question\":\"Q\",\"follow_up\":"),
    ("items", "{\"question\":\"Q\",\"follow_up\":["),
    ("items, after one", "{\"question\":\"Q\",\"follow_up\":[\"A\""),
    ("item", "{\"question\":\"Q\",\"follow_up\":[\"A"),
    ("item that is a number", "{\"question\":\"Q\",\"follow_up\":[1"),
    ("suggestion", "{\"question\":\"Q\",\"follow_up\":[{"),
    ("suggestion, its answer", "{\"question\":\"Q\",\"follow_up\":[{\"text\":\"a"),
    ("suggestion, its mode", "{\"question\":\"Q\",\"follow_up\":[{\"mode\":\"a"),
    ("entries", "{\"question\":\"Q\",\"follow_up\":{"),
    ("entries of a map", "{\"question\":\"Q\",\"follow_up\":{\"1\":\"a"),
    ("string for a list", "{\"question\":\"Q\",\"follow_up\":\"a"),
    ("string of markup", "{\"question\":\"Q\",\"follow_up\":\"<suggest>a"),
    ("string of JSON", "{\"question\":\"Q\",\"follow_up\":\"[1"),
    ("rejected", "{\"question\":\"12345678901234567890"),
    ("suggestions dropped", "{\"question\":\"Q\",\"follow_up\":[\"a\",\"b\",\"c"),
];

/// Asserts that a stream means what the reference reader says, whole and byte by byte.
fn check(syntax: Syntax, parser: &mut Parser, rules: &Rules, what: &str, stream: &[u8]) {
    let whole = parse(parser, [stream]);
    assert!(whole == parse(parser, stream.chunks(1)), "{what}, byte by byte: {}", stream.escape_ascii());
    let expected = oracle(syntax, stream, rules);
    let differs = || format!("expected {}shown {}", describe(&expected), describe(&whole));
    assert!(whole == expected, "{what}: {}\n{}", stream.escape_ascii(), differs());
}

/// Small limits, so that streams exceed them, and the policy with the most states.
fn rules(envelopes: Envelopes) -> Rules {
    Rules {
        envelopes,
        outside_code: true,
        decode_entities: true,
        question: 12,
        answer: 6,
        suggestions: 2,
        ..Rules::default()
    }
}

/// A state: its syntax, the families that are read, its name, what leads to it, and what may
/// follow.
type State = (Syntax, Envelopes, &'static str, &'static str, [&'static str; 2]);

fn all_states() -> impl Iterator<Item = State> {
    let default = Envelopes::default();
    let of = |states: &'static [(&str, &str)], syntax, envelopes, suffix| {
        states.iter().map(move |&(what, prefix)| (syntax, envelopes, what, prefix, ["", suffix]))
    };
    of(&STATES, Syntax::Markup, default, "a</question><suggest>b</suggest></ask_followup_question> c")
        .chain(of(
            &ENVELOPE_STATES,
            Syntax::Markup,
            default,
            "a</parameter></function>\"}}</tool_call> {\"question\":\"Q\"}<|call|> c",
        ))
        .chain(of(
            &STATES_BY_CHOICE,
            Syntax::Markup,
            Envelopes::all(),
            "\"}}, {\"name\":\"f\",\"question\":\"Q\"}<｜tool▁call▁end｜><｜tool▁calls▁end｜>] <|eom_id|> c",
        ))
        .chain(of(&JSON_STATES, Syntax::Arguments, default, "a\",\"follow_up\":[\"b\"]}"))
}

#[test]
fn every_byte_in_every_state_means_what_the_reference_says() {
    let all: Vec<u8> = (0..=u8::MAX).collect();
    for (i, (syntax, envelopes, what, prefix, suffixes)) in all_states().enumerate() {
        let rules = rules(envelopes);
        let mut parser = syntax.parser(Arc::new(policy(&rules)));
        // In the short form, all bytes in one state of twelve, and one of each kind in the others.
        let bytes = if Sweep::is_short() && i % 12 > 0 { KINDS } else { &all };
        for &byte in bytes {
            for suffix in suffixes {
                check(syntax, &mut parser, &rules, what, &[prefix.as_bytes(), &[byte], suffix.as_bytes()].concat());
            }
        }
    }
}

/// One byte of each kind: delimiters, text, and each part of a character.
const KINDS: &[u8] = b"<>/=\"`\\}]:,&1u \n\0\x80\xA0\xC3\xED\xF0";

#[test]
fn every_two_bytes_in_every_state_mean_what_the_reference_says() {
    for (syntax, envelopes, what, prefix, [_, suffix]) in all_states().step_by(if Sweep::is_short() { 17 } else { 1 }) {
        let rules = rules(envelopes);
        let mut parser = syntax.parser(Arc::new(policy(&rules)));
        for one in KINDS {
            for two in KINDS {
                check(
                    syntax,
                    &mut parser,
                    &rules,
                    what,
                    &[prefix.as_bytes(), &[*one, *two], suffix.as_bytes()].concat(),
                );
            }
        }
    }
}
