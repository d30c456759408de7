// On edge functions and Workers, a module is compiled when it is deployed, and imported as it is.
export { default } from "../followup-dialogue.wasm?module";
