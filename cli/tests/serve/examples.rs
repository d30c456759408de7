//! The examples of docs/question-tools.md, shown and answered by the service: every built-in tool.

#[path = "../common/examples.rs"]
mod page;

use std::collections::HashMap;

use followup::dialogue::Answer;
use serde_json::{Value, json};

use self::page::{answers, asked, examples, form, shapes};
use crate::client::all_events;
use crate::forms::{answer, body, push};
use crate::page::Page;
use crate::service::Service;

#[tokio::test]
async fn the_example_of_every_built_in_tool_is_shown_and_answered() {
    let mut services = HashMap::new();
    for (index, example) in examples().iter().enumerate() {
        let shapes = shapes(example);
        let service = services.entry(shapes.clone()).or_insert_with(|| Service::start(&["--shapes", &shapes]));
        let (id, body) = (format!("example-{index}"), body(example.tool, example.arguments, 7));
        let mut dialogue = asked(example, &body);
        let form = form(&dialogue).clone();
        let snapshot = push(service, &id, body).await;
        let page = Page::of(&all_events(service, &id).await);
        assert_eq!(Page::of_snapshot(&snapshot), page);
        let [call] = page.all("call")[..] else { panic!("{}: {page:?}", example.arguments) };
        assert_eq!((&call["state"], &call["form"]["shape"]), (&json!("complete"), &json!(example.shape.name())));
        let text = |of: &Value, key: &str| of[key].as_str().unwrap().to_owned();
        let list = |of: &Value| of.as_array().cloned().unwrap_or_default();
        let shown = list(&call["form"]["questions"]).into_iter().map(|question| {
            let labels = list(&question["options"]).iter().map(|option| text(option, "label")).collect::<Vec<_>>();
            (text(&question, "text"), labels)
        });
        let expected = form.questions.iter().map(|question| {
            let labels = question.options.iter().map(|option| option.label.clone()).collect::<Vec<_>>();
            (question.text.clone(), labels)
        });
        assert_eq!(shown.collect::<Vec<_>>(), expected.collect::<Vec<_>>(), "{}", example.arguments);

        let answers = answers(&form);
        let taken = answer(service, &id, &json!({"number": 0, "form": answers})).await.ok();
        let reply = dialogue.answer(0, Answer::Form(answers), Vec::new()).unwrap();
        assert_eq!(taken["reply"], serde_json::to_value(&reply).unwrap(), "{}", example.arguments);
        let answered = &Page::of(&all_events(service, &id).await).all("call")[0]["answered"].clone();
        assert_eq!((&answered["kind"], &answered["said"]), (&json!("answer"), &json!(reply.text)));
    }
}
