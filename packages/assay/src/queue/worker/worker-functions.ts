/** Loads suites whose subjects and graders are functions, from the worker's copy of the project. */
import type { Suite } from '@assay/contract'
import { hashOf } from '@assay/contract/hash'
import { ownVariables } from '../../environment/index.ts'
import { passVariables, openProcessHost } from '../../functions/index.ts'
import type { Head, Lane } from '../messages.ts'

/**
 * Returns the suites with their functions. If the functions of a suite cannot be used, the worker refuses its trials.
 * The caller must have checked that the project is trusted and has the same content. Functions that close resources are
 * added to `closers`.
 */
export async function withFunctions(
  suites: readonly Suite[],
  head: Head,
  {
    isServed,
    refuse,
    closers,
  }: {
    readonly isServed: (lane: Lane) => boolean
    readonly refuse: (why: string, isMeant: (lane: Lane) => boolean) => void
    readonly closers: (() => Promise<void>)[]
  },
): Promise<Suite[]> {
  const loaded: Suite[] = []
  for (const suite of suites) {
    const wanted = head.suites.find(({ id }) => id === suite.id)?.functions ?? null
    const isOfSuite = (lane: Lane): boolean => lane.suite === suite.id
    if (wanted === null || !head.lanes.some((lane) => isOfSuite(lane) && isServed(lane))) {
      loaded.push(suite)
      continue
    }
    const opened = await openProcessHost(suite.path)
    if (opened.kind !== 'functions') {
      const why = opened.kind === 'failed' ? `fails: ${opened.reason}` : 'has no functions'
      refuse(`its ${suite.id} ${why}`, isOfSuite)
      loaded.push(suite)
      continue
    }
    const { host } = opened
    closers.push(() => host.close())
    if (hashOf(host.description.value) !== wanted)
      refuse(
        `the cases that ${suite.id} makes differ from those of the run: they depend on more than the project`,
        isOfSuite,
      )
    const own = { ...suite, functions: host }
    passVariables(own, ownVariables())
    loaded.push(own)
  }
  return loaded
}
