//! Calls of the families that are read by choice, in thinking blocks.

use followup::{CallStart, Envelopes, Parser, Policy};
use followup_testing::{Entry, Transcript};

use super::{check, check_each_cut};
use crate::common::reference::Rules;

/// A complete call of each of these families.
const CALLS: [&str; 5] = [
    "[TOOL_CALLS]ask_followup_question[ARGS]{\"question\":\"Draft?\"}",
    "[TOOL_CALLS][{\"name\":\"ask_followup_question\",\"arguments\":{\"question\":\"Draft?\"}}]",
    "<｜tool▁call▁begin｜>ask_followup_question<｜tool▁sep｜>{\"question\":\"Draft?\"}<｜tool▁call▁end｜>",
    "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>ask_followup_question\n\
     ```json\n{\"question\":\"Draft?\"}\n```<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
    "<|python_tag|>{\"name\":\"ask_followup_question\",\"parameters\":{\"question\":\"Draft?\"}}<|eom_id|>",
];

const BLOCKS: [(&str, &str); 2] = [("<think>", "</think>"), ("<thinking>", "</thinking>")];

/// Returns the questions that are asked, and the text before the last of them.
fn read(text: &str, starts: CallStart) -> (Vec<String>, String) {
    let policy = Policy::new().with_envelopes(Envelopes::all()).with_call_start(starts);
    let transcript = Transcript::of(&mut Parser::new(policy), text.as_bytes().chunks(1));
    let (mut asked, mut before, mut prose) = (Vec::new(), String::new(), String::new());
    for entry in transcript.entries() {
        match entry {
            Entry::Text(text) => prose.push_str(text),
            Entry::Complete(call) => {
                asked.extend(call.question.clone());
                before.clone_from(&prose);
            }
            _ => {}
        }
    }
    (asked, before)
}

#[test]
fn a_call_in_a_thinking_block_is_asked_unless_calls_start_only_outside_code() {
    for call in CALLS {
        let real = call.replace("Draft?", "Real?");
        for (open, close) in BLOCKS {
            let thinking = format!("{open}\nI could say\n{call} or not.\n{close}");
            let text = format!("{thinking}{real}x");
            let (asked, _) = read(&text, CallStart::Anywhere);
            assert_eq!(asked, ["Draft?", "Real?"], "{text:?}");
            let (asked, before) = read(&text, CallStart::OutsideCode);
            assert_eq!((&asked[..], before), (&["Real?".to_owned()][..], thinking), "{text:?}");
        }
    }
}

#[test]
fn a_call_around_the_tags_of_a_thinking_block_means_what_the_reference_says() {
    for outside_code in [false, true] {
        let rules = Rules { outside_code, envelopes: Envelopes::all(), ..Rules::default() };
        for call in CALLS {
            for (open, close) in BLOCKS {
                check_each_cut(&format!("{open}{call}{close}{call}x"), &rules);
                for cut in (1..call.len()).filter(|cut| call.is_char_boundary(*cut)) {
                    let (start, end) = call.split_at(cut);
                    check(&format!("{open}{start}{close}{end}{call}x"), &rules);
                    check(&format!("{start}{open}{end}{close}{call}x"), &rules);
                }
            }
            check_each_cut(&format!("<think>{call}</thinking>{call}</think>{call}"), &rules);
        }
    }
}
