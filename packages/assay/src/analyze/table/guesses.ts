/** Common names of columns. Upper case and word separators are ignored: `costUsd` matches `cost_usd`. */
import type { Role } from './column-map.ts'
import type { NumberName } from './result-table.ts'

export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[_\-\s.]/g, '')

/** For each role, the column names to look for, from the most specific to the least specific. */
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
    'test_case_id',
    'case_name',
    'task_name',
    'sample_id',
    'doc_id',
    'example_id',
    'item_id',
    'test_id',
    'test_name',
    'prompt_id',
    'scenario',
    'item',
    'test',
    'question',
    'instance',
    'example',
    'key',
  ],
  subject: [
    'subject',
    'tier',
    'variant',
    'model',
    'agent_model',
    'model_name',
    'model_id',
    'model_name_or_path',
    'agent',
    'system',
    'provider',
    'provider.id',
    'configuration',
    'config',
  ],
  group: ['group', 'case_group', 'cluster'],
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
    'repeat',
    'replicate',
    'epoch',
    'iteration',
    'rep',
    'seed',
    'run',
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
    'succeeded',
    'solved',
    'pass_fail',
    'exact_match',
    'acc',
    'status',
    'ok',
    'result',
  ],
  score: ['score', 'overall_score', 'total_score'],
  impl: ['impl_rate', 'implementation_rate', 'weighted_score'],
  cost: [
    'cost_usd',
    'total_cost_usd',
    'estimated_cost_usd',
    'cost',
    'total_cost',
    'usd',
    'answer_usd',
  ],
  duration: [
    // A table that Assay wrote also has the column `duration_seconds`, which includes waiting and grading. So `answer_ms`
    // must come first.
    'answer_ms',
    'duration_seconds',
    'duration_ms',
    'duration_secs',
    'duration_s',
    'duration',
    'latency_ms',
    'latency_seconds',
    'latency_s',
    'latency',
    'elapsed_seconds',
    'elapsed_ms',
    'elapsed',
    'total_time',
    'runtime',
    'time_s',
    'time_ms',
  ],
  run: ['run_id', 'trial_id', 'runid', 'uuid'],
  judge: [
    'judge',
    'judge_model',
    'judge_name',
    'judge_id',
    'rater',
    'annotator',
    'grader',
    'judge_number',
  ],
  criterion: [
    'criterion',
    'criteria',
    'criterion_name',
    'criterion_id',
    'requirement',
    'dimension',
    'category',
  ],
}

/**
 * Names of columns that contain verdicts only in some tables. Such a column is used only if all its values are
 * verdicts.
 */
export const WEAK_VERDICTS = new Set(['status', 'ok', 'result', 'exactmatch', 'acc', 'passfail'])

/**
 * Names that are too general for a key inside another object. For example, `model.name` is not a case, and
 * `usage.index` is not a trial.
 */
export const NOT_INSIDE = new Set([
  'index',
  'run',
  'result',
  'test',
  'item',
  'example',
  'instance',
  'question',
  'seed',
  'task',
  'system',
  'agent',
  'model',
  'config',
  'case',
  'problem',
  'category',
])

/**
 * In samples of lm-evaluation-harness, an answer has one record for each filter. Each filter grades all answers, so
 * each filter is read as a separate suite.
 */
export const HARNESS = { mark: 'docid', suite: 'filter' }

/** Names of columns with a text that says what the case asks. The most specific names come first. */
export const CASE_TEXTS = [
  'prompt',
  'question',
  'input',
  'instruction',
  'problem_statement',
  'task_description',
]

/** Names of columns that often contain row numbers. Such a column names the case only if no other column does. */
export const ROW_NAMES = new Set(['id', 'row', 'rowid', 'rownumber', 'no', 'nr', 'number', '#'])

/** Numbers that have no flag, so the user cannot name their columns. They are found only by these names. */
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
/**
 * Names of columns that are added to a subject's name. Without the model in the name, the same tier of two models would
 * be one subject.
 */
export const CONTEXT = ['agent_model', 'model', 'model_name']
export const NEEDS_CONTEXT = new Set(['tier', 'variant'])
