/** A run that is planned. */
import type { Subject, Suite } from '@assay/contract'
import type { ExperimentRecord } from '../../log/index.ts'
import type { NamedSubject } from '../../subject/index.ts'
import type { Setting } from '../../run/index.ts'
import type { RunSettings } from './run-settings.ts'
import type { PlanTrust } from '../trust/plan-trust.ts'
import type { Request } from './run-flags.ts'

export interface PlannedRun {
  readonly suites: readonly Suite[]
  readonly subjects: readonly Subject[]
  readonly judges: readonly Subject[]
  readonly request: Request
  readonly resolved: RunSettings
  /** Who answers, each with where it was said. */
  readonly models: readonly Setting<string>[]
  /** In place of the judges that suites name; null where those judge. */
  readonly judgeNames: Setting<readonly string[]> | null
  readonly named: Readonly<Record<string, NamedSubject>>
  /** Subjects with a timeout of their own. */
  readonly ownTimeouts: readonly (readonly [id: string, ms: number])[]
  /** Where prices come from, for the record. */
  readonly prices: string
  readonly experiment?: ExperimentRecord
  /** What it starts and contacts. */
  readonly trust: PlanTrust
  /** For people, before anything starts. */
  readonly warnings: readonly string[]
}
