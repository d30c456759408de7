// Random numbers from a seed.

/** Returns a generator of numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function random(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Returns an integer from 0 up to `below`. */
export function whole(next, below) {
  return Math.floor(next() * below);
}

/** Returns one of the elements. */
export function pick(next, all) {
  return all[whole(next, all.length)];
}
