/**
 * Finds tests that change the modules, the clock or the globals of a solution. Such tests must run in the solution's
 * process, because another process has its own modules, clock and globals.
 */
import { scriptSource } from './source-reader.ts'

const MODULES = /\b(?:vi|vitest|jest)\s*\.\s*mock\s*\(/
const SURROUNDINGS =
  /\.\s*(?:useFakeTimers|setSystemTime|stubGlobal|stubEnv)\s*\(|\bmock\s*\.\s*timers\b|(?:\bspyOn|\.\s*method)\s*\(\s*(?:console|Math|Date|globalThis|global|process|performance|crypto)\b/

export function inProcessNeeded(tests: string): 'always' | 'perhaps' | 'no' {
  const { text } = scriptSource.bare(tests)
  if (MODULES.test(text)) return 'always'
  return SURROUNDINGS.test(text) ? 'perhaps' : 'no'
}
