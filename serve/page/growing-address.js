// @ts-check
// Where the markdown parser is. In the bundle it is another address, with a version.

export const GROWING = '/assets/growing.js';
