//! Templates: how the answers to another agent's questions go back to its model, as data.

mod builtin;
mod model;
mod render;

use super::form::{Form, FormQuestion};
use super::reply::FormAnswer;

pub(super) use model::Rendered;
pub use model::{Template, TemplateEntry, TemplateOutcome, TemplateRejection};
pub(super) use render::is_number;

impl Template {
    /// The names of the built-in templates, for [`Template::named`].
    pub const NAMES: [&str; 32] = builtin::NAMES;

    /// The general template: `Q: …` and `A: …` in two lines for each question, as text.
    ///
    /// It is for tools whose host is not known.
    pub fn general() -> Template {
        builtin::general()
    }

    /// Returns the built-in template of that name, `None` if there is none.
    ///
    /// A template with the name of a [`Shape`](crate::Shape) is the default for its calls.
    ///
    /// ```
    /// use followup::dialogue::Template;
    ///
    /// for name in Template::NAMES {
    ///     assert_eq!(Template::named(name).unwrap().name, name);
    /// }
    /// assert_eq!(Template::named("klingon"), None);
    /// ```
    pub fn named(name: &str) -> Option<Template> {
        builtin::named(name)
    }

    /// Returns the template for this form.
    ///
    /// It is this one, or the one that it names for calls with several questions or with ids.
    pub(super) fn for_form(self, form: &Form) -> Template {
        let has_id = || form.questions.iter().any(|question| question.id.is_some());
        // The title of Hermes is above a list. Other tools have one above a single question, too.
        let is_list = form.shape == "hermes" && form.title.is_some();
        let is_form = form.questions.len() > 1 || is_list || has_id();
        let name = self.form.as_deref().filter(|_| is_form);
        name.and_then(Template::named).unwrap_or(self)
    }

    /// Returns the entry for a form, and whether it is the whole reply.
    fn entry_for(&self, form: &Form) -> (&TemplateEntry, bool) {
        match &self.one {
            Some(entry) if form.questions.len() == 1 => (entry, true),
            _ => (&self.entry, false),
        }
    }

    /// Returns `true` if the reply to this form has a place for a note with any option.
    pub(super) fn takes_notes(&self, form: &Form) -> bool {
        let entry = self.entry_for(form).0;
        let cases = [&entry.several, &entry.yes, &entry.no];
        self.has_note(&entry.picked) && cases.into_iter().flatten().all(|case| self.has_note(case))
    }

    /// Returns `true` if the reply has a place for a note with this answer.
    ///
    /// The answer is to a question of the form.
    pub(super) fn allows_note(&self, form: &Form, question: &FormQuestion, answer: &FormAnswer) -> bool {
        self.entry_for(form).0.case(question, answer).is_some_and(|case| self.has_note(case))
    }

    /// Returns `true` if a note is a part of this text of an entry.
    pub(super) fn has_note(&self, case: &str) -> bool {
        case.contains("{note}") && self.note.contains("{note}")
    }
}

impl Default for Template {
    fn default() -> Template {
        Template::general()
    }
}
