//! The result of one array, by one thread or several.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{ops::Range, thread};

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, ListArray, OffsetSizeTrait, new_null_array};
use arrow_schema::DataType;
use arrow_select::concat::concat;
use arrow_select::take::take;

use super::calls::Calls;
use super::cell_parser::CellParser;
use super::cells::{Cells, has_large_output, output_type};
use super::error::Error;

/// How a column is parsed.
pub(super) struct Settings {
    pub(super) parser: CellParser,
    pub(super) threads: usize,
}

/// The number of pieces of an array for each thread: enough for rows of unequal length.
const PIECES: usize = 8;

/// Returns the calls of each row.
pub(super) fn questions(column: &dyn Array, settings: &Settings) -> Result<ArrayRef, Error> {
    match column.data_type() {
        DataType::Null => Ok(new_null_array(&output_type(column.data_type())?, column.len())),
        DataType::Dictionary(..) => of_dictionary(column, settings),
        data_type if has_large_output(data_type)? => rows::<i64>(&Cells::new(column)?, settings),
        _ => rows::<i32>(&Cells::new(column)?, settings),
    }
}

/// Parses each value once, unless there are more values than rows.
fn of_dictionary(column: &dyn Array, settings: &Settings) -> Result<ArrayRef, Error> {
    let dictionary = column.as_any_dictionary();
    let (keys, values) = (dictionary.keys(), dictionary.values());
    if values.len() > keys.len() {
        return questions(&take(values, keys, None)?, settings);
    }
    Ok(take(&questions(values, settings)?, keys, None)?)
}

fn rows<O: OffsetSizeTrait>(cells: &Cells, settings: &Settings) -> Result<ArrayRef, Error> {
    let piece = cells.len().div_ceil(settings.threads * PIECES).max(1);
    if settings.threads == 1 || piece == cells.len() {
        return Ok(Arc::new(piece_of::<O>(cells, 0..cells.len(), &mut settings.parser.clone())?));
    }
    let next = AtomicUsize::new(0);
    let work = || {
        let (mut parser, mut done) = (settings.parser.clone(), Vec::new());
        loop {
            let start = next.fetch_add(piece, Ordering::Relaxed);
            if start >= cells.len() {
                return Ok(done);
            }
            let rows = start..(start + piece).min(cells.len());
            done.push((start, piece_of::<O>(cells, rows, &mut parser)?));
        }
    };
    let workers: Result<Vec<_>, Error> = thread::scope(|scope| {
        let workers: Vec<_> = (0..settings.threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or(Err(Error::Panic))).collect()
    });
    let mut pieces: Vec<(usize, ListArray)> = workers?.into_iter().flatten().collect();
    pieces.sort_unstable_by_key(|(start, _)| *start);
    let pieces: Vec<&dyn Array> = pieces.iter().map(|(_, lists)| lists as &dyn Array).collect();
    Ok(concat(&pieces)?)
}

/// Returns the calls of some rows.
fn piece_of<O: OffsetSizeTrait>(
    cells: &Cells,
    rows: Range<usize>,
    parser: &mut CellParser,
) -> Result<ListArray, Error> {
    let mut calls = Calls::<O>::new(rows.len());
    for row in rows {
        let cell = cells.get(row);
        if let Some(cell) = cell {
            parser.parse(cell, &mut calls)?;
        }
        calls.end_row(cell.is_some())?;
    }
    Ok(calls.finish()?)
}
