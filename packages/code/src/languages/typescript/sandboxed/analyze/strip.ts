/**
 * Turns TypeScript into JavaScript: with the syntax tree if it is common syntax (blank-types.ts), otherwise with the
 * function that Node itself uses. That function is a WebAssembly module, and a hostile source can break it for all later
 * sources. Therefore any unknown failure ends this process, and the host starts a new one.
 */
import { stripTypeScriptTypes } from 'node:module'
import { blankTypes } from './blank-types.ts'

const INVALID = 'ERR_INVALID_TYPESCRIPT_SYNTAX'
const UNSUPPORTED = 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'

/** The source does not parse, or it uses syntax that cannot be turned into JavaScript. */
export class CannotStrip extends Error {
  override readonly name = 'CannotStrip'
}

/**
 * Whether V8 has the flags for this WebAssembly. It never runs long enough for optimized code to pay off. They are set
 * here and not at the start, because with them V8 does not use the code of Node's modules that was compiled in advance.
 */
let isSet = false

export function stripped(source: string): string {
  const blanked = blankTypes(source)
  if (blanked !== null) return blanked
  if (!isSet) process.getBuiltinModule('node:v8').setFlagsFromString('--liftoff-only')
  if (!isSet) process.getBuiltinModule('node:v8').setFlagsFromString('--wasm-lazy-validation')
  isSet = true
  // First try to blank the types, which is four times as fast. Only enums and similar syntax need the transformation.
  for (const mode of ['strip', 'transform'] as const)
    try {
      return stripTypeScriptTypes(source, { mode })
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === UNSUPPORTED && mode === 'strip') continue
      if (code === INVALID || code === UNSUPPORTED) throw new CannotStrip(message, { cause: error })
      process.exit(70)
    }
  throw new CannotStrip('it uses syntax that has no JavaScript')
}
