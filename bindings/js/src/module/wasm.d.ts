// Declares the type of imports of `*.wasm?module`, which edge runtimes compile when deployed.

declare module "*.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
