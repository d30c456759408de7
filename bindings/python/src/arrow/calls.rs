//! The calls of many rows, as the columns of a `list<struct<…>>`.

use std::sync::Arc;

use arrow_array::builder::{GenericStringBuilder, Int64Builder, UInt32Builder};
use arrow_array::{Array, ArrayRef, ListArray, OffsetSizeTrait, StructArray};
use arrow_buffer::{NullBufferBuilder, OffsetBufferBuilder};
use arrow_schema::{ArrowError, Field};
use followup::wire;
use followup::{Complete, Reason, Rejected, Suggestions};

use super::cells::{call_fields, suggestion_fields};
use super::codes::code;
use super::error::Error;

/// A builder of the result: the calls of one row after the other.
pub(super) struct Calls<O: OffsetSizeTrait> {
    rows: Lists,
    validity: NullBufferBuilder,
    call: UInt32Builder,
    state: Strings<O>,
    question: Strings<O>,
    suggest: Lists,
    answer: Strings<O>,
    mode: Strings<O>,
    notes: Lists,
    note: Strings<O>,
    reason: Strings<O>,
    start: Int64Builder,
    end: Int64Builder,
}

impl<O: OffsetSizeTrait> Calls<O> {
    pub(super) fn new(rows: usize) -> Calls<O> {
        Calls {
            rows: Lists::new(rows),
            validity: NullBufferBuilder::new(rows),
            call: UInt32Builder::with_capacity(0),
            state: Strings::new(),
            question: Strings::new(),
            suggest: Lists::new(0),
            answer: Strings::new(),
            mode: Strings::new(),
            notes: Lists::new(0),
            note: Strings::new(),
            reason: Strings::new(),
            start: Int64Builder::with_capacity(0),
            end: Int64Builder::with_capacity(0),
        }
    }

    /// Ends a row: the calls since the last one are its calls.
    pub(super) fn end_row(&mut self, is_valid: bool) -> Result<(), Error> {
        self.validity.append(is_valid);
        self.rows.end(self.call.values_slice().len())
    }

    pub(super) fn complete(&mut self, call: &Complete<'_>) -> Result<(), Error> {
        self.state.push(Some("complete"))?;
        self.question.push(Some(call.question()))?;
        for note in call.notes() {
            self.note.push(Some(&code(note)))?;
        }
        self.reason.push(None)?;
        self.end_call(call.suggestions(), call.index(), call.span())
    }

    pub(super) fn rejected(&mut self, call: &Rejected<'_>) -> Result<(), Error> {
        self.state.push(Some("rejected"))?;
        self.question.push(call.question())?;
        self.reason.push(Some(&reason(call.reason())))?;
        self.end_call(call.suggestions(), call.index(), call.span())
    }

    /// Appends an error in a body. It is no call, and has no span.
    pub(super) fn error(&mut self, error: wire::Error<'_>) -> Result<(), Error> {
        self.state.push(Some("error"))?;
        self.question.push(None)?;
        match error {
            wire::Error::Provider(message) => self.reason.push(Some(&format!("provider: {message}")))?,
            error => self.reason.push(Some(error.code()))?,
        }
        self.call.append_null();
        self.start.append_null();
        self.end.append_null();
        self.end_lists()
    }

    fn end_call(
        &mut self,
        suggestions: Suggestions<'_>,
        index: u64,
        span: std::ops::Range<u64>,
    ) -> Result<(), Error> {
        for one in suggestions.iter() {
            self.answer.push(Some(one.answer))?;
            self.mode.push(one.mode)?;
        }
        self.call.append_value(index as u32);
        self.start.append_value(span.start as i64);
        self.end.append_value(span.end as i64);
        self.end_lists()
    }

    fn end_lists(&mut self) -> Result<(), Error> {
        self.suggest.end(self.answer.len())?;
        self.notes.end(self.note.len())
    }

    pub(super) fn finish(mut self) -> Result<ListArray, ArrowError> {
        let string = GenericStringBuilder::<O>::new().finish().data_type().clone();
        let suggestions: Vec<ArrayRef> = vec![self.answer.finish(), self.mode.finish()];
        let suggestions = StructArray::try_new(suggestion_fields(&string), suggestions, None)?;
        let calls: Vec<ArrayRef> = vec![
            Arc::new(self.call.finish()),
            self.state.finish(),
            self.question.finish(),
            Arc::new(self.suggest.finish(Arc::new(suggestions))?),
            Arc::new(self.notes.finish(self.note.finish())?),
            self.reason.finish(),
            Arc::new(self.start.finish()),
            Arc::new(self.end.finish()),
        ];
        let calls = StructArray::try_new(call_fields(&string), calls, None)?;
        let (offsets, nulls) = (self.rows.offsets.finish(), self.validity.finish());
        let field = Arc::new(Field::new_list_field(calls.data_type().clone(), true));
        ListArray::try_new(field, offsets, Arc::new(calls), nulls)
    }
}

/// Returns why a call is rejected: the code, and after a colon what else is known.
fn reason(reason: Reason) -> String {
    match reason {
        Reason::Malformed(note) => format!("{}: {}", reason.code(), code(&note)),
        Reason::Truncated(part) | Reason::WrongType(part) | Reason::TooLong { part, .. } => {
            format!("{}: {}", reason.code(), code(&part))
        }
        _ => reason.code().to_owned(),
    }
}

/// A column of strings that returns an error where its offsets would overflow.
struct Strings<O: OffsetSizeTrait>(GenericStringBuilder<O>);

impl<O: OffsetSizeTrait> Strings<O> {
    fn new() -> Strings<O> {
        Strings(GenericStringBuilder::with_capacity(0, 0))
    }

    fn len(&self) -> usize {
        self.0.offsets_slice().len() - 1
    }

    fn push(&mut self, text: Option<&str>) -> Result<(), Error> {
        let len = self.0.values_slice().len() + text.map_or(0, str::len);
        O::from_usize(len).ok_or(Error::TooLarge)?;
        self.0.append_option(text);
        Ok(())
    }

    fn finish(&mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// The offsets of a column of lists.
struct Lists {
    offsets: OffsetBufferBuilder<i32>,
    end: usize,
}

impl Lists {
    fn new(capacity: usize) -> Lists {
        Lists { offsets: OffsetBufferBuilder::new(capacity), end: 0 }
    }

    /// Ends a list, whose last element has the index `end - 1`.
    fn end(&mut self, end: usize) -> Result<(), Error> {
        i32::try_from(end).map_err(|_| Error::TooLarge)?;
        self.offsets.push_length(end - self.end);
        self.end = end;
        Ok(())
    }

    fn finish(self, values: ArrayRef) -> Result<ListArray, ArrowError> {
        let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
        ListArray::try_new(field, self.offsets.finish(), values, None)
    }
}
