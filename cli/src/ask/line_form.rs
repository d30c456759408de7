//! Asks the questions of a form on the terminal, line by line.

use followup::QuestionKind;
use followup::dialogue::{Answer, Form, FormAnswer, FormQuestion};

use super::answers::{DISCUSSED, Decision};
use super::form_answers::{automatic_answers, default_answer, shown_answer, shown_in_review};
use super::label::without_mark;
use super::line_terminal::{Line, LineTerminal, no_choice};
use crate::error::Error;
use crate::sanitize::one_line;

/// A form that is being answered.
pub(super) struct FormPrompt<'p> {
    terminal: &'p mut LineTerminal,
    form: &'p Form,
    answers: Vec<FormAnswer>,
}

/// What happened at a question.
enum Asked {
    Answered,
    /// Nothing was typed before the countdown ended.
    NothingTyped,
    /// There is nobody.
    End,
}

impl<'p> FormPrompt<'p> {
    pub(super) fn new(terminal: &'p mut LineTerminal, form: &'p Form) -> FormPrompt<'p> {
        FormPrompt { terminal, form, answers: form.questions.iter().map(default_answer).collect() }
    }

    /// Asks all questions in order, and then whether to send the answers.
    pub(super) fn decide(mut self) -> Result<Decision, Error> {
        if let Some(title) = &self.form.title {
            self.terminal.write_text("", title)?;
        }
        let automatic = automatic_answers(self.form);
        for index in 0..self.form.questions.len() {
            match self.ask(index, automatic.is_some().then_some("the answers are sent"))? {
                Asked::Answered => {}
                Asked::End => return self.cancel(),
                Asked::NothingTyped => {
                    let Some(Answer::Form(answers)) = automatic else { return self.cancel() };
                    self.answers = answers;
                    self.write_answers("✓")?;
                    self.terminal.write_line("  taken because nobody typed")?;
                    return Ok(Decision::Answer(Answer::Form(self.answers)));
                }
            }
        }
        if let ([question], [answer]) = (&*self.form.questions, &*self.answers) {
            return match shown_answer(question, answer) {
                Some(shown) => {
                    self.terminal.write_line(&format!("✓ {shown}"))?;
                    Ok(Decision::Answer(Answer::Form(self.answers)))
                }
                None => self.cancel(),
            };
        }
        self.confirm()
    }

    fn cancel(self) -> Result<Decision, Error> {
        self.terminal.write_line("✗ not answered")?;
        Ok(Decision::Cancel)
    }

    /// Shows the answers, and asks whether to send them, or which to change.
    fn confirm(mut self) -> Result<Decision, Error> {
        let count = self.form.questions.len();
        self.write_answers("-")?;
        loop {
            let can_send = self.answers.iter().any(FormAnswer::is_answered);
            let send = if can_send { "an empty line sends the answers" } else { "nothing is answered" };
            let talk = if self.form.discuss { "c talks about it first, " } else { "" };
            let prompt =
                format!("{send}; 1 to {count} asks that question again; d declines, {talk}x leaves all unanswered");
            let Line::Typed(line) = self.terminal.read_line(&prompt, None)? else { return self.cancel() };
            match line.trim() {
                "" if can_send => {
                    self.terminal.write_line("✓ sent")?;
                    return Ok(Decision::Answer(Answer::Form(self.answers)));
                }
                "d" => {
                    self.terminal.write_line("✗ declined")?;
                    return Ok(Decision::Decline);
                }
                "c" if self.form.discuss => {
                    self.terminal.write_line(&format!("✗ {DISCUSSED}"))?;
                    return Ok(Decision::Discuss(self.answers));
                }
                "x" => return self.cancel(),
                number => {
                    let index = number.parse().ok().and_then(|number: usize| number.checked_sub(1));
                    if let Some(index) = index.filter(|&index| index < count) {
                        if let Asked::End = self.ask(index, None)? {
                            return self.cancel();
                        }
                        self.write_answers("-")?;
                    }
                }
            }
        }
    }

    fn write_answers(&mut self, mark: &str) -> Result<(), Error> {
        for (index, both) in self.form.questions.iter().zip(&self.answers).enumerate() {
            self.terminal.write_line(&format!("{mark} {}. {}", index + 1, shown_in_review(both)))?;
        }
        Ok(())
    }

    /// Asks a question until its answer can be accepted.
    fn ask(&mut self, index: usize, automatic: Option<&str>) -> Result<Asked, Error> {
        let Some(question) = self.form.questions.get(index) else { return Ok(Asked::Answered) };
        let default = self.answers.get(index).cloned().unwrap_or_default();
        self.write_question(index, question)?;
        let prompt = prompt(question, &default, self.form.questions.len() == 1);
        let mut refused = None;
        let answer = loop {
            let line = match self.terminal.read_line(&prompt, automatic)? {
                Line::Typed(line) => line,
                Line::NothingTyped => return Ok(Asked::NothingTyped),
                Line::End => return Ok(Asked::End),
            };
            if line.trim().is_empty() {
                let is_missing = question.required == Some(true) && !default.is_answered();
                if !is_missing {
                    break default;
                }
                self.terminal.write_line("This question has to be answered.")?;
                continue;
            }
            match parse_line(&line, question, refused.as_deref()) {
                Ok(answer) => break answer,
                Err(why) => self.terminal.write_line(&why)?,
            }
            refused = Some(line.trim().to_owned());
        };
        if let Some(of_question) = self.answers.get_mut(index) {
            *of_question = answer;
        }
        Ok(Asked::Answered)
    }

    fn write_question(&mut self, index: usize, question: &FormQuestion) -> Result<(), Error> {
        let count = self.form.questions.len();
        let header = question.header.as_deref().map(one_line);
        match (count, header) {
            (1, None) => {}
            (1, Some(header)) => self.terminal.write_line(&header)?,
            (_, None) => self.terminal.write_line(&format!("Question {} of {count}", index + 1))?,
            (_, Some(header)) => self.terminal.write_line(&format!("Question {} of {count}: {header}", index + 1))?,
        }
        self.terminal.write_text("? ", &question.text)?;
        if let Some(detail) = &question.detail {
            self.terminal.write_text("  ", detail)?;
        }
        for (index, option) in question.options.iter().enumerate() {
            let mode = option.mode.as_deref().map_or(String::new(), |mode| format!("[{}] ", one_line(mode)));
            let recommended = if option.recommended { " (recommended)" } else { "" };
            let description = option.description.as_deref().map_or(String::new(), |text| format!(": {text}"));
            let label = without_mark(&option.label, false);
            let mark = format!("  {}. ", index + 1);
            self.terminal.write_text(&mark, &format!("{mode}{label}{recommended}{description}"))?;
            for line in option.preview.iter().flat_map(|preview| preview.lines()) {
                self.terminal.write_text("     | ", line)?;
            }
        }
        Ok(())
    }
}

/// Returns the prompt for a question.
fn prompt(question: &FormQuestion, default: &FormAnswer, is_only: bool) -> String {
    let count = question.options.len();
    let numbers = match count {
        0 => None,
        1 => Some("1".to_owned()),
        _ if question.multiple == Some(true) => Some(format!("1 to {count}, several like 1,{count}")),
        _ => Some(format!("1 to {count}")),
    };
    let numbers = numbers.map(|numbers| numbers + if question.notes { " (1 note: … adds a note)" } else { "" });
    let own = match question.kind {
        _ if !question.takes_text() => None,
        Some(QuestionKind::Number) => Some("a number"),
        _ if count > 0 => Some("in your own words"),
        _ => Some("your answer"),
    };
    let hint = question.placeholder.as_deref().map(|hint| format!(", such as {}", one_line(hint)));
    let choices: Vec<String> =
        numbers.into_iter().chain(own.map(|own| own.to_owned() + &hint.unwrap_or_default())).collect();
    let empty = match shown_answer(question, default) {
        Some(default) => format!("an empty line keeps {}", one_line(&default)),
        None if question.required == Some(true) => "required".into(),
        None if is_only => "an empty line leaves it unanswered".into(),
        None => "an empty line skips it".into(),
    };
    format!("{}; {empty}", choices.join(", or "))
}

/// Parses a line, or says why it is no answer to the question.
///
/// A number that is none of the options is an answer if it was refused before.
fn parse_line(line: &str, question: &FormQuestion, refused: Option<&str>) -> Result<FormAnswer, String> {
    let (text, count) = (line.trim(), question.options.len());
    let picked = parse_picked(text, question, refused != Some(text));
    if let Some(answer) = picked.or_else(|| parse_noted(text, question)) {
        return answer;
    }
    if !question.takes_text() {
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

/// Parses options with a note, like `1 note: …`; `None` if the question takes none, or the text is
/// something else.
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
            _ if question.takes_text() && numbers.len() == 1 => return Err(no_choice(number, count)),
            _ => return Err(format!("{number} is none of the options: they are 1 to {count}.")),
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
        assert_eq!(parse("1,4", &several), Err("4 is none of the options: they are 1 to 3.".into()));
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
