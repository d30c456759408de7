import { installDialogue } from "./dialogue.js";
import module from "#dialogue-module";

installDialogue(module);

export * from "./dialogue.js";
