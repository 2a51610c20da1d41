/**
 * `assay doctor`: shows which tools for grading code and running agents this machine has, and how to install the
 * missing ones.
 */
import { languages, type Tool } from '@assay/code'
import { wrap } from '../../../text/index.ts'
import { inspectSandbox } from '@assay/sandbox'
import { inspectAgents } from '../../../subject/index.ts'
import { VERSION } from '../../../version.ts'
import { printedJson, type Output } from '../../output/output.ts'

export interface DoctorOptions {
  readonly json?: boolean
}

interface LanguageReport {
  readonly language: string
  readonly ready: boolean
  readonly tools: readonly Tool[]
}

export async function doctorCommand(
  options: DoctorOptions,
  output: Pick<Output, 'out' | 'colors' | 'width'>,
): Promise<number> {
  const sandbox = await inspectSandbox()
  const reports: LanguageReport[] = []
  for (const language of languages) {
    const tools = await language.inspect()
    const ready = tools.every(({ how }) => how === undefined)
    reports.push({ language: language.name, ready, tools })
  }
  const agents = await inspectAgents()
  if (options.json === true) {
    const assay = { version: VERSION, node: process.version }
    output.out(`${printedJson({ assay, sandbox, languages: reports, agents }, 2)}\n`)
    return 0
  }
  const { colors, width } = output
  const mark = (ready: boolean): string => (ready ? colors.green('ready  ') : colors.red('missing'))
  const lines = [
    `assay ${VERSION}, Node ${process.version}`,
    '',
    `${mark(sandbox.ready)}  sandbox      ${sandbox.name}${sandbox.version === null ? '' : ` ${sandbox.version}`}`,
    ...sandbox.notes.flatMap((note) => hanging(note, width)),
    ...(sandbox.how === undefined ? [] : hanging(sandbox.how, width)),
  ]
  for (const { language, ready, tools } of reports) {
    const versions = tools.map(({ name, version }) => `${name} ${version ?? 'missing'}`).join(', ')
    const [first = '', ...more] = wrap(versions, width - INDENT.length)
    lines.push(
      `${mark(ready)}  ${language.padEnd(11)}  ${first}`,
      ...more.map((one) => INDENT + one),
    )
    for (const { how } of tools) if (how !== undefined) lines.push(...hanging(how, width))
  }
  // Nobody needs all agents, so a missing agent is not an error.
  for (const { name, title, ready, version, how = '' } of agents) {
    const [first = '', ...more] = wrap(
      ready ? `${title} ${version ?? 'of unknown version'}` : `${title}: ${how}`,
      width - INDENT.length,
    )
    lines.push(
      `${ready ? mark(true) : 'absent '}  ${name.padEnd(11)}  ${first}`,
      ...more.map((one) => INDENT + one),
    )
  }
  output.out(`${lines.join('\n')}\n`)
  return 0
}

const INDENT = ' '.repeat(22)

const hanging = (text: string, width: number): string[] =>
  text.split('\n').flatMap((line) => wrap(line, width - INDENT.length).map((one) => INDENT + one))
