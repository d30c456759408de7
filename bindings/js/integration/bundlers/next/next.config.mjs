// Tells Next.js where the packages of the app are installed.

import { dirname } from "node:path";

/** The packages are in the folder above. */
export default {
  turbopack: { root: dirname(import.meta.dirname) },
  outputFileTracingRoot: dirname(import.meta.dirname),
};
