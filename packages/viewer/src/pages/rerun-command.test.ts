import { expect, it } from 'vitest'
import type { ViewReport } from '../data/source.ts'
import { rerunCommand } from './rerun-command.ts'

it('names the file of the suite, and quotes every word that a shell would interpret', () => {
  const report = {
    provenance: { suites: [{ id: 's', path: 'a b/s.toml' }] },
  } as unknown as ViewReport
  const trial = { suite: 's', case: "it's $(x)", subject: 'openai/gpt-5', index: 3 }
  expect(rerunCommand(report, trial)).toBe(
    String.raw`assay run 'a b/s.toml' --case 'it'\''s $(x)' --model openai/gpt-5`,
  )
})

it('gives no flag to a shell or to Assay by the name of a file', () => {
  const report = {
    provenance: { suites: [{ id: 's', path: '--trust' }] },
  } as unknown as ViewReport
  const trial = { suite: 's', case: 'a\u001b[201~\nb', subject: 'm', index: 0 }
  expect(rerunCommand(report, trial)).toBe(
    String.raw`assay run ./--trust --case $'a\U0000001b[201~\U0000000ab' --model m`,
  )
})
