import { join } from 'node:path'
import { expect, it } from 'vitest'
import { suiteFolder } from '../../test/suite-folder.ts'
import { loadExperiment } from './load.ts'

const VARIANTS = `name: models
evals: [evals/auth/eval.yaml]
vary: [/defaults/model]
baseline: now
variants:
  now: { overrides: { model: a } }
  next: { overrides: { model: b } }
`

it.each([
  ['x.experiment.yaml', VARIANTS, 'an experiment file of vally'],
  [
    'm.yaml',
    'name: m\nevals: [a.yaml]\nmatrix: { model: [a, b] }\n',
    'an experiment file of vally',
  ],
  ['.vally.yaml', 'paths:\n  evals: [evals/]\n', 'the settings of vally'],
  ['.vally.yml', 'suites:\n  fast: { evals: [a.yaml] }\n', 'the settings of vally'],
])('%s is refused by name', async (name, text, what) => {
  const folder = await suiteFolder({ [name]: text })
  await expect(loadExperiment(join(folder, name))).rejects.toThrow(what)
})

it('an experiment of Assay is none of vally', async () => {
  const folder = await suiteFolder({ 'e.yaml': 'suites: [s.toml]\nsubjects: {}\nmatrix: {}\n' })
  const loading = loadExperiment(join(folder, 'e.yaml'))
  expect(await loading.then(String, String)).not.toContain('vally')
})
