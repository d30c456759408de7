//! Tests of the effects of keys, mouse and time.

use super::forms::scene_of;
use super::*;
use crate::ask::screen::app::Quit;

const ENTER: KeyCode = KeyCode::Enter;
const ESC: KeyCode = KeyCode::Esc;

/// Returns a scene with an open question.
fn scene() -> Scene {
    let mut scene = Scene::new(60, 20);
    scene.writes(&asked("Which?", &["This", "That"]));
    scene
}

fn answer(text: &str) -> String {
    format!("<answer>\n{text}\n</answer>")
}

#[test]
fn a_suggestion_is_taken_by_its_number_by_arrows_and_by_the_mouse() {
    for (act, taken) in [
        ((|scene| scene.types("2")) as fn(&mut Scene) -> &mut Scene, "That"),
        (|scene| scene.press(ENTER), "This"),
        (|scene| scene.press(KeyCode::Down).press(ENTER), "That"),
        (|scene| scene.types("jjj").press(ENTER), "That"),
        (|scene| scene.types("kk").press(ENTER), "This"),
        (|scene| scene.press(KeyCode::Up).press(KeyCode::Up).press(ENTER), "That"),
        (|scene| scene.press(KeyCode::End).press(KeyCode::Up).press(ENTER), "That"),
        (|scene| scene.press(KeyCode::End).press(KeyCode::Home).press(ENTER), "This"),
        (|scene| scene.clicks(3), "That"),
    ] {
        let mut scene = scene();
        act(&mut scene);
        assert_eq!(scene.replies(), [answer(taken)]);
    }
}

#[test]
fn keys_and_clicks_that_are_no_choice_do_nothing() {
    let mut scene = scene();
    scene
        .key(KeyCode::Char('1'), KeyModifiers::ALT)
        .types("3")
        .types("0")
        .types("x")
        .clicks(0)
        .clicks(19)
        .press(KeyCode::F(5));
    assert!(scene.replies().is_empty());
    // Pressed on one row, released on another.
    scene.mouse(MouseEventKind::Down(MouseButton::Left), 2).mouse(MouseEventKind::Up(MouseButton::Left), 3);
    assert!(scene.replies().is_empty());
}

#[test]
fn an_edited_suggestion_keeps_its_mode() {
    let mut scene = Scene::new(60, 20);
    scene.writes(&call()).press(KeyCode::Down).types("e 3").press(ENTER);
    let reply = &scene.replies[0];
    assert_eq!((&*reply.text, reply.mode.as_deref()), (&*answer("SQLite 3"), Some("code")));
}

#[test]
fn an_answer_may_have_several_lines_and_wide_characters() {
    let mut scene = scene();
    scene.types("wein\n日本").control('j').types("👍").pastes("a\r\nb").press(ENTER);
    assert_eq!(scene.replies(), [answer("ein\n日本\n👍a\nb")]);
}

#[test]
fn pasting_among_the_choices_begins_ones_own_answer() {
    let mut scene = scene();
    scene.pastes("1\r2").press(ENTER);
    assert_eq!(scene.replies(), [answer("1\n2")]);
}

#[test]
fn a_click_in_the_editor_moves_the_cursor() {
    let mut scene = scene();
    scene.types("wabcdefgh");
    let (_, row) = scene.cursor.unwrap();
    // The eighth column.
    scene.clicks(row).types("!").press(ENTER);
    assert_eq!(scene.replies(), [answer("abcdefgh!")]);
}

#[test]
fn drafts_are_kept_until_the_question_is_answered() {
    let mut scene = scene();
    scene
        .types("wmine")
        .press(ESC)
        .press(KeyCode::Home)
        .types("e and more")
        .press(ESC)
        .press(KeyCode::Tab)
        .sees("mine");
    scene.press(ESC).press(KeyCode::Home).types("e").sees("This and more").types("!").press(ENTER);
    scene.sees("lose what you have written for other").types("y");
    assert_eq!(scene.replies(), [answer("This and more!")]);
    scene.writes(&asked("And?", &["A"])).types("w").misses("mine");
}

#[test]
fn an_empty_answer_is_refused_unless_it_has_an_image() {
    let mut scene = scene();
    scene.types("w \n").press(ENTER).sees("There is nothing to send yet");
    assert!(scene.replies().is_empty());
    scene.control('o').types("sketch.gif").press(ENTER).sees("+ sketch.gif").press(ENTER);
    assert_eq!(scene.replies[0].images.len(), 1);
    assert_eq!(scene.replies(), [answer(" \n")]);
}

#[test]
fn images_are_sent_once_in_order_and_can_be_removed() {
    let mut scene = scene();
    scene.types("inone.gif").press(ENTER).sees("there is no such file").sees("none.gif").control('u');
    scene.pastes("sketch.gif").press(ENTER).types("i").types("sketch.gif").press(ENTER);
    assert_eq!(scene.app.images.len(), 2);
    scene.types("i").press(KeyCode::Backspace).sees("will not be sent").press(ESC).types("1");
    assert_eq!(scene.replies[0].images.len(), 1);
    assert!(scene.app.images.is_empty());
}

#[test]
fn attaching_an_image_returns_to_the_draft() {
    let mut scene = scene();
    scene.types("wsee").control('o').press(ESC).types(" it").control('o').types("sketch.gif").press(ENTER);
    scene.types("!").press(ENTER);
    assert_eq!(scene.replies(), [answer("see it!")]);
}

#[test]
fn leaving_a_question_has_to_be_confirmed() {
    let mut scene = scene();
    scene.press(ESC).sees("Leave the question unanswered?").press(ENTER).misses("Leave the").press(ESC).types("x1");
    assert_eq!(scene.replies(), [answer("This")]);
    scene.writes(&asked("And?", &[])).press(ESC).types("n").sees("Your answer").press(ESC).press(ESC);
    scene.sees("Your answer").press(ESC).types("y");
    assert_eq!(scene.replies()[1], "The user denied this operation.");
    assert!(scene.app.has_failed);
}

#[test]
fn combinations_with_control_and_alt_confirm_nothing() {
    let arguments = r#"{"questions":[{"question":"Which?","options":[{"label":"A"},{"label":"B"}]}]}"#;
    for (char, modifiers) in
        [('d', KeyModifiers::CONTROL), ('c', KeyModifiers::ALT), ('y', KeyModifiers::CONTROL), ('y', KeyModifiers::ALT)]
    {
        let mut scene = scene_of("AskUserQuestion", arguments);
        scene.press(ESC).sees("any other key goes back").key(KeyCode::Char(char), modifiers);
        scene.misses("any other key goes back");
        assert!(scene.replies().is_empty(), "{char} {modifiers:?}");
        assert!(scene.app.open_question.is_some(), "{char} {modifiers:?}");
    }
}

#[test]
fn a_paste_that_no_field_takes_is_reported() {
    let closed = r#""allowFreeformInput":false,"header":"One","options":[{"label":"A"},{"label":"B"}]"#;
    let open = r#"{"question":"And?","header":"Two","options":[{"label":"C"},{"label":"D"}]}"#;
    let mut scene =
        scene_of("vscode_askQuestions", &format!(r#"{{"questions":[{{"question":"Which?",{closed}}},{open}]}}"#));
    let told = "Nothing was pasted: no text is taken here.";
    scene.pastes("words").sees(told).types("1").sees("? And?").types("1").sees("Send these answers?").misses(told);
    scene.pastes("words").sees(told);
    assert!(scene.replies().is_empty());
}

#[test]
fn images_are_not_offered_where_the_reply_can_not_have_any() {
    let mut scene = Scene::new(120, 20);
    scene.writes(&asked("Which?", &["This", "That"])).sees("i image");
    scene.app.sends_images = false;
    scene.waits(1).misses("i image").types("i").sees("Replies as text have no images").misses("Path of an image");
    scene.types("w").misses("Ctrl-O image").control('o').sees("Replies as text have no images");
}

#[test]
fn esc_pressed_twice_leaves_nothing() {
    let mut scene = scene();
    scene.press(ESC).sees("any other key goes back").press(ESC).misses("Leave the question").press(ESC).press(ESC);
    assert!(scene.replies().is_empty());
}

#[test]
fn keys_pressed_before_a_question_is_visible_do_not_answer_it() {
    let mut scene = Scene::new(60, 20);
    scene.writes("Hm.").types("1\r");
    let message = asked("Which?", &["This", "That"]);
    scene.feeds(Some(message.as_bytes()));
    // The question has arrived, but has not been drawn.
    scene.app.key(KeyEvent::from(KeyCode::Char('1')), scene.now);
    scene.app.paste("2");
    scene.app.mouse(MouseEvent {
        kind: MouseEventKind::Down(MouseButton::Left),
        column: 8,
        row: 4,
        modifiers: KeyModifiers::NONE,
    });
    scene.draw();
    scene.mouse(MouseEventKind::Up(MouseButton::Left), 4);
    assert!(scene.replies().is_empty());
    scene.types("2");
    assert_eq!(scene.replies(), [answer("That")]);
}

#[test]
fn questions_are_asked_one_at_a_time_in_order() {
    let mut scene = scene();
    scene.writes(&asked("Second?", &["B"])).writes(&asked("Third?", &["C"]));
    scene.misses("Second?").misses("Third?").sees("2 more questions");
    scene.types("1").sees("Second?").misses("Third?").sees("1 more question");
    scene.becomes_answerable().types("1").sees("Third?").becomes_answerable().types("1").ends();
    assert_eq!(scene.replies(), [answer("This"), answer("B"), answer("C")]);
    assert!(scene.app.is_done());
}

#[test]
fn the_message_may_end_before_the_question_is_answered() {
    let mut scene = scene();
    scene.ends();
    assert!(!scene.app.is_done());
    scene.types("1");
    assert!(scene.app.is_done() && !scene.app.has_failed);
}

#[test]
fn a_rejected_call_has_a_reply_and_replies_are_in_order() {
    const BAD: &str = "<ask_followup_question></ask_followup_question>";
    let mut scene = Scene::new(60, 20);
    scene.writes(BAD).sees("rejected: Missing required").sees("so the model is told");
    assert_eq!(scene.replies(), ["Missing required parameter 'question'"]);
    assert!(scene.app.has_failed);
    scene.writes(&asked("Which?", &["This", "That"])).writes(BAD);
    assert_eq!(scene.replies().len(), 1, "the reply of the open question comes first");
    scene.types("1");
    assert_eq!(scene.replies()[1..], [&*answer("This"), "Missing required parameter 'question'"]);
}

#[test]
fn a_click_in_the_editor_view_only_returns_to_the_choices() {
    let mut scene = scene();
    scene.types("wmine").clicks(3).sees("❯ 2  That").misses("── Your answer");
    assert!(scene.replies().is_empty());
    scene.types("w").sees("mine").press(ESC).types("?").clicks(2).misses("── Keys").types("i").clicks(2);
    scene.press(ESC).sees("Leave the question").clicks(2).misses("Leave the question");
    assert!(scene.replies().is_empty());
    scene.clicks(2).sees("Take suggestion 1, and lose what you have written?").types("y");
    assert_eq!(scene.replies(), [answer("This")]);
}

#[test]
fn a_held_key_does_not_answer_the_next_question() {
    let mut scene = scene();
    scene.writes(&asked("Second?", &["A", "B"])).press(ENTER).sees("Second?");
    for _ in 0..30 {
        scene.now += Duration::from_millis(40);
        scene.app.key(KeyEvent::from(ENTER), scene.now);
        scene.draw();
    }
    assert_eq!(scene.replies(), [answer("This")]);
    scene.becomes_answerable().press(ENTER);
    assert_eq!(scene.replies(), [answer("This"), answer("A")]);
}

#[test]
fn an_unsent_draft_is_mentioned_and_kept() {
    let mut scene = scene();
    scene.types("e!").press(ESC).sees("You have changed it: e continues with that").press(KeyCode::Down);
    scene.misses("You have changed it").press(ESC).sees("and lose what you have").types("n");
    scene.press(KeyCode::Up).types("e").press(ENTER);
    assert_eq!(scene.replies(), [answer("This!")]);
}

#[test]
fn typing_on_ones_own_words_begins_the_answer() {
    for first in ["k", "?", "2", "/", "é", "日"] {
        let mut scene = scene();
        scene.press(KeyCode::End).types(first).types(" and more").press(ENTER);
        assert_eq!(scene.replies(), [answer(&format!("{first} and more"))]);
    }
    // Ctrl and Alt type nothing, and a question that has just appeared is not answered.
    let mut scene = scene();
    scene.press(KeyCode::End).key(KeyCode::Char('b'), KeyModifiers::ALT).control('b').sees("In your own").misses("──");
    scene.types("a").press(ESC).sees("❯ ✎").types("b").sees("ab");
}

#[test]
fn a_draft_is_not_lost_without_a_question() {
    for act in [
        (|scene| scene.types("2")) as fn(&mut Scene) -> &mut Scene,
        (|scene| scene.press(KeyCode::Home).press(ENTER)),
        (|scene| scene.clicks(3)),
    ] {
        let mut scene = scene();
        scene.types("wmine").press(ESC).press(KeyCode::Home);
        act(&mut scene).sees("lose what you have written").press(ENTER).misses("lose what you have written");
        assert!(scene.replies().is_empty());
        act(&mut scene).types("y");
        assert_eq!(scene.replies().len(), 1, "{}", scene.shown());
    }
    // Escape leaves nothing unanswered that has a draft.
    let mut scene = scene();
    scene.types("wmine").press(ESC).press(ESC).sees("and lose what you have").press(ESC).misses("lose");
    scene.sees("You have begun an answer of your own: typing").press(KeyCode::Up).sees("own: w continues");
    scene.types("w").sees("mine");
    assert!(scene.replies().is_empty());
}

#[test]
fn a_number_may_have_two_digits() {
    let suggestions: Vec<String> = (1..=23).map(|i| format!("answer {i}")).collect();
    let suggestions: Vec<&str> = suggestions.iter().map(|one| &**one).collect();
    for (keys, taken) in
        [("12", 12), ("23", 23), ("3", 3), ("2\r", 2), ("20", 20), ("1x3", 3), ("x03", 3), ("2/4\r", 4)]
    {
        let mut scene = Scene::new(60, 40);
        scene.writes(&asked("Which?", &suggestions));
        for key in keys.chars() {
            scene.press(if key == '\r' { ENTER } else { KeyCode::Char(key) });
        }
        assert_eq!(scene.replies(), [answer(&format!("answer {taken}"))], "{keys}");
    }
    let mut scene = Scene::new(60, 40);
    scene.writes(&asked("Which?", &suggestions)).types("1").sees("❯ 1").sees("1: Enter takes it, and another digit");
    assert!(scene.types("x").misses("another digit").types("24").misses("another digit").replies().is_empty());
}

#[test]
fn suggestions_are_filtered() {
    let mut scene = Scene::new(60, 20);
    scene.writes(&asked("Which?", &["Alpha", "Beta", "Gamma", "Delta beta"]));
    scene.types("/").sees("── Suggestions that contain").types("BET").sees("❯ 2  Beta").sees("  4  Delta beta");
    scene.misses("Alpha").misses("Gamma").misses("In your own").press(KeyCode::Down).sees("❯ 4").press(KeyCode::Down);
    scene.sees("❯ 4").press(KeyCode::Up).sees("❯ 2").types("ax").sees("No suggestion contains that").press(ENTER);
    scene.press(KeyCode::Backspace).sees("❯ 2").press(ESC).sees("Alpha").sees("In your own").sees("❯ 2");
    scene.types("/d").sees("❯ 4  Delta beta").press(ENTER);
    assert_eq!(scene.replies(), [answer("Delta beta")]);
    // The next question is not filtered.
    scene.writes(&asked("And?", &["Epsilon"])).sees("❯ 1  Epsilon").sees("In your own");
}

#[test]
fn the_list_of_keys_scrolls_on_a_low_screen() {
    let mut scene = Scene::new(60, 8);
    scene.types("?").sees("choose (k j").misses("Ctrl-Z       suspend").sees("▼ ");
    scene.press(KeyCode::End).sees("Ctrl-Z       suspend").misses("choose (k j").misses("▼ ").press(KeyCode::Up);
    scene.misses("Ctrl-Z       suspend").press(KeyCode::Home).sees("choose (k j").press(KeyCode::PageDown);
    scene.misses("choose (k j").mouse(MouseEventKind::ScrollUp, 3).mouse(MouseEventKind::ScrollUp, 3);
    scene.sees("choose (k j").types("x").misses("choose (k j");
    // F1 works where a question mark is text.
    let mut scene = self::scene();
    scene.types("w?").press(KeyCode::F(1)).sees("── Keys").types("x").misses("── Keys").sees("?").press(ENTER);
    assert_eq!(scene.replies(), [answer("?")]);
}

#[test]
fn a_narrow_footer_keeps_the_key_for_the_list_of_keys() {
    for width in 8..80 {
        let mut scene = Scene::new(width, 20);
        scene.sees("? keys").writes(&asked("Which?", &["This", "That"])).sees("? keys").types("w").sees("F1 keys");
    }
}

#[test]
fn notes_are_folded_away() {
    let mut scene = Scene::new(80, 20);
    scene.writes(&asked("Which?", &["This", "That"])).misses("n notes").types("1");
    let repaired = "<ask_followup_question><question>Where?<follow_up><suggest>In [path]</suggest></follow_up>\
        </ask_followup_question>";
    scene.writes(repaired).sees("▸ 3 notes: n shows them").sees("n notes").misses("note: ").misses("advice: ");
    scene
        .types("n")
        .sees("  note: ")
        .sees("  advice: suggestion 1 has a placeholder")
        .misses("▸")
        .types("n")
        .sees("▸ 3");
    scene.types("wn").sees("── Your answer").sees("▸ 3 notes").press(ESC).press(KeyCode::Home).types("1").types("y");
    scene.misses("notes").ends();
}

#[test]
fn calls_of_other_tools_are_one_line_each() {
    let mut scene = Scene::new(80, 24);
    scene.writes("See <read_file>\n<path>src").sees("▸ read_file <path>src").misses("<read_file>");
    scene.writes("/main.rs</path>\n</read_file>\n\n<list_files><path>.</path></list_files>\nAnd then");
    let rows = scene.rows();
    assert_eq!(rows[2..6], ["▸ read_file <path>src/main.rs</path>", "▸ list_files <path>.</path>", "", "And then"]);
    scene
        .sees("o other calls")
        .types("o")
        .sees("<read_file>")
        .sees("</list_files>")
        .misses("▸")
        .types("o")
        .sees("▸ list");
    scene.writes(&format!("<read_file>{}</read_file>", "x y ".repeat(9_999))).sees("▸ read_file x y x").sees("y…");
    // While a question is open, too.
    scene.writes(&asked("Which?", &["This"])).types("o").sees("x y x y").misses("▸ read_file").types("o");
}

#[test]
fn native_calls_of_other_tools_that_overlap_are_one_line_each() {
    let delta = |index: usize, arguments: &str| {
        let name =
            if arguments.is_empty() { serde_json::json!(format!("tool{index}")) } else { serde_json::Value::Null };
        let function = serde_json::json!({"name": name, "arguments": arguments});
        let call = serde_json::json!({"index": index, "id": format!("c{index}"), "function": function});
        format!("data: {}\n\n", serde_json::json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
    };
    let mut scene = Scene::with(60, 24, None, Format::OpenAiChat);
    for (index, arguments) in [(0, ""), (0, "{\"a\""), (1, ""), (1, "{}"), (0, ":1}")] {
        scene.writes(&delta(index, arguments));
    }
    scene.ends();
    assert_eq!(scene.rows()[..2], ["▸ tool0 {\"a\":1}", "▸ tool1 {}"]);
    scene.types("o");
    assert_eq!(scene.rows()[..3], ["tool0 {\"a\":1}", "", "tool1 {}"]);
}

#[test]
fn a_question_that_came_twice_is_on_the_screen_once() {
    let event = |delta: serde_json::Value| {
        format!("data: {}\n\n", serde_json::json!({"choices": [{"index": 0, "delta": delta}]}))
    };
    let arguments = serde_json::json!({"question": "Tea?"});
    let call = serde_json::json!({"name": "ask_followup_question", "arguments": arguments});
    let leaked = event(serde_json::json!({"content": format!("<tool_call>{call}</tool_call>")}));
    let function = serde_json::json!({"name": "ask_followup_question", "arguments": arguments.to_string()});
    let native = event(serde_json::json!({"tool_calls": [{"index": 0, "id": "c", "function": function}]}));
    let mut scene = Scene::with(60, 24, None, Format::OpenAiChat);
    scene.writes(&leaked).sees("Tea?").writes(&native).ends();
    let shown = scene.rows().iter().filter(|row| row.contains("Tea?")).count();
    assert_eq!(shown, 1, "{:?}", scene.rows());
    scene.misses("rejected").becomes_answerable().types("wNo").press(ENTER);
    assert_eq!(scene.replies().len(), 1);
}

#[test]
fn tab_completes_the_path_of_an_image() {
    let mut scene = scene();
    scene.types("isk").press(KeyCode::Tab).sees("sketch.gif").misses("begins like").press(ENTER).sees("+ sketch.gif");
    scene.types("ix").press(KeyCode::Tab).sees("No folder and no image begins like that.").types("y").sees("xy");
}

#[test]
fn undo_does_not_need_the_key_that_suspends() {
    for key in ['7', '_', '/'] {
        let mut scene = scene();
        scene.types("wab").control(key).press(ENTER);
        assert_eq!(scene.replies(), [answer("a")]);
    }
}

#[test]
fn the_path_of_an_image_is_kept() {
    let mut scene = scene();
    scene.types("isketch").press(ESC).misses("── Path").types("i").sees("sketch").types(".gif").press(ENTER);
    scene.sees("+ sketch.gif").types("i").sees("── Path").misses("── sketch").press(ENTER).sees("Type the path");
}

#[test]
fn balanced_isolates_are_kept_and_overrides_are_visible() {
    let mut scene = Scene::new(60, 20);
    scene.writes("<ask_followup_question><question>\u{2067}של").sees("? \u{2067}של\u{2069}").writes("ום?</question>");
    scene.writes("<follow_up><suggest>A \u{2067}b\u{2069} \u{202E}c \u{2066}d</suggest>").writes(END);
    scene.sees("? \u{FFFD}שלום?").sees("1  A \u{2067}b\u{2069} \u{FFFD}c \u{FFFD}d").types("1");
    scene.sees("✓ A \u{2067}b\u{2069} \u{FFFD}c \u{FFFD}d");
    assert_eq!(scene.replies(), [answer("A \u{2067}b\u{2069} \u{202E}c \u{2066}d")]);
}

#[test]
fn invisible_characters_are_reported() {
    let mut scene = Scene::new(60, 20);
    scene
        .writes(&asked("Which?", &["a\u{202E}b\x1B", "c"]))
        .types("e")
        .sees("several characters in it that can't be seen");
    scene.press(KeyCode::Backspace).sees("There is 1 character in it").press(ENTER);
    assert_eq!(scene.replies(), [answer("a\u{202E}b")]);
}

#[test]
fn a_question_with_long_suggestions_is_visible() {
    let mut scene = Scene::new(20, 9);
    let long = "one two three four five six seven eight nine ten";
    scene
        .writes(&"Prose.\n\n".repeat(9))
        .writes(&asked("Which?", &[long, long, long, long]))
        .sees("? Which?")
        .sees("❯ 1");
    scene.press(KeyCode::Down).press(KeyCode::Down).sees("❯ 3");
}

#[test]
fn a_hidden_countdown_takes_nothing() {
    let mut scene = Scene::with(60, 1, Some(5), Format::Text);
    scene.writes(&asked("Which?", &["This"])).waits(9_000);
    assert!(scene.replies().is_empty());
    scene.resizes(60, 3).sees("In 5 s: takes suggestion 1").waits(5_000);
    assert_eq!(scene.replies(), [answer("This")]);
}

#[test]
fn notices_are_visible_whatever_else_is_shown() {
    let mut scene = scene();
    for _ in 0..30 {
        scene.types("isketch.gif").press(ENTER);
    }
    scene.sees("+ 30 images").sees("? Which?").types("wmine").control('c').sees("Ctrl-C again quits");
    scene.control('o').pastes(&"x".repeat(3000)).press(ENTER).sees("can't read").sees("…").sees("Which?");
}

#[test]
fn control_c_has_to_be_confirmed_if_a_draft_would_be_lost() {
    let mut scene = scene();
    scene.control('c');
    assert!(scene.app.is_done() && scene.replies().is_empty());
    let mut scene = self::scene();
    scene.types("wmine").control('c').sees("Ctrl-C again quits");
    assert_eq!(scene.app.quit, Quit::Confirming);
    scene.types("!").control('c');
    assert!(!scene.app.is_done(), "another key was pressed in between");
    scene.control('c');
    assert!(scene.app.is_done());
}

#[test]
fn the_first_suggestion_is_taken_after_the_countdown() {
    let mut scene = Scene::with(60, 20, Some(5), Format::Text);
    scene.waits(60_000).writes(&asked("Which?", &["This", "That"])).sees("In 5 s").waits(4_599).sees("In 1 s");
    assert!(scene.replies().is_empty());
    scene.waits(1);
    assert_eq!(scene.replies(), [answer("This")]);
    // The countdown starts anew for the next question.
    scene.writes(&asked("And?", &["A"])).sees("In 5 s").waits(4_600);
    assert_eq!(scene.replies(), [answer("This"), answer("A")]);
    // Without suggestions there is no countdown.
    scene.writes(&asked("What?", &[])).misses("takes").waits(99_000);
    assert_eq!(scene.replies().len(), 2);
}

#[test]
fn any_key_stops_the_countdown_for_good() {
    for act in [
        (|scene| scene.press(KeyCode::F(5))) as fn(&mut Scene) -> &mut Scene,
        (|scene| scene.press(KeyCode::Down)),
        (|scene| scene.pastes("x")),
        (|scene| scene.mouse(MouseEventKind::ScrollUp, 3)),
        (|scene| scene.clicks(0)),
    ] {
        let mut scene = Scene::with(60, 20, Some(5), Format::Text);
        scene.writes(&asked("Which?", &["This", "That"])).waits(3_000).sees("In 2 s").resizes(50, 15).sees("In 2 s");
        act(&mut scene).misses("Any key").waits(99_000);
        assert!(scene.replies().is_empty());
    }
    // A key pressed before the question arrived stops it too.
    let mut scene = Scene::with(60, 20, Some(5), Format::Text);
    scene.types("x").writes(&asked("Which?", &["This", "That"])).waits(99_000);
    assert!(scene.replies().is_empty());
    // It stays off for later questions.
    scene.types("2").writes(&asked("And?", &["A"])).waits(99_000);
    assert_eq!(scene.replies(), [answer("That")]);
}

#[test]
fn a_question_that_has_just_appeared_can_not_be_answered() {
    let mut scene = Scene::new(60, 20);
    scene.feeds(Some(asked("Which?", &["This", "That"]).as_bytes()));
    scene.draw();
    for wait in [0, 100, 299] {
        scene.now += Duration::from_millis(wait);
        scene.app.tick(scene.now);
        scene.app.key(KeyEvent::from(ENTER), scene.now);
        scene.app.key(KeyEvent::from(KeyCode::Char('2')), scene.now);
        scene.draw();
    }
    // The selection is marked only once it can be taken.
    scene.sees("1  This").misses("❯");
    assert!(scene.replies().is_empty());
    scene.waits(1).sees("❯ 1  This").types("2");
    assert_eq!(scene.replies(), [answer("That")]);
}

#[test]
fn a_hidden_question_is_not_answered_but_brought_into_view() {
    let mut scene = Scene::new(40, 8);
    scene.writes(&(1..30).map(|i| format!("line {i}\n\n")).collect::<String>()).press(KeyCode::Home).sees("line 1");
    scene.writes(&asked("Which?", &["This", "That"])).sees("line 1").types("1");
    // The first key has brought the question into view.
    scene.becomes_answerable().sees("❯ 1  This");
    assert!(scene.replies().is_empty());
    scene.types("2");
    assert_eq!(scene.replies(), [answer("That")]);
}

#[test]
fn an_automatic_answer_is_marked_as_such() {
    let mut scene = Scene::with(60, 20, Some(1), Format::Text);
    scene.writes(&asked("Which?", &["This"])).waits(1_000).sees("✓ This").sees("taken because nobody pressed a key");
}

#[test]
fn moving_the_mouse_does_not_stop_the_countdown() {
    let mut scene = Scene::with(60, 20, Some(5), Format::Text);
    scene.writes(&asked("Which?", &["This"])).mouse(MouseEventKind::Moved, 3).waits(5_000);
    assert_eq!(scene.replies(), [answer("This")]);
}

#[test]
fn text_after_an_open_question_moves_nothing() {
    let mut scene = Scene::new(40, 12);
    scene.writes("Prose.\n\n".repeat(20).as_str()).writes(&asked("Which?", &["This", "That"]));
    let before = scene.rows();
    let above = &before[..before.len() - 1];
    for _ in 0..30 {
        scene.writes("More of it.\n\n");
        assert_eq!(&scene.rows()[..above.len()], above);
    }
    scene.sees("▼").press(KeyCode::PageDown).sees("More of it.").press(KeyCode::Down).sees("❯ 2  That");
}

#[test]
fn a_long_message_is_scrolled_and_followed() {
    let mut scene = Scene::new(40, 12);
    let lines = |from: usize| (from..from + 50).map(|i| format!("line {i}  \n")).collect::<String>();
    scene.writes(&lines(100)).sees("line 149");
    scene.press(KeyCode::Up).misses("line 149").sees("line 148").sees("▼ 1 line");
    // A person who has scrolled stays there.
    scene.writes(&lines(200)).sees("line 148").misses("line 249");
    scene.press(KeyCode::Home).sees("line 100").press(KeyCode::Char(' ')).sees("line 110");
    scene.press(KeyCode::End).sees("line 249").writes(&lines(300)).sees("line 349");
    scene.mouse(MouseEventKind::ScrollUp, 3).sees("▼ 3 lines").mouse(MouseEventKind::ScrollDown, 3).misses("▼");
}

#[test]
fn a_question_longer_than_the_screen_is_read_by_scrolling_and_chosen_all_the_same() {
    let mut scene = Scene::new(40, 10);
    let question: String = (1..60).map(|i| format!("{i}. line\n")).collect();
    let suggestions: Vec<String> = (1..=20).map(|i| format!("answer {i}")).collect();
    let suggestions: Vec<&str> = suggestions.iter().map(|one| &**one).collect();
    scene.writes(&asked(&question, &suggestions)).sees("❯ 1  answer 1");
    for i in 2..=20 {
        scene.press(KeyCode::Down).sees(&format!("❯ {i:<2} answer {i}"));
    }
    scene.control('x').key(KeyCode::Home, KeyModifiers::CONTROL).sees("? 1. line").press(KeyCode::PageDown);
    scene.misses("answer").press(KeyCode::Up).sees("❯ 19 answer 19").press(ENTER);
    assert_eq!(scene.replies(), [answer("answer 19")]);
}

#[test]
fn native_calls_may_overlap_and_are_asked_in_turn() {
    let mut scene = Scene::with(60, 24, None, Format::OpenAiChat);
    let delta = |index: usize, name: bool, arguments: &str| {
        let function = if name {
            serde_json::json!({"name": "ask_followup_question", "arguments": arguments})
        } else {
            serde_json::json!({"arguments": arguments})
        };
        let call = serde_json::json!({"index": index, "id": format!("c{index}"), "function": function});
        format!("data: {}\n\n", serde_json::json!({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}))
    };
    scene.writes(&delta(0, true, "{\"question\":\"Fir")).writes(&delta(1, true, "{\"question\":\"Second?\","));
    scene.writes(&delta(1, false, "\"follow_up\":[{\"text\":\"B\"}]}")).writes("data: [DONE]\n\n").ends();
    let replies: Vec<_> = scene.replies.iter().map(|reply| (reply.id.as_deref(), &*reply.text)).collect();
    assert_eq!(replies.len(), 1, "the first was truncated: {replies:?}");
    scene.sees("Second?").types("1");
    let reply = scene.replies.last().unwrap();
    assert_eq!((reply.id.as_deref(), &*reply.text), (Some("c1"), &*answer("B")));
}

#[test]
fn a_paste_brings_the_question_into_view_and_is_not_lost() {
    let mut scene = Scene::new(60, 8);
    scene.writes(&"Prose.\n\n".repeat(30)).writes(&asked("Which?", &["This"])).types("wabc ");
    scene.press(KeyCode::PageUp).press(KeyCode::PageUp).misses("? Which?").pastes("def").sees("abc def");
    scene.press(ENTER);
    assert_eq!(scene.replies(), [answer("abc def")]);
    // Without a draft, nothing is pasted into a question that was not seen.
    scene.writes(&"More.\n\n".repeat(30)).writes(&asked("And?", &["That"]));
    scene.press(KeyCode::PageUp).press(KeyCode::PageUp).misses("? And?").pastes("def").sees("Nothing was pasted");
    scene.sees("? And?").pastes("ghi").press(ENTER);
    assert_eq!(scene.replies()[1], answer("ghi"));
}

#[test]
fn an_answer_can_be_written_in_a_window_of_one_row() {
    let mut scene = Scene::new(60, 1);
    scene.writes(&asked("Which?", &["This"])).types("whello").press(ENTER);
    assert_eq!(scene.replies(), [answer("hello")]);
    let mut scene = Scene::new(60, 1);
    scene.writes(&asked("Which?", &[])).types("hello").press(ENTER);
    assert_eq!(scene.replies(), [answer("hello")]);
}
