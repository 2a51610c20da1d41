import { expect, it } from 'vitest'
import { agentKinds } from '../agent/agents.ts'
import { withReplayedKeys } from './replayed-keys.ts'

it('gives an agent stand-ins for the recorded keys, and none of the user’s own logins', () => {
  for (const { name, passEnv } of agentKinds()) {
    const env = Object.fromEntries(
      [...passEnv, 'TERM', 'SOME_TOKEN'].map((one) => [one, `own ${one}`]),
    )
    const given = withReplayedKeys(env, ['OPENAI_API_KEY', 'AWS_SECRET_ACCESS_KEY'], passEnv)
    // A variable that the user gave the agent by passEnv or env stays.
    expect(given, name).toMatchObject({ TERM: 'own TERM', SOME_TOKEN: 'own SOME_TOKEN' })
    const keys = Object.entries(given).filter(([one]) => /KEY|TOKEN/.test(one))
    expect(keys, name).toEqual([
      ['SOME_TOKEN', 'own SOME_TOKEN'],
      ['OPENAI_API_KEY', 'replayed'],
    ])
  }
})
