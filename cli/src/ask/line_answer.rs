//! What can be typed to answer a question of a form, and what a typed line means.

use followup::QuestionKind;
use followup::dialogue::{FormAnswer, FormQuestion};

use super::form_answers::shown_answer;
use super::label::without_mark;
use super::line_terminal::no_choice;
use crate::sanitize::one_line;

/// Returns the prompt for a question.
pub(super) fn prompt(question: &FormQuestion, default: &FormAnswer, is_only: bool) -> String {
    let count = question.options.len();
    let numbers = match count {
        0 => None,
        1 => Some("1".to_owned()),
        _ if question.multiple == Some(true) => Some(format!("1 to {count}, several like 1,{count}")),
        _ => Some(format!("1 to {count}")),
    };
    let numbers = numbers.map(|numbers| numbers + if question.notes { " (1 note: … adds a note)" } else { "" });
    let own = match question.kind {
        _ if !question.allows_text() => None,
        Some(QuestionKind::Number) => Some("a number"),
        _ if count > 0 => Some("in your own words"),
        _ => Some("your answer"),
    };
    let hint = question.placeholder.as_deref().map(|hint| format!(", such as {}", one_line(hint)));
    let choices: Vec<String> =
        numbers.into_iter().chain(own.map(|own| own.to_owned() + &hint.unwrap_or_default())).collect();
    let empty = match shown_answer(question, default) {
        Some(default) => format!("an empty line keeps {}", one_line(&default)),
        None if is_only => "an empty line leaves it unanswered or declines it".into(),
        None if question.required == Some(true) => "required".into(),
        None => "an empty line skips it".into(),
    };
    format!("{}; {empty}", choices.join(", or "))
}

/// Parses a line, or says why it is no answer to the question.
///
/// A number that is not one of the options is an answer if it was refused before.
pub(super) fn parse_line(line: &str, question: &FormQuestion, refused: Option<&str>) -> Result<FormAnswer, String> {
    let (text, count) = (line.trim(), question.options.len());
    let picked = parse_picked(text, question, refused != Some(text));
    if let Some(answer) = picked.or_else(|| parse_noted(text, question)) {
        return answer;
    }
    if !question.allows_text() {
        return Err(format!("Type the number of an option, from 1 to {count}."));
    }
    let is_json_number = || serde_json::from_str::<serde_json::Number>(text).is_ok();
    if question.kind == Some(QuestionKind::Number) && !is_json_number() {
        return Err(format!("{text} is no number."));
    }
    Ok(FormAnswer::text(line))
}

/// Parses numbers of options, or the label of one; `None` if the text is something else.
///
/// Without `takes_numbers`, numbers are something else.
fn parse_picked(text: &str, question: &FormQuestion, takes_numbers: bool) -> Option<Result<FormAnswer, String>> {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = text.split([',', ' ']).filter(|part| !part.is_empty()).collect();
    let is_picking = takes_numbers && !question.options.is_empty() && !parts.is_empty();
    if is_picking && parts.iter().all(|part| is_number(part)) {
        return Some(pick(&parts, question));
    }
    let is_label = |label: &str| label == text || without_mark(label, false).eq_ignore_ascii_case(text);
    let option = question.options.iter().position(|option| is_label(&option.label))?;
    Some(Ok(FormAnswer::picked([option])))
}

/// Parses options with a note, like `1 note: …`.
///
/// `None` if the question takes none, or the text is something else.
fn parse_noted(text: &str, question: &FormQuestion) -> Option<Result<FormAnswer, String>> {
    // ASCII letters in lower case are as long as before.
    let at = text.to_ascii_lowercase().find(NOTE).filter(|_| question.notes)?;
    let note = text[at + NOTE.len()..].trim();
    let answer = parse_picked(text[..at].trim(), question, true)?;
    Some(answer.map(|answer| FormAnswer { note: (!note.is_empty()).then(|| note.to_owned()), ..answer }))
}

/// What separates options from a note.
const NOTE: &str = " note:";

/// Returns the answer with the options of these numbers.
fn pick(numbers: &[&str], question: &FormQuestion) -> Result<FormAnswer, String> {
    let count = question.options.len();
    let mut picked = Vec::new();
    for number in numbers {
        match number.parse::<usize>() {
            Ok(option) if (1..=count).contains(&option) => picked.push(option - 1),
            _ if question.allows_text() && numbers.len() == 1 => return Err(no_choice(number, count)),
            _ => return Err(format!("{number} is not one of the options: they are 1 to {count}.")),
        }
    }
    picked.sort_unstable();
    picked.dedup();
    if picked.len() > 1 && question.multiple != Some(true) {
        return Err(format!("Only one option can be chosen, from 1 to {count}."));
    }
    Ok(FormAnswer::picked(picked))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn question(fields: &str) -> FormQuestion {
        let options = r#""options":[{"label":"A"},{"label":"B"},{"label":"C"}]"#;
        serde_json::from_str(&format!(
            r#"{{"text":"Q?",{}{fields}}}"#,
            if fields.contains("kind") { "" } else { options }
        ))
        .unwrap()
    }

    #[test]
    fn a_line_is_numbers_or_words() {
        let (one, several) = (question(""), question(r#","multiple":true"#));
        let parse = |line, question| parse_line(line, question, None);
        assert_eq!(parse(" 2 ", &one), Ok(FormAnswer::picked([1])));
        assert_eq!(parse("3, 1,1", &several), Ok(FormAnswer::picked([0, 2])));
        assert_eq!(parse("1 2", &several), Ok(FormAnswer::picked([0, 1])));
        assert_eq!(parse("b", &one), Ok(FormAnswer::picked([1])));
        assert_eq!(parse("1 or 2", &several), Ok(FormAnswer::text("1 or 2")));
        assert_eq!(parse("1,2", &one), Err("Only one option can be chosen, from 1 to 3.".into()));
        assert_eq!(parse("1,4", &several), Err("4 is not one of the options: they are 1 to 3.".into()));
        assert!(parse("80", &one).unwrap_err().contains("type it again"));
        assert_eq!(parse_line("80", &one, Some("80")), Ok(FormAnswer::text("80")));
    }

    #[test]
    fn a_note_follows_the_options_where_the_reply_has_a_place_for_one() {
        let (noted, several) = (question(r#","notes":true"#), question(r#","multiple":true,"notes":true"#));
        let parse = |line, question| parse_line(line, question, None);
        let with =
            |picked: &[usize], note: &str| Ok(FormAnswer { note: Some(note.into()), ..FormAnswer::picked(picked) });
        assert_eq!(parse("2 note: not on Friday ", &noted), with(&[1], "not on Friday"));
        assert_eq!(parse("b NOTE:a note: b", &noted), with(&[1], "a note: b"));
        assert_eq!(parse("1,3 note: é", &several), with(&[0, 2], "é"));
        assert_eq!(parse("1 note: ", &noted), Ok(FormAnswer::picked([0])));
        assert_eq!(parse("1,2 note: x", &noted), Err("Only one option can be chosen, from 1 to 3.".into()));
        assert_eq!(parse("please note: x", &noted), Ok(FormAnswer::text("please note: x")));
        assert_eq!(parse("1 note: x", &question("")), Ok(FormAnswer::text("1 note: x")));
    }

    #[test]
    fn a_line_is_refused_where_it_can_not_be_an_answer() {
        let closed = question(r#","custom":false"#);
        let number = question(r#""kind":"number""#);
        assert_eq!(parse_line("D", &closed, None), Err("Type the number of an option, from 1 to 3.".into()));
        assert_eq!(parse_line("9", &closed, Some("9")), Err("Type the number of an option, from 1 to 3.".into()));
        assert_eq!(parse_line("many", &number, None), Err("many is no number.".into()));
        assert_eq!(parse_line(" 1.5 ", &number, None), Ok(FormAnswer::text(" 1.5 ")));
    }

    #[test]
    fn a_prompt_says_what_can_be_typed() {
        let none = FormAnswer::default();
        for (fields, said) in [
            ("", "1 to 3, or in your own words; an empty line skips it"),
            (r#","notes":true"#, "1 to 3 (1 note: … adds a note), or in your own words; an empty line skips it"),
            (r#","multiple":true,"custom":false"#, "1 to 3, several like 1,3; an empty line skips it"),
            (r#","required":true"#, "1 to 3, or in your own words; required"),
            (r#""kind":"number","placeholder":"8080""#, "a number, such as 8080; an empty line skips it"),
            (r#""kind":"text""#, "your answer; an empty line skips it"),
        ] {
            assert_eq!(prompt(&question(fields), &none, false), said);
        }
        assert_eq!(
            prompt(&question(""), &FormAnswer::picked([1]), true),
            "1 to 3, or in your own words; an empty line keeps B"
        );
    }
}
