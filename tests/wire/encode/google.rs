//! The formats of Google: Gemini and Interactions.

use super::Suggestion;
use super::calls::{PlannedCall, TOOL};
use super::events::EventWriter;
use super::json::{plain, string};
use super::steps::{SendStep, fragments};

pub(super) fn gemini(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"candidates":[{"content":{"parts":[{"text":"no","thought":true}],"role":"model"},"index":0}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":"no"}]},"index":1}]}"#,
        r#"{"candidates":[{"content":{"role":"model"},"finishReason":"STOP"}]}"#,
        r#"{"candidates":[{"content":{"parts":[{"text":""}]}}],"error":null}"#,
        r#"{"usageMetadata":{"totalTokenCount":3},"modelVersion":"g"}"#,
    ];
    out.reasoning_event =
        Some(r#"{"candidates":[{"content":{"parts":[{"text":$0,"thought":true}],"role":"model"},"index":0}]}"#);
    for step in steps {
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let template = out.text_template(&[
                    r#"{"candidates":[{"content":{"parts":[{"text":$0}],"role":"model"},"index":0}]}"#,
                    r#"{"candidates":[{"content":{"parts":[{"text":"no","thought":true},{"text":$0,"thought":false}]}}]}"#,
                ]);
                out.event("message", template, &[&text]);
            }
            SendStep::Start(i, _) => match &calls[*i].asks {
                Some((question, suggest)) if calls[*i].tool == TOOL && out.dice.once_in(2) => {
                    gemini_partial_args(question, suggest, calls[*i].id.as_deref(), NOISE, out);
                }
                _ => {
                    let (id, name) = (plain(calls[*i].id()), plain(calls[*i].tool));
                    let id = if calls[*i].id.is_some() { format!("\"id\":{id},") } else { String::new() };
                    let template = r#"{"candidates":[{"content":{"parts":[{"functionCall":{$0"name":$1,"args":$2},"thoughtSignature":"x"}]},"finishReason":"STOP"}]}"#;
                    out.event("message", template, &[&id, &name, &calls[*i].arguments]);
                }
            },
            SendStep::More(..) | SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    out.event("message", NOISE[4], &[]);
    out.end(false);
}

/// A call in `partialArgs`.
pub(super) fn gemini_partial_args(
    question: &str,
    suggest: &[Suggestion],
    id: Option<&str>,
    noise: &[&str],
    out: &mut EventWriter<'_>,
) {
    const PART: &str = r#"{"candidates":[{"content":{"parts":[{"functionCall":{$0}}]}}]}"#;
    let mut values = vec![("$.question".to_owned(), Some(question))];
    let (key, brackets) = (out.dice.pick(&["follow_up", "suggestions", "options"]), out.dice.once_in(2));
    for (i, (text, mode)) in suggest.iter().enumerate() {
        let base = if brackets { format!("$['{key}'][{i}]") } else { format!("$.{key}[{i}]") };
        if mode.is_none() && out.dice.once_in(3) {
            values.push((base, Some(text)));
            continue;
        }
        let mut pair = vec![(format!("{base}.text"), Some(&**text))];
        if mode.is_some() || out.dice.once_in(2) {
            pair.insert(out.dice.below(2) ^ 1, (format!("{base}.mode"), mode.as_deref()));
        }
        values.extend(pair);
    }
    if out.dice.once_in(2) {
        values.rotate_left(1);
    }
    // The pieces of all values, each of which tells whether its value continues.
    let mut pieces = Vec::new();
    for (path, value) in values {
        let path = plain(&path);
        let Some(value) = value else {
            pieces.push(format!("{{\"jsonPath\":{path},\"nullValue\":null}}"));
            continue;
        };
        let splits_pairs = out.dice.once_in(2);
        let parts = fragments(value, out.dice, splits_pairs);
        for (i, part) in parts.iter().enumerate() {
            let will_continue = if i + 1 < parts.len() { ",\"willContinue\":true" } else { "" };
            pieces.push(format!("{{\"jsonPath\":{path},\"stringValue\":{}{will_continue}}}", string(part, out.dice)));
        }
    }
    let head = format!("{}\"name\":\"{TOOL}\"", id.map(|id| format!("\"id\":{},", plain(id))).unwrap_or_default());
    let repeats = out.dice.once_in(3);
    let last_alone = out.dice.once_in(2);
    let mut first = true;
    if out.dice.once_in(2) {
        out.event("message", PART, &[&format!("{head},\"willContinue\":true")]);
        first = false;
    }
    let mut rest = &pieces[..];
    while !rest.is_empty() {
        let (some, later) = rest.split_at(rest.len().min(1 + out.dice.below(3)));
        rest = later;
        let named = if first || repeats { format!("{head},") } else { String::new() };
        let will_continue = if rest.is_empty() && !last_alone { "" } else { ",\"willContinue\":true" };
        out.event("message", PART, &[&format!("{named}\"partialArgs\":[{}]{will_continue}", some.join(","))]);
        out.noise(noise);
        first = false;
    }
    if last_alone {
        out.event("message", PART, &[""]);
    }
}

pub(super) fn gemini_interactions(steps: &[SendStep], calls: &[PlannedCall], out: &mut EventWriter<'_>) {
    const NOISE: &[&str] = &[
        r#"{"interaction_id":"v1","status":"in_progress","event_type":"interaction.status_update"}"#,
        r#"{"index":90,"step":{"type":"thought","summary":[{"text":"no","type":"text"}]},"event_type":"step.start"}"#,
        r#"{"index":90,"delta":{"type":"thought_summary","content":{"type":"text","text":"no"}},"event_type":"step.delta"}"#,
        r#"{"index":90,"delta":{"signature":"no","type":"thought_signature"},"event_type":"step.delta"}"#,
        r#"{"index":90,"event_type":"step.stop"}"#,
    ];
    let stops = out.dice.below(4) < 3;
    // A call without arguments is final only if something says so.
    let finishes = !out.dice.once_in(4) || !stops;
    let start = r#"{"interaction":{"id":"v1","status":"in_progress","object":"interaction"},"event_type":"interaction.created"}"#;
    out.event("interaction.created", start, &[]);
    let mut started = Vec::new();
    for step in steps {
        let index = |i: &usize| started.iter().position(|one| one == i).unwrap_or(started.len()).to_string();
        match step {
            SendStep::Text(text) => {
                let text = string(text, out.dice);
                let template = out.dice.pick(&[
                    r#"{"index":91,"delta":{"text":$0,"type":"text"},"event_type":"step.delta"}"#,
                    r#"{"index":91,"step":{"type":"model_output","content":[{"type":"text","text":$0}]},"event_type":"step.start"}"#,
                    r#"{"event_type":"content.delta","index":91,"delta":{"type":"text","text":$0}}"#,
                ]);
                out.event("step.delta", template, &[&text]);
            }
            SendStep::Start(i, _) => {
                let call = &calls[*i];
                let (index, id, name) = (index(i), plain(call.id()), plain(call.tool));
                let arguments = if call.whole { &*call.arguments } else { out.dice.pick(&["{}", "{ }", "null"]) };
                let template = r#"{"index":$0,"step":{"type":"function_call","id":$1,"name":$2,"arguments":$3,"signature":"x"},"event_type":"step.start"}"#;
                out.event("step.start", template, &[&index, &id, &name, arguments]);
                started.push(*i);
            }
            SendStep::More(i, more) => {
                let (index, more) = (index(i), string(more, out.dice));
                let template = out.dice.pick(&[
                    r#"{"index":$0,"delta":{"type":"arguments_delta","arguments":$1},"event_type":"step.delta"}"#,
                    r#"{"index":$0,"delta":{"type":"arguments","partial_arguments":$1},"event_type":"step.delta"}"#,
                ]);
                out.event("step.delta", template, &[&index, &more]);
            }
            SendStep::End(i) if stops => {
                let index = index(i);
                out.event("step.stop", r#"{"index":$0,"event_type":"step.stop"}"#, &[&index]);
            }
            SendStep::End(_) => {}
        }
        out.noise(NOISE);
    }
    if finishes {
        let end =
            r#"{"interaction":{"id":"v1","status":"requires_action","usage":{}},"event_type":"interaction.completed"}"#;
        out.event("interaction.completed", end, &[]);
    }
    out.end(true);
}
