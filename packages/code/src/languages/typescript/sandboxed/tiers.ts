/**
 * Delays compilation in short-lived processes. V8 (Node's JavaScript engine) compiles functions that run often, in
 * the background. That pays off in a process that serves many solutions. In a small run it costs more time than it
 * saves: about a tenth of what a tester or the analyzer uses. So these programs start with higher thresholds, and set
 * V8's own thresholds again after a number of solutions.
 */

/** After this many solutions or tests, V8's own thresholds are set again. */
const MOST_UNCOMPILED = 40

/** The version of V8 that has these flags and thresholds. With any other version, nothing is changed. */
const KNOWN_V8 = '13.6.'

/** How often a function must run before V8 compiles it: the value at first, and V8's own value. */
const THRESHOLDS: readonly (readonly [flag: string, atFirst: number, usual: number])[] = [
  ['invocation-count-for-maglev', 8000, 400],
  ['invocation-count-for-maglev-osr', 2000, 100],
  ['invocation-count-for-turbofan', 30_000, 3000],
  ['invocation-count-for-osr', 5000, 500],
  ['baseline-batch-compilation-threshold', 400_000, 4096],
]

/**
 * Sets V8's flags so that it compiles functions only after many calls. Returns a function that must be called for each
 * solution. After some solutions, it sets the usual values again. Call `compileLater` only after the needed modules of
 * Node are loaded: V8 uses code that was compiled in advance only while its flags are the same as during the
 * compilation.
 */
export function compileLater(): () => void {
  if (!process.versions.v8.startsWith(KNOWN_V8)) return () => {}
  const { setFlagsFromString } = process.getBuiltinModule('node:v8')
  for (const [flag, atFirst] of THRESHOLDS) setFlagsFromString(`--${flag}=${atFirst}`)
  let served = 0
  return () => {
    if (++served !== MOST_UNCOMPILED) return
    for (const [flag, , usual] of THRESHOLDS) setFlagsFromString(`--${flag}=${usual}`)
  }
}
