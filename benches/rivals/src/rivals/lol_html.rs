//! `lol_html`: rewrites streamed HTML.
//!
//! The rewriter removes the calls, so that its output is the prose. Handlers of elements and of
//! text collect the contents of the calls.

use std::cell::RefCell;
use std::rc::Rc;
use std::str;

use lol_html::{HtmlRewriter, Settings, element, end_tag, text};

use super::Reader;
use crate::call::{Call, Suggestion};
use crate::format::Format;
use crate::sink::Sink;

#[derive(Debug)]
pub(super) struct LolHtml;

#[derive(Default)]
struct Calls {
    open: Call,
    /// Complete calls that are not passed on yet: a handler of end tags cannot borrow the sink.
    complete: Vec<Call>,
}

impl Reader for LolHtml {
    fn name(&self) -> &'static str {
        "lol_html"
    }

    fn format(&self) -> Format {
        Format::Markup
    }

    fn read<S: Sink>(&mut self, chunks: &[&str], sink: &mut S) {
        let sink = RefCell::new(sink);
        let calls = Rc::new(RefCell::new(Calls::default()));
        let settings = Settings::new()
            .append_element_content_handler(element!("ask_followup_question", |call| {
                call.remove();
                let calls = calls.clone();
                call.on_end_tag(end_tag!(move |_| {
                    let mut calls = calls.borrow_mut();
                    let call = std::mem::take(&mut calls.open);
                    calls.complete.push(call);
                    Ok(())
                }))?;
                Ok(())
            }))
            .append_element_content_handler(text!("ask_followup_question > question", |text| {
                let question = &mut calls.borrow_mut().open.question;
                question.push_str(text.as_str());
                sink.borrow_mut().question(question);
                Ok(())
            }))
            .append_element_content_handler(element!("ask_followup_question suggest", |suggest| {
                let suggestion = Suggestion { text: String::new(), mode: suggest.get_attribute("mode") };
                calls.borrow_mut().open.suggestions.push(suggestion);
                Ok(())
            }))
            .append_element_content_handler(text!("ask_followup_question suggest", |text| {
                let open = &mut calls.borrow_mut().open;
                if let Some(last) = open.suggestions.last_mut() {
                    last.text.push_str(text.as_str());
                }
                sink.borrow_mut().question(&open.question);
                Ok(())
            }));
        let prose = |bytes: &[u8]| match str::from_utf8(bytes) {
            Ok(text) => sink.borrow_mut().prose(text),
            Err(error) => sink.borrow_mut().failed(error),
        };
        // A rewriter reads one message.
        let mut rewriter = HtmlRewriter::new(settings, prose);
        for chunk in chunks {
            if let Err(error) = rewriter.write(chunk.as_bytes()) {
                sink.borrow_mut().failed(error);
                return;
            }
            for call in calls.borrow_mut().complete.drain(..) {
                sink.borrow_mut().complete(|| call);
            }
        }
        if let Err(error) = rewriter.end() {
            sink.borrow_mut().failed(error);
        }
    }
}
