/** docs/reference/commands.md: every command with its arguments and flags, from their declarations. */
import { Command, type Option } from 'commander'
import { declareCommands } from '../../packages/assay/src/cli/commands/commands.ts'
import type { Context } from '../../packages/assay/src/cli/commands/context.ts'
import { cell } from './keys.ts'

export function commandsPage(): string[] {
  const assay = new Command('assay')
  // The context can be empty here, because declaring a command uses neither the output nor the exit code.
  declareCommands(assay, {} as Context)
  const groups = Map.groupBy(assay.commands, (command) => command.helpGroup())
  return [
    ...[...groups].flatMap(([title, commands]) => [
      `- ${title} ${commands.map((command) => `[${command.name()}](#assay-${command.name()})`).join(', ')}`,
    ]),
    '',
    ...assay.commands.flatMap((command) => sectionOf(command, ['assay'])),
  ]
}

function sectionOf(command: Command, parents: readonly string[]): string[] {
  const words = [...parents, command.name()]
  const args = command.registeredArguments
  const groups = Map.groupBy(
    command.options.filter((option) => !option.hidden),
    (option) => option.helpGroupHeading ?? '',
  )
  return [
    `${'#'.repeat(words.length)} ${words.join(' ')}`,
    '',
    sentence(command.description()),
    '',
    ...(args.length === 0
      ? []
      : table(
          'argument',
          args.map((one) => [
            `\`${one.required ? `<${one.name()}` : `[${one.name()}`}${one.variadic ? '...' : ''}${one.required ? '>' : ']'}\``,
            one.description,
          ]),
        )),
    ...[...groups].flatMap(([title, options]) => [
      ...(title === '' ? [] : [`**${title.replace(/:$/u, '')}**`, '']),
      ...table(
        'flag',
        options.map((option) => [`\`${option.flags}\``, flagText(option)]),
      ),
    ]),
    ...command.commands.flatMap((inner) => sectionOf(inner, words)),
  ]
}

const table = (name: string, rows: readonly (readonly [string, string])[]): string[] => [
  `| ${name} | what it does |`,
  '|---|---|',
  ...rows.map(([first, text]) => `| ${first} | ${cell(text)} |`),
  '',
]

const flagText = ({ description, argChoices, defaultValue }: Option): string =>
  [
    description,
    ...(argChoices === undefined ? [] : [`one of ${argChoices.join(', ')}`]),
    ...(defaultValue === undefined || defaultValue === false || Array.isArray(defaultValue)
      ? []
      : [`default: ${String(defaultValue)}`]),
  ].join('; ')

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`
