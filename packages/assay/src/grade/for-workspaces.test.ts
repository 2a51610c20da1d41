import { describe, expect, it } from 'vitest'
import { workspaceFault } from './for-workspaces.ts'

describe('a case with a workspace', () => {
  it('has no use for graders of the answer’s text alone', () => {
    expect(workspaceFault({ type: 'code', options: {} })?.expected).toContain('run, which')
    expect(workspaceFault({ type: 'run', options: { answerFile: 'x' } })?.path).toEqual([
      'answerFile',
    ])
    expect(workspaceFault({ type: 'run', options: { command: 'make' } })).toBeNull()
    expect(workspaceFault({ type: 'contains', options: { value: 'x' } })).toBeNull()
  })
})
