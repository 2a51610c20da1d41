import { describe, expect, it } from 'vitest'
import { graderByType } from './graders.ts'

const faultOf = (type: string, options: unknown) =>
  graderByType(type)?.workspaceFault?.(options) ?? null

describe('a case with a workspace', () => {
  it('has no use for graders of the answer’s text alone', () => {
    expect(faultOf('code', {})?.expected).toContain('run, which')
    expect(faultOf('run', { answerFile: 'x' })?.path).toEqual(['answerFile'])
    expect(faultOf('run', { command: 'make' })).toBeNull()
    expect(faultOf('contains', { value: 'x' })).toBeNull()
  })
})
