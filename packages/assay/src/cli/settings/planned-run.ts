/** The result of planning a run. */
import type { Subject, Suite } from '@assay/contract'
import type { ExperimentRecord, LeftOutRecord } from '../../log/index.ts'
import type { ModelParameters, NamedSubject, ProviderSettings } from '../../subject/index.ts'
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
  /** The models that answer, each with the place (a flag or a file) that set it. */
  readonly models: readonly Setting<string>[]
  /** The judges that replace those in the suites. Null if the suites' own judges are used. */
  readonly judgeNames: Setting<readonly string[]> | null
  readonly named: Readonly<Record<string, NamedSubject>>
  /** The subjects that set their own timeout. */
  readonly ownTimeouts: readonly (readonly [id: string, ms: number])[]
  /** The source of the prices, as it is stored in the run's record. */
  readonly prices: string
  /** The data from which the subjects were made. Workers use it to make the same subjects. */
  readonly recipe: {
    readonly named: Readonly<Record<string, NamedSubject>>
    readonly providers: Readonly<Record<string, ProviderSettings>>
    readonly parameters: ModelParameters
    readonly defaults: ModelParameters
    readonly subjects: readonly string[]
    readonly folder: string
    readonly pricesFile: string | null
  }
  readonly experiment?: ExperimentRecord
  /** The cases of the suites that are not run. */
  readonly leftOut?: LeftOutRecord
  /** The programs and addresses of the plan, and whether they are allowed. */
  readonly trust: PlanTrust
  /** Warnings to print before anything starts. */
  readonly warnings: readonly string[]
}
