/** The flags for gates on a single run. `assay run` and `assay report` share them. */
import { Option, type Command } from 'commander'
import { BOUND_METRICS } from '../../report/gates/names.ts'
import { list } from '../settings/arguments.ts'

export interface GateFlags {
  readonly failUnder?: readonly string[]
  readonly failOver?: readonly string[]
  readonly gates?: string
  readonly strict?: boolean
  readonly requirePass?: boolean
}

export const FAIL_UNDER = `fail if a metric is surely below this, as passRate=0.8 or passRate=0.8,tag=NAME; metrics: ${BOUND_METRICS.join(', ')}`
export const FAIL_OVER = 'fail if it is surely above this, as costOfPass=0.1'

/** Adds the flags for bounds such as --fail-under. Commands that have other gates too use this function. */
export const boundFlags = (command: Command): Command =>
  command
    .addOption(new Option('--fail-under <metric=value>', FAIL_UNDER).argParser(list))
    .addOption(new Option('--fail-over <metric=value>', FAIL_OVER).argParser(list))

/** Adds all flags for gates on a single run. */
export const gateFlags = (command: Command): Command =>
  boundFlags(command.optionsGroup('Gates (exit code 1 if one fails):'))
    .option('--gates <file>', 'gates with min or max, from a TOML file')
    .option('--require-pass', 'fail unless every skill passes: its score reaches the threshold')
    .option('--strict', 'a gate that is not decided fails')
