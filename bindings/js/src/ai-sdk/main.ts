import "../core-main.js";

export * from "./index.js";
