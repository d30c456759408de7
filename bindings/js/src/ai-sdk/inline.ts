import "../inline.js";

export * from "./index.js";
