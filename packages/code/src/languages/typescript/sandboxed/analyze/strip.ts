/**
 * TypeScript to JavaScript, by what Node itself uses. That is a WebAssembly module which a hostile source
 * can break for all that come after it: whatever fails in an unknown way ends this process, which the host
 * then starts anew.
 */
import { stripTypeScriptTypes } from 'node:module'

const INVALID = 'ERR_INVALID_TYPESCRIPT_SYNTAX'
const UNSUPPORTED = 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX'

/** The source is no program, or none that can be run. */
export class CannotStrip extends Error {
  override readonly name = 'CannotStrip'
}

export function stripped(source: string): string {
  // Blanking types is four times as fast as the transformation that enums and such need.
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
