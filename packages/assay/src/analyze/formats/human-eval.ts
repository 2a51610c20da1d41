/** Reads the `result` that HumanEval's checker writes: "passed", "timed out" or "failed: …". */
import type { RowReason } from '../table/result-table.ts'

export const humanEvalReason = (result: string): RowReason =>
  result.trim() === 'timed out'
    ? { code: 'code-timeout', text: 'timed out' }
    : { code: 'tests-failed', text: result }
