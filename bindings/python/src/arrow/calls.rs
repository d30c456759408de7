//! The calls of many rows, as the columns of a `list<struct<…>>`.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::{mem, thread};

use arrow_array::builder::{GenericStringBuilder, Int64Builder, UInt32Builder};
use arrow_array::{Array, ArrayRef, ListArray, OffsetSizeTrait, StructArray};
use arrow_buffer::{NullBuffer, NullBufferBuilder, OffsetBuffer};
use arrow_schema::{ArrowError, Field};
use followup::wire;
use followup::{Complete, Reason, Rejected, Suggestions};

use super::cells::{call_fields, suggestion_fields};
use super::error::ColumnError;
use crate::panics::inject;

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
    pub(super) fn end_row(&mut self, is_valid: bool) -> Result<(), ColumnError> {
        self.validity.append(is_valid);
        self.rows.end_list(self.call.values_slice().len())
    }

    pub(super) fn complete(&mut self, call: &Complete<'_>) -> Result<(), ColumnError> {
        self.state.push(Some("complete"))?;
        self.question.push(Some(call.question()))?;
        for note in call.notes() {
            self.note.push(Some(note.code()))?;
        }
        self.reason.push(None)?;
        self.end_call(call.suggestions(), call.index(), call.span())
    }

    pub(super) fn rejected(&mut self, call: &Rejected<'_>) -> Result<(), ColumnError> {
        self.state.push(Some("rejected"))?;
        self.question.push(call.question())?;
        self.reason.push(Some(&reason(call.reason())))?;
        self.end_call(call.suggestions(), call.index(), call.span())
    }

    /// Appends an error in a body. It is no call, and has no span.
    pub(super) fn error(&mut self, error: wire::Error<'_>) -> Result<(), ColumnError> {
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
    ) -> Result<(), ColumnError> {
        for one in suggestions.iter() {
            self.answer.push(Some(one.answer))?;
            self.mode.push(one.mode)?;
        }
        self.call.append_value(index as u32);
        self.start.append_value(span.start as i64);
        self.end.append_value(span.end as i64);
        self.end_lists()
    }

    fn end_lists(&mut self) -> Result<(), ColumnError> {
        self.suggest.end_list(self.answer.len())?;
        self.notes.end_list(self.note.len())
    }

    /// Joins builders, one after the other.
    ///
    /// A thread of its own joins the texts, because they are the most of it. If the system refuses
    /// one, this thread does.
    pub(super) fn join(mut pieces: Vec<Calls<O>>) -> Result<Calls<O>, ColumnError> {
        let mut take = |column: fn(&mut Calls<O>) -> &mut Strings<O>| -> Vec<Strings<O>> {
            pieces.iter_mut().map(|piece| mem::replace(column(piece), Strings::new())).collect()
        };
        let (mut questions, mut answers) = (take(|piece| &mut piece.question), take(|piece| &mut piece.answer));
        let (mut all, joined) = thread::scope(|scope| {
            let worker = thread::Builder::new().spawn_scoped(scope, || Strings::join(&mut answers)).ok();
            let mut all = Calls::join_rest(pieces)?;
            all.question = Strings::join(&mut questions)?;
            let joined = worker.map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
            Ok::<_, ColumnError>((all, joined))
        })?;
        all.answer = joined.unwrap_or_else(|| Strings::join(&mut answers))?;
        Ok(all)
    }

    /// Joins builders but for the texts of questions and answers.
    fn join_rest(pieces: Vec<Calls<O>>) -> Result<Calls<O>, ColumnError> {
        // Buffers that grow step by step would be copied again and again.
        let space = |column: fn(&Calls<O>) -> &Strings<O>| Strings::for_all(pieces.iter().map(column));
        let mut all = Calls {
            state: space(|piece| &piece.state),
            mode: space(|piece| &piece.mode),
            note: space(|piece| &piece.note),
            reason: space(|piece| &piece.reason),
            ..Calls::new(pieces.iter().map(|piece| piece.rows.len()).sum())
        };
        pieces.into_iter().try_for_each(|piece| all.append(piece))?;
        Ok(all)
    }

    /// Appends the rows of another builder, but for the texts of questions and answers.
    fn append(&mut self, mut other: Calls<O>) -> Result<(), ColumnError> {
        self.rows.append(&other.rows)?;
        match other.validity.finish() {
            Some(nulls) => self.validity.append_buffer(&nulls),
            None => self.validity.append_n_non_nulls(other.rows.len()),
        }
        self.call.append_array(&other.call.finish());
        self.state.append(other.state)?;
        self.suggest.append(&other.suggest)?;
        self.mode.append(other.mode)?;
        self.notes.append(&other.notes)?;
        self.note.append(other.note)?;
        self.reason.append(other.reason)?;
        self.start.append_array(&other.start.finish());
        self.end.append_array(&other.end.finish());
        Ok(())
    }

    /// Returns the result.
    pub(super) fn finish(mut self) -> Result<ListArray, ArrowError> {
        let string = GenericStringBuilder::<O>::new().finish().data_type().clone();
        let suggestions: Vec<ArrayRef> = vec![self.answer.finish(), self.mode.finish()];
        let suggestions = StructArray::try_new(suggestion_fields(&string), suggestions, None)?;
        let calls: Vec<ArrayRef> = vec![
            Arc::new(self.call.finish()),
            self.state.finish(),
            self.question.finish(),
            Arc::new(self.suggest.finish(Arc::new(suggestions), None)?),
            Arc::new(self.notes.finish(self.note.finish(), None)?),
            self.reason.finish(),
            Arc::new(self.start.finish()),
            Arc::new(self.end.finish()),
        ];
        let calls = StructArray::try_new(call_fields(&string), calls, None)?;
        self.rows.finish(Arc::new(calls), self.validity.finish())
    }
}

/// Returns why a call is rejected: the code, and after a colon what else is known.
fn reason(reason: Reason) -> String {
    let detail = reason.note().map(|note| note.code()).or(reason.part().map(|part| part.code()));
    detail.map_or_else(|| reason.code().to_owned(), |detail| format!("{}: {detail}", reason.code()))
}

/// A column of strings that returns an error where its offsets would overflow.
struct Strings<O: OffsetSizeTrait>(GenericStringBuilder<O>);

impl<O: OffsetSizeTrait> Strings<O> {
    fn new() -> Strings<O> {
        Strings(GenericStringBuilder::with_capacity(0, 0))
    }

    /// Joins columns, one after the other, and frees each.
    fn join(columns: &mut [Strings<O>]) -> Result<Strings<O>, ColumnError> {
        inject("join");
        let mut all = Strings::for_all(columns.iter());
        columns.iter_mut().try_for_each(|column| all.append(mem::replace(column, Strings::new())))?;
        Ok(all)
    }

    /// Creates a column with space for those of all others.
    fn for_all<'a>(others: impl Iterator<Item = &'a Strings<O>>) -> Strings<O> {
        let sizes = others.map(|one| (one.len(), one.0.values_slice().len()));
        let (items, bytes) = sizes.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        Strings(GenericStringBuilder::with_capacity(items, bytes))
    }

    fn len(&self) -> usize {
        self.0.offsets_slice().len() - 1
    }

    fn push(&mut self, text: Option<&str>) -> Result<(), ColumnError> {
        let len = self.0.values_slice().len() + text.map_or(0, str::len);
        O::from_usize(len).ok_or(ColumnError::TooLarge)?;
        self.0.append_option(text);
        Ok(())
    }

    fn append(&mut self, mut other: Strings<O>) -> Result<(), ColumnError> {
        Ok(self.0.append_array(&other.0.finish())?)
    }

    fn finish(mut self) -> ArrayRef {
        Arc::new(self.0.finish())
    }
}

/// The offsets of a column of lists.
struct Lists(Vec<i32>);

impl Lists {
    fn new(capacity: usize) -> Lists {
        let mut offsets = Vec::with_capacity(capacity + 1);
        offsets.push(0);
        Lists(offsets)
    }

    fn len(&self) -> usize {
        self.0.len() - 1
    }

    /// Ends a list, after which there are so many elements in all lists.
    fn end_list(&mut self, elements: usize) -> Result<(), ColumnError> {
        self.0.push(i32::try_from(elements).map_err(|_| ColumnError::TooLarge)?);
        Ok(())
    }

    fn append(&mut self, other: &Lists) -> Result<(), ColumnError> {
        let elements = self.0[self.len()];
        for offset in &other.0[1..] {
            self.0.push(elements.checked_add(*offset).ok_or(ColumnError::TooLarge)?);
        }
        Ok(())
    }

    fn finish(self, values: ArrayRef, nulls: Option<NullBuffer>) -> Result<ListArray, ArrowError> {
        let field = Arc::new(Field::new_list_field(values.data_type().clone(), true));
        ListArray::try_new(field, OffsetBuffer::new(self.0.into()), values, nulls)
    }
}
