//! The memory of a parser and of a response never exceeds the formula in `SECURITY.md`.

use std::iter::repeat_n;

use allocation_counter::measure;
use followup::wire::{self, Format, ResponseParser};
use followup::{Envelopes, Limits, Parser, Policy};

use crate::{is_short, sized};

/// Returns the most bytes of text in a call.
///
/// They are its question, the answers and modes of its suggestions, and a list of them in one
/// string.
fn of_call(limits: &Limits) -> usize {
    limits.question + 3 * limits.answer * limits.suggestions
}

/// Returns the most bytes of a call of another question tool.
///
/// They are its texts, a list of suggestions in one string, and what is known of each question and
/// of each suggestion.
fn of_form(limits: &Limits) -> usize {
    limits.texts + limits.answer * limits.suggestions + limits.questions * (1 + limits.suggestions) * 256
}

/// A buffer that grows is up to twice as large as its contents.
const GROWTH: usize = 2;

/// The number of copies of an event that can exist at once.
///
/// They are in buffers that grow, for the detection of the format, and decoded.
const EVENTS: usize = 3;

/// How many ended calls are remembered, each with a name and two ids of at most 4 KiB.
const ENDED: usize = 256;
const NAMES: usize = 3 * (4 << 10);

/// Memory that no limit bounds.
const REST: usize = 128 << 10;

fn peak(act: impl FnOnce()) -> usize {
    usize::try_from(measure(act).bytes_max).unwrap()
}

#[test]
fn a_parser_holds_at_most_the_limits_of_a_call_however_long_it_goes_on() {
    let limits = Limits { question: 50 << 10, answer: 8 << 10, suggestions: 16, ..Limits::default() };
    let (question, answer) = ("q".repeat(limits.question), "a".repeat(limits.answer));
    let suggestion = format!("<suggest><mode>{answer}</mode><content>{answer}</content></suggest>");
    let item = format!("{{\"mode\":\"{answer}\",\"text\":\"{answer}\"}},");
    let whole = format!("<ask_followup_question><question>{question}</question><follow_up>");
    let native = format!("{{\"question\":\"{question}\",\"follow_up\":");
    let policy = || Policy::new().with_limits(limits).with_envelopes(Envelopes::all());
    let (tool, items) = ("ask_followup_question", item.repeat(limits.suggestions));
    let tags = format!("<tool_call><function={tool}><parameter=question>{question}</parameter><parameter=follow_up>");
    let keys = format!(
        "<tool_call>{tool}<arg_key>question</arg_key><arg_value>{question}</arg_value><arg_key>follow_up</arg_key><arg_value>"
    );
    let object = format!("<tool_call>{{\"name\":\"{tool}\",\"arguments\":");
    let section = format!("<|tool_calls_section_begin|><|tool_call_begin|>{tool}<|tool_call_argument_begin|>");
    let envelopes = [
        (tags.clone(), suggestion.as_str()),
        (format!("{tags}["), item.as_str()),
        (format!("{tags}[{items}1]</parameter><parameter=options>["), "\"an answer\","),
        (format!("{tags}[{items}1]</parameter><parameter=suggest>"), "a line\n"),
        (format!("{tags}</parameter><parameter=other>"), "any length "),
        (keys.clone(), suggestion.as_str()),
        (format!("{keys}[{items}1]</arg_value><arg_key>options</arg_key><arg_value>["), "\"an answer\","),
        (format!("{keys}</arg_value><arg_key>"), "any length "),
        (format!("{object}{native}["), item.as_str()),
        (format!("{object}{native}[{items}1],\"options\":\"[1"), ", 2"),
        (format!("{object}{native}[1]}},\"other\":\""), "any length "),
        (format!("{object}{native}[1]}},\""), "any length "),
        (format!("{object}x"), "any length "),
        (format!("{section}{native}["), item.as_str()),
        // Headers.
        ("<tool_call>{\"id\":\"".into(), "any length "),
        ("<tool_call>{\"arguments\":{\"question\":\"".into(), "any length "),
        (String::new(), "<tool_call>{"),
        // Calls of another tool.
        ("<function=f><parameter=x>".into(), "any length "),
        ("<tool_call>f<arg_key>".into(), "any length "),
        ("<tool_call>{\"name\":\"f\",\"arguments\":{\"x\":\"".into(), "any length "),
    ];
    let markup = [
        (whole.clone(), suggestion.as_str()),
        (
            format!("{whole}{}<options>[", repeat_n(&*suggestion, limits.suggestions).collect::<String>()),
            "\"an answer\",",
        ),
        (format!("{whole}["), "\"an answer\","),
        (format!("{whole}<suggest>"), " a"),
        ("<ask_followup_question>".into(), "bare "),
        ("<ask_followup_question><question>".into(), "<b "),
        ("<read_file><path>".into(), "any length "),
    ];
    let json = [
        (format!("{native}["), item.as_str()),
        (format!("{native}\""), "<suggest><mode>a mode</mode>an answer</suggest>"),
        (format!("{native}\""), "[1, 2, "),
        ("{\"a key \\u00e9".into(), "of any length "),
        ("{\"other\":".into(), "["),
        ("{\"question\": \"".into(), " \\n"),
    ];
    for (parser, cases) in
        [(Parser::new as fn(Policy) -> Parser, &markup[..]), (Parser::new, &envelopes), (Parser::arguments, &json)]
    {
        for (start, repeated) in cases {
            let held = peak(|| {
                let mut parser = parser(policy());
                drop(parser.feed(start));
                for _ in 0..sized(2 << 20) / repeated.len() {
                    drop(parser.feed(repeated));
                }
                drop(parser.finish());
            });
            let bound = GROWTH * of_call(&limits) + REST;
            assert!(held <= bound, "{held} of {bound}: {start:.99} {repeated:.99}");
        }
    }
}

#[test]
fn a_form_holds_at_most_its_texts_however_long_it_goes_on() {
    let limits = Limits { texts: 200 << 10, ..Limits::default() };
    let (long, label) = ("q".repeat(limits.question), "a".repeat(limits.answer));
    let option = format!("{{\"description\":\"{label}\",\"label\":\"{label}\"}},");
    let dropped = format!("{{\"description\":\"{label}\"}},");
    let open = "{\"questions\":[{\"question\":\"Q\",\"options\":[";
    let half = limits.answer * limits.suggestions / 2 - 100;
    let before = format!("{{\"options\":\"{}\",\"question\":\"{long}", "a line\\n".repeat(half / 8));
    let twins = "{\"label\":\"a\",\"description\":\"b\"},".repeat(limits.suggestions);
    for (start, repeated) in [
        ("{\"questions\":[", format!("{{\"question\":\"{long}\"}},")),
        ("{\"questions\":[", format!("{{\"question\":\"Q\",\"options\":[{twins}]}},")),
        ("{\"questions\":[", format!("{{\"id\":\"{}\"}},", "i".repeat(1000))),
        (open, option),
        (open, dropped),
        (open, format!("\"{label}\",")),
        ("{\"questions\":[{\"question\":\"Q\",\"options\":\"", "any length ".into()),
        ("{\"questions\":\"", "[{".into()),
        ("{\"questions\":[{\"", "a key ".into()),
        ("{\"other\":", "[".into()),
        // Before a text that does not come, or does.
        ("{\"options\":[", "{\"label\":\"any length\"},".into()),
        ("{\"header\":\"", "any length ".into()),
        ("", before),
    ] {
        let policy = || Policy::new().with_limits(limits);
        let native = Parser::arguments_of("AskUserQuestion", policy()).unwrap();
        let object = "<tool_call>{\"name\":\"AskUserQuestion\",\"arguments\":";
        let tags = "<invoke name=\"AskUserQuestion\"><parameter name=\"questions\">";
        let value = start.strip_prefix("{\"questions\":").map(|value| (Parser::new(policy()), tags, value));
        let parsers = [(native, "", start), (Parser::new(policy()), object, start)].into_iter().chain(value);
        for (mut parser, header, start) in parsers {
            let held = peak(|| {
                drop(parser.feed(header));
                drop(parser.feed(start));
                for _ in 0..sized(4 << 20) / repeated.len() {
                    drop(parser.feed(&repeated));
                }
                drop(parser.finish());
            });
            let bound = GROWTH * of_form(&limits) + REST;
            assert!(held <= bound, "{held} of {bound}: {header}{start} {repeated:.99}");
        }
    }
}

#[test]
fn a_response_holds_an_event_and_its_open_calls_however_long_it_goes_on() {
    let limits = Limits { question: 4 << 10, answer: 1 << 10, ..Limits::default() };
    let wire_limits = wire::Limits::default().with_event(256 << 10).with_open_calls(4).with_arguments(64 << 10);
    let long = "x".repeat(wire_limits.event - 200);
    let call = |index: usize, arguments: &str| {
        format!(
            "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"tool_calls\":[{{\"index\":{index},\"id\":\"c{index}\",\"function\":{{\"name\":\"ask_followup_question\",\"arguments\":\"{arguments}\"}}}}]}}}}]}}\n\n"
        )
    };
    let nameless = |index: usize, arguments: &str| call(index, arguments).replace("ask_followup_question", "");
    let blank = " ".repeat(wire_limits.event - 300);
    let partial = "data: {\"candidates\":[{\"content\":{\"parts\":[{\"functionCall\":{\"name\":\"ask_followup_question\",\
        \"partialArgs\":[{\"jsonPath\":\"PATH\",\"stringValue\":VALUE,\"willContinue\":true}],\"willContinue\":true}}]}}]}\n\n";
    let paths: String = (0..20_000)
        .map(|n| {
            partial
                .replace("VALUE", "\"a\"")
                .replace("PATH", &format!("$.a{n}.b.c[0]"))
                .replace("\"ask_followup_question\"", if n == 0 { "\"ask_followup_question\"" } else { "\"\"" })
        })
        .collect();
    // One after the other, each with the longest id and name that are remembered.
    let ended: String = (0..400)
        .map(|index| {
            let (id, name) = (format!("{index:04096}"), "n".repeat(4096));
            let ended = "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"tool_calls\"}]}\n\n";
            call(index, "{}").replace(&format!("c{index}"), &id).replace("ask_followup_question", &name) + ended
        })
        .collect();
    let open: String = (0..20).map(|index| call(index, "{\\\"question\\\":\\\"")).collect();
    for (wire, start, repeated) in [
        (
            Format::OpenAiChat,
            String::new(),
            format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{long}\"}}}}]}}\n\n"),
        ),
        (
            Format::OpenAiChat,
            String::new(),
            format!(
                "data: {{\"choices\":[{{\"index\":0,\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n",
                "\\n".repeat(long.len() / 2)
            ),
        ),
        (Format::OpenAiChat, String::new(), format!("data: {long}")),
        (Format::OpenAiChat, "data: ".into(), long.clone()),
        (Format::OpenAiChat, String::new(), format!("data: {}\n\n", "[".repeat(long.len()))),
        (Format::OpenAiChat, String::new(), ended),
        (Format::OpenAiChat, call(1, "{}"), call(1, &" ".repeat(1000))),
        (Format::OpenAiChat, String::new(), (0..8).map(|index| call(index, &format!("{{{}}}", &blank))).collect()),
        (Format::Gemini, String::new(), partial.replace("VALUE", "\"a piece \"").replace("PATH", "$.question")),
        (
            Format::Gemini,
            String::new(),
            partial.replace("VALUE", "\"a\"").replace("PATH", &format!("${}", ".a".repeat(120_000))),
        ),
        (Format::Gemini, String::new(), paths),
        (Format::OpenAiChat, open.clone(), call(3, "question ")),
        (Format::OpenAiChat, open.clone(), call(3, &long)),
        (Format::OpenAiChat, String::new(), nameless(1, "any length ")),
        (Format::OpenAiChat, String::new(), (0..20).map(|index| nameless(index, &long[..100_000])).collect()),
        (
            Format::Gemini,
            "[".into(),
            format!("{{\"candidates\":[{{\"content\":{{\"parts\":[{{\"text\":\"{long}\"}}]}}}}]}},"),
        ),
        (
            Format::Gemini,
            String::new(),
            format!(
                "data: {{\"candidates\":[{{\"content\":{{\"parts\":[{}]}}}}]}}\n\n",
                vec!["{\"text\":\"a\"}"; 1024].join(",")
            ),
        ),
        (Format::Ollama, String::new(), format!("{{\"message\":{{\"content\":\"{long}\"}}}}\n")),
        (Format::Ollama, "{\"message\":{\"content\":\"".into(), long.clone()),
        (
            Format::Anthropic,
            String::new(),
            format!(
                "data: {{\"type\":\"content_block_start\",\"index\":0,\"content_block\":{{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"ask_followup_question\",\"input\":{{\"question\":\"{long}\"}}}}}}\n\n"
            ),
        ),
    ] {
        for auto in [false, true] {
            let policy = Policy::new().with_limits(limits);
            let held = peak(|| {
                let response = if auto { ResponseParser::auto(policy) } else { ResponseParser::new(wire, policy) };
                let mut response = response.with_limits(wire_limits);
                let mut feed = |chunk: &[u8]| {
                    let mut events = response.feed(chunk);
                    while events.next().is_some() {}
                };
                feed(start.as_bytes());
                for _ in 0..sized(8 << 20) / repeated.len() {
                    for chunk in repeated.as_bytes().chunks(5000) {
                        feed(chunk);
                    }
                }
                let mut events = response.finish();
                while events.next().is_some() {}
            });
            // The text has a parser of its own, and a call that may be another is read once more.
            let calls = GROWTH * (wire_limits.arguments + 2 * of_call(&limits));
            let names = (wire_limits.open_calls + ENDED) * NAMES;
            let bound = EVENTS * wire_limits.event + calls + names + REST;
            assert!(held <= bound, "{held} of {bound}: {wire} {}", &repeated[..repeated.len().min(200)]);
        }
    }
}

/// The most memory that a response takes with the defaults.
const DEFAULTS: usize = 48 << 20;

#[test]
fn a_response_with_the_default_limits_takes_at_most_48_mib() {
    let (limits, wire_limits) = (Limits::default(), wire::Limits::default());
    let names = (wire_limits.open_calls + ENDED) * NAMES;
    let bound = EVENTS * wire_limits.event + GROWTH * (wire_limits.arguments + 2 * of_call(&limits)) + names + REST;
    assert!(bound <= DEFAULTS, "{bound}");
    let chunk = |delta: &str| format!("data: {{\"choices\":[{{\"index\":0,\"delta\":{{{delta}}}}}]}}\n\n");
    // Calls that are open, whose arguments take as much as they may together.
    let share = wire_limits.arguments / wire_limits.open_calls - 100;
    let ask = |index: usize| {
        let suggestion = format!("{{\\\"text\\\":\\\"{}\\\",\\\"mode\\\":\\\"m\\\"}},", "a".repeat(4000));
        let suggestions = suggestion.repeat(share / suggestion.len());
        chunk(&format!(
            "\"tool_calls\":[{{\"index\":{index},\"id\":\"{index:04096}\",\"function\":{{\"name\":\"ask_followup_question\",\
             \"arguments\":\"{{\\\"question\\\":\\\"Q?\\\",\\\"follow_up\\\":[{suggestions}\"}}}}]"
        ))
    };
    let open: String = (0..wire_limits.open_calls).map(ask).collect();
    // A call in the text with all that it may have.
    let answer = "a".repeat(limits.answer);
    let suggest = format!("<suggest><mode>{answer}</mode><content>{answer}</content></suggest>");
    let question = format!("<ask_followup_question><question>{}</question><follow_up>", "q".repeat(limits.question));
    let in_text = chunk(&format!("\"content\":\"{question}{}\"", suggest.repeat(limits.suggestions)));
    let most = wire_limits.event - 100;
    let events = ["x".repeat(most), "\\n".repeat(most / 2), "\\u00e9".repeat(most / 6), "\\ud83d".repeat(most / 6)];
    for (i, event) in events.iter().enumerate() {
        let event = chunk(&format!("\"content\":\"{event}\""));
        // In the short form, each is read in one of the two ways.
        for auto in [false, true].into_iter().filter(|auto| !is_short() || *auto == (i % 2 == 1)) {
            let held = peak(|| {
                let format = Format::OpenAiChat;
                let mut response =
                    if auto { ResponseParser::auto(Policy::new()) } else { ResponseParser::new(format, Policy::new()) };
                for body in [&open, &in_text, &event, &event] {
                    for chunk in body.as_bytes().chunks(8 << 10) {
                        let mut events = response.feed(chunk);
                        while let Some(event) = events.next() {
                            assert!(event.is_ok(), "{event:?}");
                        }
                    }
                }
                let mut events = response.finish();
                while events.next().is_some() {}
            });
            eprintln!("{held} bytes of at most {DEFAULTS}");
            assert!(held <= DEFAULTS, "{held}");
        }
    }
}
