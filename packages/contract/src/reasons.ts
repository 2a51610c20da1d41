/** The reasons for a trial's outcome. The list is closed, so that reports can count by reason. */
export const REASONS = {
  // These are the reasons of failed trials: the answer was graded and did not pass.
  'wrong-answer': 'a grader with a verdict did not pass, or the score is below the threshold',
  'empty-answer': 'the answer has no text',
  'no-code': 'the answer has no code',
  'not-compiled': 'the code does not compile',
  'tests-failed': 'the code does not pass its tests',
  'code-timeout': 'the code did not end in time',
  'code-memory': 'the code needed more memory than it may',
  'code-crashed': 'the code crashed, or ended its own process',
  truncated: 'the answer was cut off at its token limit',
  refused: 'the model refused to answer',
  filtered: 'the provider’s content filter stopped the answer',
  'exit-code': 'the command or agent ended with an error',
  'function-failed': 'the function threw an error, or gave no result that can be recorded',
  'answer-timeout': 'the command or agent did not end in time',
  'over-limit': 'the agent went over one of its limits',
  tampered: 'the agent changed files that it had to leave alone',
  'grader-timeout': 'grading this answer did not end in time',
  // These are the reasons of errored trials: the answer could not be made or graded.
  'rate-limited': 'the provider kept refusing for its rate limit',
  'provider-error': 'the provider failed, or answered with an error',
  'provider-timeout': 'the provider did not answer in time',
  'bad-reply': 'the provider’s reply could not be read',
  'request-refused': 'the provider refused the request itself: key, model name or parameters',
  'no-answer': 'the recording has no answer for this trial',
  'not-started': 'the command or agent could not be started',
  'workspace-failed': 'the workspace could not be set up',
  'grader-error': 'a grader failed on its own account',
  'tests-at-fault': 'the tests of the case cannot be run, whatever the answer is',
  'judge-failed': 'a judge gave no valid verdict, or no reply at all',
  'sandbox-failed': 'the sandbox or a toolchain failed before the code could matter',
} as const

export type ReasonCode = keyof typeof REASONS

export interface Reason {
  readonly code: ReasonCode
  readonly text: string
}
