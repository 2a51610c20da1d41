/** Reads the gates on a single run that the flags of a command ask for. */
import { UsageError } from '@assay/contract'
import { boundGates, readGateArgument, readGates, type Gate } from '../../compare/index.ts'
import type { GatesAsked } from '../../report/index.ts'
import { checkReadHere } from '../../trust/root.ts'
import type { GateFlags } from '../commands/gate-flags.ts'

/**
 * Returns the gates that the flags ask for. Throws a `UsageError` if a gate is wrong. It is called first, so that a
 * mistake is found before anything is run.
 */
export async function gatesAsked(flags: GateFlags): Promise<GatesAsked> {
  const fromFile = await gatesInFile(flags)
  const asked: GatesAsked = {
    gates: [
      ...boundGates(fromFile, flags.gates ?? null),
      ...boundGates(gateArguments(flags), null),
    ],
    strict: flags.strict ?? false,
    requirePass: flags.requirePass ?? false,
  }
  if (asked.strict && asked.gates.length === 0)
    throw new UsageError('--strict is about gates: add --fail-under, --fail-over or --gates FILE')
  return asked
}

/** Returns the gates of the file that the user named. */
export async function gatesInFile({ gates: file }: GateFlags): Promise<readonly Gate[]> {
  if (file === undefined) return []
  checkReadHere(file)
  return await readGates(file)
}

export const gateArguments = ({ failUnder = [], failOver = [] }: GateFlags): Gate[] => [
  ...failUnder.map((text) => readGateArgument('--fail-under', text)),
  ...failOver.map((text) => readGateArgument('--fail-over', text)),
]
