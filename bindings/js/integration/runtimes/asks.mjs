// What Bun builds in a test.

import { Parser } from "followup";
import { Dialogue } from "followup/dialogue";

console.log(new Parser().feed("Hi")[0].type, new Dialogue().question ?? null);
