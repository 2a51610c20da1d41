/** Common names of columns. Case and word separators are ignored: `costUsd` matches `cost_usd`. */
import type { Role } from './column-map.ts'
import type { NumberName } from './result-table.ts'

export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s.]/g, '')

/** For each role the column names to look for, the most specific first. */
export const GUESSES: Readonly<Record<Role, readonly string[]>> = {
  suite: ['suite', 'experiment', 'eval_name', 'eval_set', 'skill', 'benchmark', 'dataset'],
  case: [
    'case',
    'case_id',
    'task_id',
    'subtest',
    'stimulus',
    'task',
    'problem_id',
    'problem',
    'question_id',
    'instance_id',
    'test_case',
  ],
  subject: ['subject', 'tier', 'variant', 'model', 'agent_model', 'model_name', 'agent', 'system'],
  index: [
    'index',
    'run_number',
    'trial_index',
    'trial',
    'attempt',
    'run_index',
    'sample_index',
    'completion_id',
    'repetition',
  ],
  passed: [
    'passed',
    'pass',
    'is_passed',
    'correct',
    'is_correct',
    'resolved',
    'outcome',
    'verdict',
    'success',
    'status',
  ],
  score: ['score', 'overall_score', 'total_score'],
  impl: ['impl_rate', 'implementation_rate', 'weighted_score'],
  cost: ['cost_usd', 'total_cost_usd', 'estimated_cost_usd', 'cost', 'usd', 'answer_usd'],
  duration: [
    'duration_seconds',
    'duration_ms',
    'duration_secs',
    'duration_s',
    'duration',
    'latency_ms',
    'latency_seconds',
    'latency_s',
    'latency',
    'answer_ms',
    'elapsed_seconds',
    'elapsed_ms',
    'elapsed',
  ],
}

/** Columns that are always guessed: the user cannot name them. */
export const ALSO: readonly (readonly [NumberName, readonly string[]])[] = [
  ['judgeUsd', ['judge_cost_usd', 'judge_usd']],
  ['input', ['input_tokens', 'prompt_tokens', 'tokens_input']],
  ['output', ['output_tokens', 'completion_tokens', 'tokens_output']],
  ['cacheRead', ['cache_read_tokens', 'cache_read_input_tokens', 'cached_tokens']],
  ['cacheWrite', ['cache_creation_tokens', 'cache_creation_input_tokens', 'cache_write_tokens']],
  ['reasoning', ['reasoning_tokens']],
  ['waitMs', ['wait_ms']],
  ['gradeMs', ['grade_ms']],
]
/** Columns that complete a subject's name: tiers and variants of several models must not be mixed. */
export const CONTEXT = ['agent_model', 'model', 'model_name']
export const NEEDS_CONTEXT = new Set(['tier', 'variant'])
