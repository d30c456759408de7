// Ensures that a double click answers only one question.

import type { MouseEvent } from "react";

/** The pages on which a click of the last series has answered a call. */
const answered = new WeakSet<Document>();

/**
 * Returns whether a click on an open call answers it. Of a series, such as a double click, only one
 * click does: the next one would answer the question that is shown next. Clicks of the series
 * before the call was open don't count.
 */
export function answers({ detail, currentTarget }: MouseEvent): boolean {
  const page = currentTarget.ownerDocument;
  if (detail > 1 && answered.has(page)) return false;
  // A click by a key is of no series.
  if (detail > 0) {
    answered.add(page);
    page.addEventListener("click", forget, true);
  }
  return true;
}

/** Notices the first click of another series, wherever it is. */
function forget({ detail, currentTarget }: Event & { readonly detail?: number }): void {
  if (detail !== undefined && detail > 1) return;
  const page = currentTarget as Document;
  answered.delete(page);
  page.removeEventListener("click", forget, true);
}
