/**
 * Helpers for tests of suites: a folder that is removed after the test, and simple graders instead of the real
 * ones.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { onTestFinished } from 'vitest'
import { z } from 'zod'
import { type LoadedSuite, type SuiteGrader, loadSuite } from '../src/suite/index.ts'
import { SuiteError } from '../src/documents/index.ts'

/** Writes files by relative path into a new folder, which is removed when the test ends. */
export async function suiteFolder(
  files: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'assay-suite-'))
  onTestFinished(async () => await rm(folder, { recursive: true, force: true }))
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name)
    await mkdir(path.dirname(file), { recursive: true })
    await writeFile(file, content)
  }
  return folder
}

export const testGraders: readonly SuiteGrader[] = [
  {
    type: 'equals',
    summary: 'the answer is a text',
    options: z.strictObject({ value: z.string().describe('The text.') }),
  },
  {
    type: 'contains',
    summary: 'the answer contains a text',
    options: z.strictObject({
      value: z.string().min(1).describe('The text.'),
      ignoreCase: z.boolean().default(false).describe('Whether case matters.'),
    }),
  },
  {
    type: 'matches',
    summary: 'the answer matches a pattern',
    options: z.strictObject({
      pattern: z.string().min(1).describe('The pattern.'),
      flags: z.string().default('').describe('Its flags.'),
    }),
  },
  { type: 'hint', summary: 'advice', options: z.strictObject({}), verdict: false },
  {
    type: 'code',
    summary: 'the code passes its tests',
    options: z.strictObject({ timeout: z.string().optional().describe('For the code.') }),
  },
]

/** Loads one suite from its text. */
export async function loadText(
  name: string,
  content: string | Uint8Array,
  beside: Readonly<Record<string, string | Uint8Array>> = {},
): Promise<LoadedSuite> {
  const folder = await suiteFolder({ ...beside, [name]: content })
  return await loadSuite(path.join(folder, name), { graders: testGraders })
}

/** Returns the problems of an invalid suite, each as `line:column: message`. */
export async function problemsOf(name: string, content: string | Uint8Array): Promise<string[]> {
  try {
    await loadText(name, content)
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error
    return error.problems.map(({ line, column, message }) => `${line}:${column}: ${message}`)
  }
  return []
}
