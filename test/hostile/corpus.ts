/** All hostile programs by language. A program is identified by its language, its kind and its name. */
import { javascriptPrograms } from './javascript.ts'
import type { Hostile } from './program.ts'
import { pythonInProcess } from './python-in-process.ts'
import { pythonLimits } from './python-limits.ts'
import { pythonReach } from './python-reach.ts'
import { pythonVerdicts } from './python-verdicts.ts'
import { rustCompile } from './rust-compile.ts'
import { rustLimits } from './rust-limits.ts'
import { rustReach } from './rust-reach.ts'
import { rustVerdicts } from './rust-verdicts.ts'
import type { LanguageName } from './tasks.ts'
import { typescriptCompile } from './typescript-compile.ts'
import { typescriptLimits } from './typescript-limits.ts'
import { typescriptReach } from './typescript-reach.ts'
import { typescriptVerdicts } from './typescript-verdicts.ts'

export const corpus: Readonly<Record<LanguageName, readonly Hostile[]>> = {
  typescript: [
    ...typescriptVerdicts,
    ...typescriptReach,
    ...typescriptLimits,
    ...typescriptCompile,
  ],
  javascript: javascriptPrograms,
  python: [...pythonVerdicts, ...pythonInProcess, ...pythonReach, ...pythonLimits],
  rust: [...rustVerdicts, ...rustReach, ...rustLimits, ...rustCompile],
}

export const idOf = ({ kind, name }: Hostile): string =>
  `${String(kind).padStart(2, '0')}-${name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`
