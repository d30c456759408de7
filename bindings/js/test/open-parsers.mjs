// Records which parsers were fed and not freed, so that tests detect leaks.

import { Parser } from "followup";

/** The parsers, of all kinds, that were fed since this was imported and are not freed. */
export const openParsers = new Set();

const base = Object.getPrototypeOf(Parser.prototype);
const { feed, free } = base;
base.feed = function (chunk) {
  openParsers.add(this);
  return feed.call(this, chunk);
};
base.free = function () {
  openParsers.delete(this);
  return free.call(this);
};
