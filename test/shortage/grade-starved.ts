/**
 * Enters control groups that limit a resource, grades all answers at once, and prints the outcome of each. It uses
 * the built packages; with the sources, the programs for TypeScript would have to be built first.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { closeTools } from '@assay/code'
import { openSandbox } from '@assay/sandbox'
import { fakeCase } from '../../packages/assay/test/fakes.ts'
import { gradedWorkspace, judged } from '../../packages/assay/test/grade-answer.ts'

export interface Grading {
  readonly name: string
  readonly type: 'code' | 'run'
  readonly options: Readonly<Record<string, unknown>>
  readonly answer: string
  readonly language?: string
  readonly tests?: string
  /** The files of the workspace that is graded. */
  readonly files?: Readonly<Record<string, string>>
}

export interface GradedStarved {
  readonly name: string
  /** The outcome that the trial would have. */
  readonly outcome: 'passed' | 'failed' | 'errored'
  readonly text: string
}

const [, , file = '', ...groups] = process.argv
const gradings = JSON.parse(readFileSync(file, 'utf8')) as Grading[]
const sandbox = await openSandbox('auto')

async function grade(one: Grading): Promise<GradedStarved> {
  const { name, type, options, answer, language, tests, files } = one
  const asked = fakeCase(name, {
    hash: name,
    lint: 'off',
    ...(language === undefined ? {} : { language }),
    ...(tests === undefined ? {} : { tests }),
  })
  const change = {
    case: asked,
    ...(files === undefined ? {} : { workspace: gradedWorkspace(files) }),
  }
  try {
    const { passed, reason = '' } = await judged(type, options, answer, change, { sandbox })
    return { name, outcome: passed === true ? 'passed' : 'failed', text: reason }
  } catch (error) {
    return { name, outcome: 'errored', text: String(error) }
  }
}

for (const group of groups) writeFileSync(`${group}/cgroup.procs`, String(process.pid))
const graded = await Promise.all(gradings.map(grade))
await closeTools()
await sandbox.close()
process.stdout.write(JSON.stringify(graded))
