//! Nothing certain is held back (G3) of the arguments of shapes drawn at random.
//!
//! After each byte, continuations are drawn until all ends agree on no more than what the partials
//! so far have shown, and the calls that are complete on no more of the texts. That they agree on
//! less would be something that is taken back, which reading them asserts.

use followup::{Reason, Shape};

use crate::certain_shapes::{Agreed, shown_of};
use crate::common::shapes::random::{self, Random};
use crate::common::shapes::rest::{continuation, is_in_literal};
use crate::common::shapes::table::Table;
use crate::common::shapes::view::{self, Shown};
use crate::common::shapes::{Question, Rules};
use crate::common::sweep::cases;
use crate::oracle::parser;

/// How many continuations are drawn at most.
const MOST: usize = 4000;
/// After so many ends that are all rejected, and agree with what is shown, no more are drawn.
const REJECTED: usize = 40;
/// With fewer complete calls, these may agree by chance on more than all would.
const ENOUGH: usize = 200;
/// The longest arguments.
const LONGEST: usize = 160;

/// Returns the texts of a view that grow, of what is shown.
///
/// Of the rest, a complete call may say more: that a flag was no value, or that a header stands in,
/// is certain before the question ends, because a key can't come twice; and an option whose label
/// begins with the mark is recommended. The page says when these are known, and that a line is read
/// when it has ended.
fn growing(mut view: Shown, shown: &Shown) -> Shown {
    view.questions.truncate(shown.questions.len());
    for (question, shown) in view.questions.iter_mut().zip(&shown.questions) {
        let Question { text, header, detail, mut options, .. } = std::mem::take(question);
        let has_text = !shown.text.is_empty();
        let (text, detail) = if has_text { (text, detail) } else { Default::default() };
        options.truncate(shown.options.len());
        options.iter_mut().for_each(|option| option.recommended = false);
        *question = Question { text, header, detail, options, ..Question::default() };
    }
    view
}

fn check(random: &mut Random, shape: &Shape, stream: &[u8], rules: Rules) {
    let table = Table::new(shape.text());
    let (mut read, mut shown) = (parser(shape, rules), Shown::default());
    for at in 0..=stream.len() {
        let prefix = &stream[..at];
        if let Some(last) = prefix.last() {
            view::append(&mut shown, read.feed_bytes(&[*last]));
        }
        let visible = shown_of(shown.clone(), &table);
        let visible_text = growing(visible.clone(), &visible);
        let has_growing = !is_in_literal(prefix) && !table.has("lines");
        let (mut agreed, mut agreed_text, mut complete) = (Agreed::default(), Agreed::default(), 0);
        for i in 0..MOST {
            let (mut shown, mut read) = (shown.clone(), read.clone());
            view::append(&mut shown, read.feed_bytes(&continuation(random, &table, prefix)));
            let end = view::finish(&mut shown, &mut read);
            let has_text = matches!(end.reason, None | Some(Reason::TooLong { .. }));
            if has_text && has_growing {
                // Where no call can be complete, those that are too long agree by chance.
                complete += usize::from(end.reason.is_none());
                agreed_text.add(end.clone(), &table);
            }
            agreed.add(end, &table);
            let is_text_same = !has_growing || growing(agreed_text.shown(), &visible) == visible_text;
            if agreed.shown() == visible && (is_text_same || complete == 0 && i >= REJECTED) {
                break;
            }
        }
        let (agreed, agreed_text) = (agreed.shown(), growing(agreed_text.shown(), &visible));
        let context = || format!("{rules:?}\n{}\n{}", shape.text(), String::from_utf8_lossy(prefix));
        assert!(visible == agreed, "{}\nshown  {visible:?}\nagreed {agreed:?}", context());
        let is_same = complete < ENOUGH || visible_text == agreed_text;
        assert!(is_same, "{}\nshown  {visible:?}\nagreed when complete {agreed_text:?}", context());
    }
}

#[test]
fn what_all_continuations_of_arguments_agree_on_is_shown_by_any_shape() {
    let mut random = Random(23);
    let mut tried = 0;
    while tried < cases(1_500) {
        let shape = random::shape(&mut random);
        let stream = random::arguments(&mut random, &Table::new(shape.text()));
        let rules = Rules { strict: false, ..random::rules(&mut random) };
        if stream.len() <= LONGEST {
            tried += 1;
            check(&mut random, &shape, &stream, rules);
        }
    }
}
