//! The order in which the parts of a message are sent.

use followup::wire::Format;

use super::Dice;
use super::calls::PlannedCall;

/// One step of sending a message. Calls are indices.
#[derive(Clone, Debug)]
pub(super) enum SendStep {
    Text(Vec<u16>),
    Start(usize, Vec<u16>),
    More(usize, Vec<u16>),
    End(usize),
}

/// Cuts a text into fragments, inside surrogate pairs too if `splits_pairs`.
pub(super) fn fragments(text: &str, dice: &mut Dice, splits_pairs: bool) -> Vec<Vec<u16>> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let max_len = dice.pick(&[usize::MAX, 20, 7, 3, 1]);
    let (mut all, mut at) = (Vec::new(), 0);
    while at < units.len() {
        let size = if max_len > 40 { units.len() } else { 1 + dice.below(max_len) };
        let mut end = units.len().min(at + size);
        if !splits_pairs && end < units.len() && (0xDC00..=0xDFFF).contains(&units[end]) {
            end += 1;
        }
        all.push(units[at..end].to_vec());
        at = end;
    }
    all
}

/// The steps of sending a message, in order.
pub(super) fn plan(calls: &[PlannedCall], prose: &str, format: Format, dice: &mut Dice) -> Vec<SendStep> {
    // The text so far can be compared only if it is whole characters.
    let splits_pairs = dice.once_in(2) && !matches!(format, Format::DashScope | Format::Replicate);
    let is_sequential =
        matches!(format, Format::Gemini | Format::Ollama | Format::WorkersAi | Format::DashScope) || dice.once_in(2);
    let mut rows: Vec<Vec<SendStep>> =
        vec![fragments(prose, dice, splits_pairs).into_iter().map(SendStep::Text).collect()];
    for (i, call) in calls.iter().enumerate() {
        let mut row = Vec::new();
        let mut parts = if call.whole { Vec::new() } else { fragments(&call.arguments, dice, splits_pairs) };
        let first = format == Format::OpenAiChat && !parts.is_empty() && dice.once_in(2);
        row.push(SendStep::Start(i, if first { parts.remove(0) } else { Vec::new() }));
        row.extend(parts.into_iter().map(|part| SendStep::More(i, part)));
        row.push(SendStep::End(i));
        rows.push(row);
    }
    rows.iter_mut().for_each(|row| row.reverse());
    let (mut steps, mut open) = (Vec::new(), None);
    while rows.iter().any(|row| !row.is_empty()) {
        let mut row = open.filter(|_| is_sequential && !dice.once_in(8)).unwrap_or_else(|| dice.below(rows.len()));
        // Only prose may interrupt a call that is sent in sequence.
        if let Some(call) = open.filter(|call| is_sequential && row != *call) {
            row = if rows[0].is_empty() { call } else { 0 };
        }
        while rows[row].is_empty() {
            row = (row + 1) % rows.len();
        }
        let step = rows[row].pop();
        match step {
            Some(SendStep::Start(..)) => open = Some(row),
            Some(SendStep::End(_)) => open = None,
            _ => {}
        }
        steps.extend(step);
    }
    steps
}
