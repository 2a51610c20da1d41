/** The scripts in the shells themselves, where they are installed. */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { beforeEach, describe, expect, it } from 'vitest'
import { suiteFolder } from '../../../../test/suite-folder.ts'
import { declareCommands } from '../commands.ts'
import type { Context } from '../context.ts'
import { completionCommand } from './completion.ts'
import { SHELLS, type Shell } from './shells.ts'

const assay = new Command('assay').version('1.0.0')
// Declaring a command uses neither the output nor the exit code.
declareCommands(assay, {} as Context)

const isInstalled = (shell: string): boolean => spawnSync(shell, ['-c', 'true']).status === 0

let folder: string
beforeEach(async () => {
  folder = await suiteFolder({ 'suite.toml': '' })
  mkdirSync(join(folder, '.assay/runs/20260101-first'), { recursive: true })
  for (const shell of SHELLS) {
    let script = ''
    completionCommand(assay, shell, { out: (text) => void (script += text) })
    writeFileSync(join(folder, shell), script)
  }
})

/** For each shell, a program that prints what it offers after the words, one per line. */
const PROGRAMS: Readonly<Record<Shell, (words: string) => string>> = {
  bash: (words) =>
    `source ./bash; COMP_WORDS=(${words}); [[ "${words}" == *' ' ]] && COMP_WORDS+=(''); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _assay; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // The functions of zsh's completion system print what they are given.
  zsh: (words) =>
    `compdef() { : }; _files() { print -l *(N) }; compadd() { print -l -- $@ }; _describe() { print -l -- \${\${(P)@[-1]}%%:*} }; source ./zsh; words=(\${(z):-"${words}"}); [[ "${words}" == *' ' ]] && words+=(''); CURRENT=$#words; _assay; true`,
  fish: (words) => `source ./fish; complete -C "${words}" | string replace -r '\\t.*' ''; true`,
}

const offered = (shell: Shell, words: string): string[] => {
  const flags = shell === 'fish' ? ['--no-config'] : shell === 'zsh' ? ['-f'] : ['--norc']
  const env = { ...process.env, HOME: folder }
  const printed = execFileSync(shell, [...flags, '-c', PROGRAMS[shell](words)], {
    cwd: folder,
    env,
  })
  return printed
    .toString()
    .split('\n')
    .filter((line) => line !== '')
}

describe.each(SHELLS)('%s', (shell) => {
  it.skipIf(!isInstalled(shell))('completes commands, flags, choices, runs', () => {
    expect(offered(shell, 'assay ')).toEqual(
      expect.arrayContaining(assay.commands.map((command) => command.name())),
    )
    expect(offered(shell, 'assay runs ')).toEqual(expect.arrayContaining(['tag']))
    expect(offered(shell, 'assay run --')).toEqual(
      expect.arrayContaining(['--model', '--only', '--fail-under', '--help']),
    )
    expect(offered(shell, 'assay run --')).not.toContain('--drain')
    expect(offered(shell, 'assay run suite.toml --only ').toSorted()).toEqual(
      ['changed', 'errored', 'failed', 'flaky'].toSorted(),
    )
    expect(offered(shell, 'assay show ')).toEqual(
      expect.arrayContaining(['latest', '20260101-first']),
    )
    expect(offered(shell, 'assay run suite.toml --of ')).toContain('latest')
    expect(offered(shell, 'assay run suite.toml --trials ')).toEqual([])
    expect(offered(shell, 'assay completion ').toSorted()).toEqual(SHELLS.toSorted())
  })
  it.skipIf(!isInstalled(shell))('executes nothing that a name in the folder says', () => {
    const names = ['$(touch${IFS}one)', '`touch two`', '-x $(touch three)']
    for (const name of names) mkdirSync(join(folder, '.assay/runs', name))
    writeFileSync(join(folder, '$(touch four)'), '')
    expect(offered(shell, 'assay show ')).toEqual(expect.arrayContaining(['latest', ...names]))
    for (const made of ['one', 'two', 'three', 'four'])
      expect(existsSync(join(folder, made)), made).toBe(false)
  })
})
