//! A reference page: applies events as the protocol says, independently of the service's code.

use serde_json::{Value, json};

use crate::client::Event;

/// The state that a page shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Page {
    pub(crate) turn: String,
    pub(crate) stopped: bool,
    pub(crate) items: Vec<Value>,
    /// The id of the last event.
    pub(crate) last: String,
}

impl Page {
    pub(crate) fn of(events: &[Event]) -> Page {
        let mut page = Page { turn: "none".into(), ..Page::default() };
        events.iter().for_each(|event| page.apply(event));
        page
    }

    /// Returns the state of a snapshot.
    pub(crate) fn of_snapshot(snapshot: &Value) -> Page {
        Page {
            turn: snapshot["turn"].as_str().unwrap().into(),
            stopped: snapshot["stopped"].as_bool().unwrap(),
            items: snapshot["items"].as_array().unwrap().clone(),
            last: snapshot["last"].as_str().unwrap().into(),
        }
    }

    pub(crate) fn apply(&mut self, Event { id, kind, data }: &Event) {
        self.last.clone_from(id);
        match &**kind {
            "state" => {
                *self = Page::of_snapshot(data);
                assert_eq!(&self.last, id);
            }
            "turn" => {
                self.turn = "streaming".into();
                self.items.push(json!({"type": "turn", "index": data["index"]}));
            }
            "text" => match self.items.last_mut() {
                Some(item) if item["type"] == "text" => append(&mut item["text"], &data["text"]),
                _ => self.items.push(json!({"type": "text", "text": data["text"]})),
            },
            "opaque" => self.opaque(data),
            "partial" => self.partial(data),
            "form_partial" => self.form_partial(data),
            "complete" => {
                let call = self.call(&data["call"]);
                call["state"] = json!("complete");
                for field in ["question", "suggest", "notes", "number", "open"] {
                    call[field] = data[field].clone();
                }
                for field in ["envelope", "form", "can_discuss"] {
                    if let Some(value) = data.get(field) {
                        call[field] = value.clone();
                    }
                }
            }
            "rejected" => {
                self.stopped = data["stopped"].as_bool().unwrap();
                let call = self.call(&data["call"]);
                call["state"] = json!("rejected");
                (call["reason"], call["message"]) = (data["reason"].clone(), data["message"].clone());
            }
            "error" => self.items.push(typed("error", data)),
            "end" => {
                self.turn = if data["cut_off"] == true { "cut_off" } else { "ended" }.into();
                self.items.push(typed("end", data));
            }
            "open" => self.question(&data["number"])["open"] = json!(true),
            "replied" if data["number"].is_null() => {
                self.stopped = false;
                self.items.push(typed("replied", data));
            }
            "replied" => {
                self.stopped = self.stopped && data["kind"] != "answer";
                let call = self.question(&data["number"]);
                (call["open"], call["answered"]) = (json!(false), data.clone());
            }
            "closed" => {
                let call = self.question(&data["number"]);
                (call["open"], call["closed"]) = (json!(false), without(data, &["number"]));
            }
            "delivery" => {
                let delivery = without(data, &["numbers", "guidance"]);
                for number in data["numbers"].as_array().unwrap() {
                    self.question(number)["delivery"] = delivery.clone();
                }
                if data["guidance"] == true {
                    let guidance = self.items.iter_mut().rev().find(|item| item["type"] == "replied");
                    guidance.unwrap()["delivery"] = delivery;
                }
            }
            "gone" => self.turn = "gone".into(),
            other => panic!("unknown event {other}: {data}"),
        }
    }

    fn opaque(&mut self, data: &Value) {
        let in_turn = self.items.iter().rposition(|item| item["type"] == "turn").unwrap_or(0);
        let is_same = |item: &&mut Value| item["type"] == "opaque" && item["id"] == data["id"];
        match self.items[in_turn..].iter_mut().rev().find(is_same) {
            Some(item) if data["start"] == false => append(&mut item["raw"], &data["raw"]),
            _ => {
                let mut item = json!({"type": "opaque", "tool": data["tool"], "raw": data["raw"]});
                if let Some(id) = data.get("id") {
                    item["id"] = id.clone();
                }
                self.items.push(item);
            }
        }
    }

    fn partial(&mut self, data: &Value) {
        let call = self.call(&data["call"]);
        if data["field"] == "question" {
            return append(&mut call["question"], &data["delta"]);
        }
        let index = data["suggestion"].as_u64().unwrap() as usize;
        let all = call["suggest"].as_array_mut().unwrap();
        if index == all.len() {
            all.push(json!({"answer": ""}));
        }
        append(&mut all[index]["answer"], &data["delta"]);
        if let Some(mode) = data.get("mode") {
            all[index]["mode"] = mode.clone();
        }
    }

    fn form_partial(&mut self, data: &Value) {
        let call = self.call(&data["call"]);
        if call.get("form").is_none() {
            call["form"] = json!({"tool": data["tool"], "questions": []});
        }
        if data["field"] == "title" {
            let title = call["form"].as_object_mut().unwrap().entry("title").or_insert(json!(""));
            return append(title, &data["delta"]);
        }
        let question = entry(&mut call["form"]["questions"], &data["question"], || json!({"text": ""}));
        for (name, fact) in data["known"].as_object().into_iter().flatten() {
            match question.get_mut(name) {
                Some(Value::Array(all)) => all.extend(fact.as_array().unwrap().iter().cloned()),
                _ => question[name] = fact.clone(),
            }
        }
        let mut place = question;
        if let Some(index) = data.get("option") {
            if place.get("options").is_none() {
                place["options"] = json!([]);
            }
            place = entry(&mut place["options"], index, || json!({"label": ""}));
            for (name, fact) in data["known_option"].as_object().into_iter().flatten() {
                place[name] = fact.clone();
            }
        }
        let field = data["field"].as_str().unwrap();
        if place.get(field).is_none() {
            place[field] = json!("");
        }
        append(&mut place[field], &data["delta"]);
    }

    /// Returns the call with this number in the newest turn; adds it if it is not there.
    fn call(&mut self, number: &Value) -> &mut Value {
        let in_turn = self.items.iter().rposition(|item| item["type"] == "turn").unwrap_or(0);
        let index = self.items[in_turn..].iter().rposition(|item| item["type"] == "call" && item["call"] == *number);
        let index = index.map_or(self.items.len(), |index| in_turn + index);
        if index == self.items.len() {
            let (suggest, notes) = (json!([]), json!([]));
            self.items.push(json!({"type": "call", "call": number, "state": "growing", "question": "",
                "suggest": suggest, "notes": notes}));
        }
        &mut self.items[index]
    }

    /// Returns the question with this number in the dialogue.
    fn question(&mut self, number: &Value) -> &mut Value {
        self.items.iter_mut().rev().find(|item| item["number"] == *number && item["type"] == "call").unwrap()
    }

    /// Returns all prose.
    pub(crate) fn prose(&self) -> String {
        self.items.iter().filter_map(|item| item["text"].as_str()).collect()
    }

    /// Returns the items of this type.
    pub(crate) fn all(&self, kind: &str) -> Vec<&Value> {
        self.items.iter().filter(|item| item["type"] == kind).collect()
    }
}

/// Returns the entry at an index of a list; adds it if it is the next one.
fn entry<'a>(list: &'a mut Value, index: &Value, new: impl FnOnce() -> Value) -> &'a mut Value {
    let (list, index) = (list.as_array_mut().unwrap(), index.as_u64().unwrap() as usize);
    if index == list.len() {
        list.push(new());
    }
    &mut list[index]
}

/// Appends a text to one.
pub(crate) fn append(to: &mut Value, more: &Value) {
    let Value::String(to) = to else { panic!("no text: {to}") };
    to.push_str(more.as_str().unwrap());
}

/// Returns an object without these fields.
fn without(data: &Value, fields: &[&str]) -> Value {
    let mut rest = data.clone();
    rest.as_object_mut().unwrap().retain(|name, _| !fields.contains(&&**name));
    rest
}

fn typed(kind: &str, data: &Value) -> Value {
    let mut item = data.clone();
    item["type"] = json!(kind);
    item
}
