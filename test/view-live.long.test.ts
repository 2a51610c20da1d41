import { followRun } from './view-live.ts'

followRun({ trialsPerCase: 100, parallelism: 8 })
