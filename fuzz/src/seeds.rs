//! Seeds and dictionaries, made from the grammar.

use followup_testing::literals::{
    ARGUMENTS, ARGUMENTS_BEGINNINGS, ENVELOPE_BEGINNINGS, ENVELOPES, FRAMES, ILL_FORMED, KEYS, MARKUP,
    MORE_ENVELOPE_BEGINNINGS, MORE_ENVELOPES, PROVIDERS, QUESTION_TOOLS, STRING, WORDS, dictionary,
};
use followup_testing::{Question, Suggestion, Syntax};

use crate::input::{CUT, choice};
use crate::{bytes, dialogue::step, linear, providers::kind, resume, shapes};

/// Returns the dictionary of a target: the words of the grammar, and the marks of the input format.
pub fn words(target: &str) -> String {
    let strings = [KEYS, STRING, WORDS].concat();
    let strings = strings.iter().map(|word| word.as_bytes());
    let marks = [&[CUT][..], &[linear::END]];
    let envelopes = [ENVELOPES, ENVELOPE_BEGINNINGS, MORE_ENVELOPES, MORE_ENVELOPE_BEGINNINGS].concat();
    let all = [MARKUP, &envelopes[..], ARGUMENTS, ARGUMENTS_BEGINNINGS, ILL_FORMED].concat();
    match target {
        "shapes" => {
            dictionary([ARGUMENTS, QUESTION_TOOLS, ILL_FORMED].concat().into_iter().chain(strings).chain(marks))
        }
        "linear" => dictionary([&all[..], FRAMES, PROVIDERS, QUESTION_TOOLS].concat().into_iter().chain(marks)),
        "providers" | "bytes" => dictionary([&all[..], FRAMES, PROVIDERS].concat().into_iter().chain(marks)),
        _ => dictionary(all.into_iter().chain(strings).chain(marks)),
    }
}

/// Returns the seeds of a target.
pub fn seeds(target: &str) -> Vec<Vec<u8>> {
    match target {
        "laws" => inputs(streams().chain(leaked())).collect(),
        "reference" => inputs(streams()).collect(),
        "bytes" => streams()
            .flat_map(|Seed { stream, needs, .. }| {
                let families = if needs == Needs::AllFamilies { bytes::ALL_FAMILIES } else { 0 };
                [0, 1, 2].map(|kind| [&[kind | families, 3][..], &stream].concat())
            })
            .chain(
                FRAMES
                    .iter()
                    .zip(FRAMES.iter().rev())
                    .map(|(one, two)| [b"\x02\x00", *one, b" x\n", two, b"\n\n"].concat()),
            )
            .collect(),
        "providers" => bodies().collect(),
        "shapes" => shapes::seeds().collect(),
        "resume" => inputs(streams().chain(leaked())).flat_map(changed).chain(stored()).collect(),
        "dialogue" => scripts().collect(),
        "linear" => repeated().collect(),
        other => panic!("there is no target {other}"),
    }
}

fn question() -> Question {
    let mode = |mode: &str| Some(mode.to_owned());
    Question {
        question: "Which \u{1F980}, a < b?".to_owned(),
        suggestions: vec![
            Suggestion { answer: "This".to_owned(), mode: None },
            Suggestion { answer: "That & \"this\"".to_owned(), mode: mode("code") },
        ],
    }
}

/// A stream, and what its policy has to read of it.
struct Seed {
    syntax: Syntax,
    needs: Needs,
    stream: Vec<u8>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Needs {
    Nothing,
    /// Some families of envelopes.
    Envelopes,
    AllFamilies,
}

/// Returns messages and arguments with each piece of the grammar in each place.
fn streams() -> impl Iterator<Item = Seed> {
    const PLACES: [(&str, &str); 6] = [
        ("Hm. ", " <ask_followup_question><question>Q"),
        ("<ask_followup_question>", "</ask_followup_question>"),
        ("<ask_followup_question><question>Why", "?</question><follow_up><suggest>A"),
        (
            "<ask_followup_question><question>Q</question><follow_up><suggest>A",
            "B</suggest></follow_up></ask_followup_question> ",
        ),
        ("<read_file><path>a", "</path></read_file> <b>"),
        ("`<ask_followup_question>` and ```\n", "\n``` <ask_followup_question><question>Q</question><options>[\"a\"]"),
    ];
    let markup = PLACES.iter().flat_map(|(start, end)| {
        MARKUP.iter().chain(ILL_FORMED).map(|piece| [start.as_bytes(), piece, end.as_bytes()].concat())
    });
    let arguments =
        ARGUMENTS_BEGINNINGS.iter().flat_map(|start| ARGUMENTS.iter().map(|piece| [*start, piece, b"\"}]}"].concat()));
    let needs = [Needs::Envelopes, Needs::AllFamilies];
    let beginnings = move || needs.into_iter().zip([ENVELOPE_BEGINNINGS, MORE_ENVELOPE_BEGINNINGS]).flat_map(each);
    let pieces = move || needs.into_iter().zip([ENVELOPES, MORE_ENVELOPES]).flat_map(each);
    let envelopes = beginnings().flat_map(move |(of_start, start)| {
        pieces().map(move |(of_piece, piece)| {
            let needs = if of_start == of_piece { of_start } else { Needs::AllFamilies };
            Seed { syntax: Syntax::Markup, needs, stream: [start, piece, b" x"].concat() }
        })
    });
    let plain = |syntax| move |stream| Seed { syntax, needs: Needs::Nothing, stream };
    let question = question();
    markup
        .map(plain(Syntax::Markup))
        .chain(envelopes.step_by(7))
        .chain([plain(Syntax::Markup)(question.markup().into_bytes())])
        .chain(arguments.chain([question.arguments().into_bytes()]).map(plain(Syntax::Arguments)))
}

/// Returns each of some literals, with what they need.
fn each((needs, literals): (Needs, &'static [&'static [u8]])) -> impl Iterator<Item = (Needs, &'static [u8])> {
    literals.iter().map(move |literal| (needs, *literal))
}

/// Returns messages with a call of another tool that asks, in an envelope.
///
/// The oracle of `reference` reads no such call.
fn leaked() -> impl Iterator<Item = Seed> {
    const BEGINNINGS: [&str; 4] = [
        "<tool_call>{\"name\":\"AskUserQuestion\",\"arguments\":{\"questions\":[",
        "<invoke name=\"AskUserQuestion\"><parameter name=\"questions\">[",
        "<function=AskUser><parameter=questionnaire>1. [question] Q\n[option] ",
        "<tool_call>ask_user_question<arg_key>questions</arg_key><arg_value>[",
    ];
    BEGINNINGS.into_iter().flat_map(|start| {
        QUESTION_TOOLS.iter().map(move |piece| {
            let stream = [start.as_bytes(), piece, b"\"}]} x"].concat();
            Seed { syntax: Syntax::Markup, needs: Needs::Envelopes, stream }
        })
    })
}

/// Returns streams as inputs, with all choices. The strict policy reads no envelopes.
fn inputs(streams: impl Iterator<Item = Seed>) -> impl Iterator<Item = Vec<u8>> {
    streams.enumerate().map(|(i, Seed { syntax, needs, mut stream })| {
        let chosen = |is_chosen, bit| if is_chosen { bit } else { 0 };
        let without = if needs == Needs::Nothing { choice::ARGUMENTS } else { choice::ARGUMENTS | choice::STRICT };
        let families = match needs {
            Needs::AllFamilies => Some(u16::MAX),
            _ => (i % 7 == 0).then(|| (i as u16).wrapping_mul(0x9E37)),
        };
        let choices = (i % 16) as u8 & !without
            | chosen(syntax == Syntax::Arguments, choice::ARGUMENTS)
            | chosen(i % 5 == 0, choice::LIMITS)
            | chosen(families.is_some(), choice::ENVELOPES);
        stream.insert(stream.len() / 2, CUT);
        let limits: &[u8] = if i % 5 == 0 { &[12, 6, 2, 60, 40] } else { &[] };
        let families = families.map(u16::to_le_bytes);
        let families = families.as_ref().map_or(&[][..], |bits| bits);
        [&[choices, (i % 4) as u8], limits, families, &stream].concat()
    })
}

/// Returns an input with one change to its checkpoint.
fn changed(input: Vec<u8>) -> impl Iterator<Item = Vec<u8>> {
    let at = input.len() as u8;
    [[1, 0, at, at % 64]].into_iter().map(move |change| [&change[..], &input].concat())
}

/// Returns stored checkpoints.
fn stored() -> impl Iterator<Item = Vec<u8>> {
    streams().step_by(7).map(|Seed { syntax, stream, .. }| {
        let mut parser = syntax.parser(followup::Policy::new());
        let (before, next) = stream.split_at(stream.len() / 2);
        drop(parser.feed_bytes(before));
        let stored = serde_json::to_vec(&parser.checkpoint()).expect("it can be stored");
        debug_assert_eq!(stored.first(), Some(&resume::JSON));
        [&stored, &[CUT][..], next].concat()
    })
}

/// Returns generated bodies, damaged ones, and raw bodies.
fn bodies() -> impl Iterator<Item = Vec<u8>> {
    let sent = (0..48_u8).flat_map(|i| {
        let dice: Vec<u8> =
            (0..80_u32).map(|at| (at * 37 + u32::from(i) * 101 + at * at * u32::from(i)) as u8 % 0xFE).collect();
        [kind::SENT, kind::DAMAGED].map(|kind| [&[kind, i, i % 9][..], &dice, &[0xFF, 9, 30, 7, 1, 250, 2, i]].concat())
    });
    let body = |wire: u8| {
        let pieces = PROVIDERS.iter().flat_map(move |piece| {
            FRAMES.iter().step_by(5).map(move |frame| {
                [&[kind::BODY, wire, 0][..], b"data: {", piece, frame, b"\n\ndata: [DONE]\n\n"].concat()
            })
        });
        pieces.skip(usize::from(wire)).step_by(7)
    };
    sent.chain((0..9).flat_map(body))
}

fn scripts() -> impl Iterator<Item = Vec<u8>> {
    let texts: [&[u8]; 6] = [
        b"</answer>",
        b"</ANSWER\n> and <answer>",
        b"",
        b"<ask_followup_question></ask_followup_question>",
        b"data:image/png;base64,iVBORw0KGgo=",
        b"GIF89a",
    ];
    let fills: [&[u8]; 4] = [&[1, 2, 40], &[3, 4, 112], &[49], b""];
    (0..96_u8).map(move |i| {
        let mut script = vec![i.wrapping_mul(37), i.wrapping_mul(3), step::ASKS, 3, step::ASKS, 2];
        for number in 0..12_u8 {
            let what = number.wrapping_mul(i | 1).wrapping_add(i) % step::KINDS;
            let text = match what {
                step::FILLS | step::DISCUSSES | step::TIMES_OUT => fills[usize::from(i / 8 + number) % fills.len()],
                _ => texts[usize::from(i / 8 + number) % texts.len()],
            };
            match what {
                step::ASKS | step::CANCELS | step::DECLINES => script.extend([what, number % 5]),
                step::CALLS => script.extend([what, i.wrapping_add(number)]),
                step::TAKES => script.extend([what, number % 4 * 16 + number % 3]),
                _ => script.extend([&[what, text.len() as u8], text].concat()),
            }
        }
        script
    })
}

/// Returns the grammar's literals, repeated and nested, for every reader.
fn repeated() -> impl Iterator<Item = Vec<u8>> {
    const STARTS: [(u8, &str); 17] = [
        (0, ""),
        (0, "<ask_followup_question><question>"),
        (0, "<ask_followup_question><question>Q</question><suggest>"),
        (0, "<function=ask_followup_question><parameter=question>"),
        (0, "<tool_call>ask_followup_question<arg_key>follow_up</arg_key><arg_value>"),
        (0, "<tool_call>```json\n{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\""),
        (0, "<|tool_call_begin|>f:0<|tool_call_argument_begin|>{\"x\":["),
        (0, "<function_calls><invoke name=\"ask_followup_question\"><parameter name=\"question\">"),
        (0, "<｜DSML｜invoke name=\"ask_followup_question\"><｜DSML｜parameter name=\"question\" string=\"false\">\""),
        (
            0,
            "<|start|>assistant<|channel|>commentary to=functions.ask_followup_question <|constrain|>json<|message|>{\"question\":\"",
        ),
        (1, "{\"question\":\""),
        (1, "{\"question\":\"Q\",\"follow_up\":["),
        (2, "data: {\"choices\":[{\"delta\":{\"content\":\""),
        (linear::FIRST_TOOL, "{\"questions\":[{\"question\":\""),
        (linear::FIRST_TOOL, "{\"questions\":[{\"question\":\"Q\",\"options\":[{\"label\":\""),
        (linear::FIRST_TOOL + 1, "{\"questionnaire\":\"1. [question] Q\\n[option] "),
        (linear::FIRST_TOOL + 2, "{\"question\":\"Q\",\"choices\":["),
    ];
    const STARTS_BY_CHOICE: [&str; 4] = [
        "[TOOL_CALLS]ask_followup_question[ARGS]{\"question\":\"",
        "[TOOL_CALLS][{\"name\":\"f\",\"arguments\":{}}",
        "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ask_followup_question\n```json\n{\"question\":\"",
        "<|python_tag|>{\"name\":\"ask_followup_question\",\"parameters\":{\"question\":\"",
    ];
    let by_choice = STARTS_BY_CHOICE.map(|start| (0, linear::choice::ALL_FAMILIES, start));
    let starts = STARTS.map(|(reader, start)| (reader, 0, start)).into_iter().chain(by_choice);
    let pieces = [MARKUP, ENVELOPES, MORE_ENVELOPES, ARGUMENTS, QUESTION_TOOLS, ILL_FORMED, FRAMES].concat();
    starts.enumerate().flat_map(move |(at, (reader, choices, start))| {
        pieces.clone().into_iter().enumerate().map(move |(number, piece)| {
            let reader = reader + if reader < 3 && number % 5 == 0 { 2 } else { 0 };
            let choices = choices | (at + number) as u8 & linear::choice::ALL;
            let end = [linear::END];
            [&[reader, choices, (number % 3) as u8][..], start.as_bytes(), &end, piece, &end, b"x", &end, b"\"}]}"]
                .concat()
        })
    })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use followup::{Envelope, Envelopes, Event};

    use super::*;
    use crate::common::policy;
    use crate::input::Input;

    #[test]
    fn seeds_of_envelopes_are_read_by_the_families_that_write_them() {
        for target in ["laws", "reference"] {
            let seeds = seeds(target);
            let inputs = || seeds.iter().map(|seed| Input::of(seed).expect("it is long enough"));
            let begins = |input: &Input, starts: &[&[u8]]| {
                starts.iter().any(|start| start.len() > 4 && input.stream.starts_with(start))
            };
            let of_envelopes = inputs().filter(|input| begins(input, ENVELOPE_BEGINNINGS));
            assert!(of_envelopes.filter(|input| !input.rules.strict).count() > 100);
            assert!(inputs().filter(|input| begins(input, ENVELOPE_BEGINNINGS)).all(|input| !input.rules.strict));
            let mut by_choice = inputs().filter(|input| begins(input, MORE_ENVELOPE_BEGINNINGS)).peekable();
            assert!(by_choice.peek().is_some());
            assert!(by_choice.all(|input| !input.rules.strict && input.rules.envelopes == Envelopes::all()));
        }
    }

    #[test]
    fn seeds_reach_calls_of_every_family() {
        for target in ["laws", "reference"] {
            let mut found = BTreeSet::new();
            for input in seeds(target).iter().filter_map(|seed| Input::of(seed)) {
                let mut parser = input.stream.parser(policy(&input.rules));
                let mut add = |event: Event<'_>| match event {
                    Event::Complete(call) => found.extend(call.notes().iter().filter_map(|note| match note {
                        followup::Note::Envelope(family) => Some(family.name()),
                        _ => None,
                    })),
                    Event::Rejected(call) => found.extend(call.envelope().map(Envelope::name)),
                    _ => {}
                };
                parser.feed_bytes(&input.stream).for_each(&mut add);
                parser.finish().for_each(&mut add);
            }
            assert_eq!(found, Envelope::ALL.map(Envelope::name).into_iter().collect(), "{target}");
        }
    }
}
