//! The shapes of reasoning that are not one string: parts, details, summaries.

use followup::wire::Format;
use serde_json::{Value, json};

use crate::reasoning::{chat, chat_end, events, json_lines};

type Body = (Format, &'static str, String);

/// Bodies in which these pieces are reasoning, and `Done.` is text.
pub fn bodies(pieces: &[String]) -> Vec<Body> {
    let whole = pieces.concat();
    [chat_completions(pieces, &whole), responses(pieces, &whole), interactions(pieces, &whole)].concat()
}

/// <https://docs.mistral.ai/capabilities/reasoning/>,
/// <https://openrouter.ai/docs/guides/best-practices/reasoning-tokens>
fn chat_completions(pieces: &[String], whole: &str) -> Vec<Body> {
    let streamed = |delta: &dyn Fn(&str) -> Value| {
        let deltas = pieces.iter().map(|piece| chat(&delta(piece)));
        let all: Vec<_> = deltas.chain([chat(&json!({"content": "Done."})), chat_end()]).collect();
        events(&all)
    };
    let thinking = |text: &str| json!({"type": "thinking", "thinking": [{"type": "text", "text": text}]});
    let message = json!({"role": "assistant", "content": [thinking(whole), {"type": "text", "text": "Done."}]});
    let text =
        |piece: &str| json!({"type": "reasoning.text", "text": piece, "format": "anthropic-claude-v1", "index": 0});
    let summary = |piece: &str| json!({"type": "reasoning.summary", "summary": piece, "format": "openai-responses-v1", "index": 0});
    let encrypted = json!({"type": "reasoning.encrypted", "data": "x", "index": 1});
    let bodies = [
        ("Mistral, deltas", streamed(&|piece| json!({"content": [thinking(piece)]}))),
        ("Mistral, a string", streamed(&|piece| json!({"content": [{"type": "thinking", "thinking": piece}]}))),
        (
            "Mistral, not streamed",
            json!({"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}).to_string(),
        ),
        ("OpenRouter, text", streamed(&|piece| json!({"content": "", "reasoning_details": [text(piece)]}))),
        (
            "OpenRouter, a summary",
            streamed(&|piece| json!({"reasoning": null, "reasoning_details": [summary(piece), encrypted]})),
        ),
        (
            "OpenRouter, also as text",
            streamed(&|piece| json!({"reasoning": piece, "reasoning_details": [text(piece)]})),
        ),
        (
            "OpenRouter, not streamed",
            json!({"choices": [{"index": 0, "finish_reason": "stop", "message":
                {"content": "Done.", "reasoning_details": [text(&pieces[0]), text(&pieces[1])]}}]})
            .to_string(),
        ),
    ];
    bodies.map(|(what, body)| (Format::OpenAiChat, what, body)).to_vec()
}

/// <https://platform.openai.com/docs/api-reference/responses-streaming/response/reasoning_summary_text>
fn responses(pieces: &[String], whole: &str) -> Vec<Body> {
    let event = |kind: &str, mut payload: Value| {
        payload["type"] = format!("response.{kind}").into();
        payload["output_index"] = 0.into();
        payload
    };
    let of_part = |kind: &str, index: usize, mut payload: Value| {
        payload["item_id"] = "rs".into();
        payload["summary_index"] = index.into();
        event(kind, payload)
    };
    let part = |text: &str| json!({"type": "summary_text", "text": text});
    let text = json!({"type": "message", "content": [{"type": "output_text", "text": "Done."}]});
    let item = |summary: Value, content: Value| json!({"type": "reasoning", "id": "rs", "summary": summary, "content": content});
    let completed =
        |item: Value| event("completed", json!({"response": {"status": "completed", "output": [item, text]}}));
    let deltas = pieces.iter().map(|piece| of_part("reasoning_summary_text.delta", 0, json!({"delta": piece})));
    let one = item(json!([part(whole)]), Value::Null);
    let repeated = [
        of_part("reasoning_summary_text.done", 0, json!({"text": whole})),
        of_part("reasoning_summary_part.done", 0, json!({"part": part(whole)})),
        event("output_item.done", json!({"item": one})),
        completed(one.clone()),
    ];
    let two = item(json!([part(&pieces[0]), part(&pieces[1])]), json!([]));
    let parts = pieces.iter().enumerate();
    let parts = parts.map(|(i, piece)| of_part("reasoning_summary_text.delta", i, json!({"delta": piece})));
    let both = item(json!([part("A summary.")]), json!([{"type": "reasoning_text", "text": whole}]));
    let bodies = [
        ("a summary, up to five times", deltas.chain(repeated).collect()),
        ("two summaries", parts.chain([completed(two.clone())]).collect()),
        ("two summaries at the end only", vec![completed(two)]),
        ("the content, and a summary", vec![completed(both)]),
    ];
    bodies.map(|(what, payloads): (_, Vec<Value>)| (Format::OpenAiResponses, what, events(&payloads))).to_vec()
}

/// <https://ai.google.dev/gemini-api/docs/interactions/streaming>
fn interactions(pieces: &[String], whole: &str) -> Vec<Body> {
    let event = |kind: &str, index: u64, mut payload: Value| {
        payload["event_type"] = kind.into();
        payload["index"] = index.into();
        payload
    };
    let summary = |text: &str| json!({"type": "text", "text": text});
    let of = |unit: &str, field: &str| {
        let kind = |what: &str| format!("{unit}.{what}");
        let thought = |piece: &String| {
            let delta = json!({"type": "thought_summary", "content": summary(piece)});
            event(&kind("delta"), 0, json!({"delta": delta}))
        };
        let mut all = vec![event(&kind("start"), 0, json!({field: {"type": "thought"}}))];
        all.extend(pieces.iter().map(thought));
        all.push(event(&kind("delta"), 0, json!({"delta": {"type": "thought_signature", "signature": "x"}})));
        all.push(event(&kind("stop"), 0, json!({})));
        all.push(event(&kind("delta"), 1, json!({"delta": summary("Done.")})));
        all.push(json!({"event_type": "interaction.completed", "interaction": {"status": "completed"}}));
        events(&all)
    };
    let not_streamed = |steps: &str, answer: Value| {
        let thought = json!({"type": "thought", "signature": "x", "summary": [summary(whole)]});
        json_lines(&[
            json!({"id": "v1_x", "object": "interaction", "status": "completed", "model": "m", steps: [thought, answer]}),
        ])
    };
    let output = json!({"type": "model_output", "content": [summary("Done.")]});
    let bodies = [
        ("steps", of("step", "step")),
        ("contents", of("content", "content")),
        ("not streamed", not_streamed("steps", output)),
        ("not streamed, contents", not_streamed("outputs", summary("Done."))),
    ];
    bodies.map(|(what, body)| (Format::GeminiInteractions, what, body)).to_vec()
}
