/**
 * Node 24 can end with a fatal error when it frees compiled WebAssembly while several threads use some
 * (nodejs/node#64500). `fetch` and the linters use little WebAssembly, so Assay tells V8 to free none of it.
 *
 * A changed flag makes V8 reject the code of Node's own modules that was compiled in advance, which takes 5 ms of a
 * start. So the flag is set when a command begins, and not for `--version` and `--help`.
 */
export async function keepWebAssembly(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8')
  setFlagsFromString('--no-wasm-code-gc')
}
