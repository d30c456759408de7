// The entry `followup/dialogue`: the dialogue, with its WebAssembly module already installed.

import module from "#dialogue-module";
import { installDialogue } from "./dialogue.js";

installDialogue(module);

export * from "./dialogue.js";
