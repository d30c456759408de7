//! The result of one array, by one thread or several.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{iter, ops::Range, thread};

use arrow_array::{Array, ArrayRef, OffsetSizeTrait};

use super::calls::Calls;
use super::cell_parser::CellParser;
use super::cells::{Cells, has_large_output};
use super::error::ColumnError;

/// How a column is parsed.
pub(super) struct Settings {
    pub(super) parser: CellParser,
    pub(super) threads: usize,
}

/// The number of pieces of an array for each thread.
///
/// Enough that no thread waits long for the last piece of another.
const PIECES: usize = 16;

/// Returns the calls of each row.
pub(super) fn questions(column: &dyn Array, settings: &Settings) -> Result<ArrayRef, ColumnError> {
    let cells = Cells::new(column)?;
    if has_large_output(column.data_type())? {
        return Ok(Arc::new(rows::<i64>(&cells, settings)?.finish()?));
    }
    Ok(Arc::new(rows::<i32>(&cells, settings)?.finish()?))
}

fn rows<O: OffsetSizeTrait>(cells: &Cells, settings: &Settings) -> Result<Calls<O>, ColumnError> {
    let piece = cells.len().div_ceil(settings.threads * PIECES).max(1);
    if settings.threads == 1 || piece >= cells.len() {
        return piece_of(cells, 0..cells.len(), &mut settings.parser.clone());
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
            done.push((start, piece_of(cells, rows, &mut parser)?));
        }
    };
    let threads = settings.threads.min(cells.len().div_ceil(piece));
    let workers: Result<Vec<_>, ColumnError> = thread::scope(|scope| {
        // The system may refuse a thread. This one and those that started do the work then.
        let start = || thread::Builder::new().spawn_scoped(scope, work).ok();
        let workers: Vec<_> = (1..threads).map_while(|_| start()).collect();
        let own = work();
        let others = workers.into_iter().map(|worker| worker.join().unwrap_or_else(|panic| resume_unwind(panic)));
        iter::once(own).chain(others).collect()
    });
    let mut pieces: Vec<(usize, Calls<O>)> = workers?.into_iter().flatten().collect();
    pieces.sort_unstable_by_key(|(start, _)| *start);
    Calls::join(pieces.into_iter().map(|(_, piece)| piece).collect())
}

/// Returns the calls of some rows.
fn piece_of<O: OffsetSizeTrait>(
    cells: &Cells,
    rows: Range<usize>,
    parser: &mut CellParser,
) -> Result<Calls<O>, ColumnError> {
    let mut calls = Calls::new(rows.len());
    for row in rows {
        let cell = cells.get(row);
        if let Some(cell) = cell {
            parser.parse(cell, &mut calls)?;
        }
        calls.end_row(cell.is_some())?;
    }
    Ok(calls)
}
