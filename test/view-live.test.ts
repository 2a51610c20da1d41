import { followRun } from './view-live.ts'

followRun({ trialsPerCase: 5, parallelism: 1 })
