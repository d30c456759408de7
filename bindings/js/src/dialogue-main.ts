import module from "#dialogue-module";
import { installDialogue } from "./dialogue.js";

installDialogue(module);

export * from "./dialogue.js";
