// Parses the arguments that the main thread posts, and posts the events.

import { parentPort } from "node:worker_threads";
import { ArgumentsParser } from "followup";
import { run } from "./help.mjs";

parentPort.on("message", (text) =>
  parentPort.postMessage(run(new ArgumentsParser("AskUserQuestion"), [text])),
);
