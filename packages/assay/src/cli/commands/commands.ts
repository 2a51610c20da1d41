/**
 * The commands in the groups and in the order in which `assay --help` lists them. Each command is a folder. Its
 * `flags.ts` declares the arguments and flags, and imports the command's code only when the command is called.
 */
import type { Command } from 'commander'
import { declareAnalyze } from './analyze/flags.ts'
import { declareBless } from './bless/flags.ts'
import { declareCompare } from './compare/flags.ts'
import { declareCompletion } from './completion/flags.ts'
import { declareDoctor } from './doctor/flags.ts'
import { declareGraders } from './graders/flags.ts'
import { declareImport } from './import/flags.ts'
import { declareInit } from './init/flags.ts'
import { declareLabel } from './label/flags.ts'
import { declareMerge } from './merge/flags.ts'
import { declareModels } from './models/flags.ts'
import { declareQueue } from './queue/flags.ts'
import { declareReport } from './report/flags.ts'
import { declareRun } from './run/flags.ts'
import { declareRuns } from './runs/flags.ts'
import { declareSchema } from './schema/flags.ts'
import { declareShow } from './show/flags.ts'
import { declareTrust } from './trust/flags.ts'
import { declareValidate } from './validate/flags.ts'
import { declareView } from './view/flags.ts'
import { declareWorker } from './worker/flags.ts'
import type { Context } from './context.ts'

type Declare = (assay: Command, context: Context) => void

const GROUPS: Readonly<Record<string, readonly Declare[]>> = {
  'Run:': [declareRun, declareMerge, declareWorker, declareQueue],
  'Prepare:': [
    declareValidate,
    declareInit,
    declareImport,
    declareSchema,
    declareModels,
    declareGraders,
    declareDoctor,
    declareTrust,
    declareCompletion,
  ],
  'What came of it:': [
    declareView,
    declareRuns,
    declareReport,
    declareShow,
    declareLabel,
    declareCompare,
    declareBless,
    declareAnalyze,
  ],
}

export function declareCommands(assay: Command, context: Context): void {
  for (const [title, commands] of Object.entries(GROUPS)) {
    assay.commandsGroup(title)
    for (const declare of commands) declare(assay, context)
  }
}
