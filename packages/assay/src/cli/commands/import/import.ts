/**
 * `assay import`: writes a suite and a run file from a promptfoo configuration, and lists what could not be
 * converted.
 */
import { lstatSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { stringify as tomlOf } from 'smol-toml'
import { stringify as yamlOf } from 'yaml'
import { plain, UsageError, shellPath } from '@assay/contract'
import { graders } from '../../../grade/index.ts'
import { convertPromptfoo, loadSuite } from '../../../suite/index.ts'
import { counted } from '../../../text/index.ts'
import { checkWrittenHere } from '../../../trust/root.ts'
import type { Output } from '../../output/output.ts'
import { programName } from '../../output/program-name.ts'

export interface ImportOptions {
  readonly file: string
  readonly output?: string
}

export async function importCommand(
  { file, output: given }: ImportOptions,
  output: Pick<Output, 'out' | 'err' | 'colors'>,
): Promise<number> {
  const suiteFile = given ?? path.join(path.dirname(file), 'suite.yaml')
  if (path.dirname(path.resolve(suiteFile)) !== path.dirname(path.resolve(file)))
    throw new UsageError(
      `the suite names files of ${path.dirname(file)}, so it must be in the same folder: --output ${shellPath(path.join(path.dirname(file), path.basename(suiteFile)))}`,
    )
  checkWrittenHere(path.dirname(suiteFile))
  const runFile = suiteFile.replace(/\.\w+$/, '.run.toml')
  // A link to a missing file counts as existing, because writing would create the file that it points to.
  const existing = [suiteFile, runFile].filter(
    (one) => lstatSync(one, { throwIfNoEntry: false }) !== undefined,
  )
  if (existing.length > 0)
    throw new UsageError(
      `${existing.join(', ')} already there: nothing was written. Name another file with --output`,
    )
  const { suite, run, cases, lost, notes } = await convertPromptfoo(file)
  await writeFile(
    suiteFile,
    `# Made from ${path.basename(file)} by assay import.\n${yamlOf(suite, { lineWidth: 100 })}`,
    { flag: 'wx' },
  )
  await writeFile(runFile, `# Who answers, from ${path.basename(file)}.\n${tomlOf(run)}\n`, {
    flag: 'wx',
  })
  const incomplete = (suite['cases'] as { readonly tags?: unknown }[]).filter(
    ({ tags }) => tags !== undefined,
  ).length
  output.out(
    [
      `wrote ${plain(suiteFile)} with ${counted(cases, 'case')}, and ${plain(runFile)}`,
      ...(lost.length === 0
        ? ['everything was carried over']
        : ['', `not carried over (${lost.length}):`, ...lost.map((one) => `  ${plain(one)}`)]),
      ...(incomplete === 0
        ? []
        : [
            '',
            `${counted(incomplete, 'case')} lost assertions, so answers pass more easily there. They have the tag incomplete: finish them, or leave them out`,
          ]),
      ...(notes.length === 0 ? [] : ['', 'look at:', ...notes.map((one) => `  ${plain(one)}`)]),
      '',
      'next:',
      `  ${programName()} run ${shellPath(suiteFile)} --config ${shellPath(runFile)} --dry-run`,
      '',
    ].join('\n'),
  )
  // If the suite reader refuses the suite, this throws. The suite stays on disk, so that the user can correct it.
  const { warnings } = await loadSuite(suiteFile, { graders })
  for (const { text } of warnings)
    output.err(`${output.colors.yellow('warning:')} ${plain(text)}\n`)
  return 0
}
