/**
 * Agents that speak the Agent Client Protocol (acp-client.ts). `acp` is any such agent, started by the subject's own
 * command. The others are known by name. They differ only in how they are started and how their provider is configured.
 */
import type { AgentKind } from '../agent-kind.ts'
import type { Family } from '../../gateway/model-path.ts'
import { FAMILIES } from '../../gateway/route.ts'
import { acpReader } from './acp-reader.ts'

const KEYS = ['OPENAI_API_KEY', 'ANTHROPIC_API_KEY', 'GEMINI_API_KEY']
const ADDRESSES = ['OPENAI_BASE_URL', 'ANTHROPIC_BASE_URL', 'GOOGLE_GEMINI_BASE_URL']

interface Known {
  readonly name: string
  readonly title: string
  readonly program: string
  readonly install: string
  readonly passEnv: readonly string[]
  readonly families: readonly Family[]
  readonly env?: Readonly<Record<string, string>>
  readonly skills?: string
  readonly files?: AgentKind['files']
  readonly variables?: AgentKind['variables']
  readonly startsModel?: true
  readonly args: readonly string[]
}

const acpKind = (known: Known): AgentKind => ({
  name: known.name,
  title: known.title,
  program: known.program,
  install: known.install,
  speaks: 'acp',
  reportsLate: true,
  calls: { hasOtherNames: true },
  // The models may belong to any provider. So prices come from the gateway, or from a model name of the form
  // provider/model.
  provider: '',
  passEnv: known.passEnv,
  env: known.env ?? {},
  skills: { where: 'home', path: known.skills ?? '.agents/skills' },
  files: known.files ?? (() => []),
  gateway: () => known.families,
  ...(known.variables === undefined ? {} : { variables: known.variables }),
  ...(known.startsModel === undefined ? {} : { startsModel: known.startsModel }),
  start: ({ settings }) => ({ args: [...known.args, ...settings.args], input: '' }),
  // These lines list commands for a user. They are long and often repeated, and say nothing about the agent's work.
  repeats: (line) => line.slice(0, 300).includes('"sessionUpdate":"available_commands_update"'),
  reader: acpReader,
})

/** Any agent that speaks ACP, started by the subject's own command. */
export const acp = acpKind({
  name: 'acp',
  title: 'ACP agent',
  program: '',
  install: '',
  passEnv: [],
  families: FAMILIES,
  // The command may start Claude Code, which runs as root only if this variable is set.
  env: { IS_SANDBOX: '1' },
  args: [],
})

export const opencode = acpKind({
  name: 'opencode',
  title: 'opencode',
  program: 'opencode',
  install: 'npm install -g opencode-ai',
  passEnv: [...KEYS, ...ADDRESSES],
  families: FAMILIES,
  env: { OPENCODE_DISABLE_AUTOUPDATE: '1', OPENCODE_DISABLE_LSP_DOWNLOAD: '1' },
  skills: '.config/opencode/skills',
  // The settings are passed in a variable. A settings file would make opencode install packages next to it.
  variables: (env) => ({
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      autoupdate: false,
      share: 'disabled',
      // Without this setting, opencode asks a second model for a title of the session.
      agent: { title: { disable: true } },
      provider: Object.fromEntries(
        [
          ['openai', env['OPENAI_BASE_URL']],
          ['anthropic', withVersion(env['ANTHROPIC_BASE_URL'], '/v1')],
          ['google', withVersion(env['GOOGLE_GEMINI_BASE_URL'], '/v1beta')],
        ].flatMap(([provider, baseURL]) =>
          baseURL === undefined ? [] : [[provider, { options: { baseURL } }] as const],
        ),
      ),
    }),
  }),
  args: ['acp'],
})

export const copilot = acpKind({
  name: 'copilot',
  title: 'GitHub Copilot CLI',
  program: 'copilot',
  install: 'npm install -g @github/copilot',
  // A login at GitHub is not passed by default, because the gateway could not keep it out of the sandbox. The subject's
  // own `passEnv` may name it.
  passEnv: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  families: ['openai', 'anthropic'],
  startsModel: true,
  skills: '.copilot/skills',
  variables: (env, { model }) => {
    const isOpenAi = (env['OPENAI_API_KEY'] ?? '') !== ''
    const key = isOpenAi ? env['OPENAI_API_KEY'] : env['ANTHROPIC_API_KEY']
    if (key === undefined || key === '') return {}
    const address = isOpenAi
      ? (env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1')
      : (env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com')
    return {
      COPILOT_OFFLINE: 'true',
      COPILOT_PROVIDER_TYPE: isOpenAi ? 'openai' : 'anthropic',
      COPILOT_PROVIDER_BASE_URL: address,
      COPILOT_PROVIDER_API_KEY: key,
      ...(model === null ? {} : { COPILOT_MODEL: model }),
    }
  },
  args: ['--acp', '--no-auto-update'],
})

export const qwen = acpKind({
  name: 'qwen',
  title: 'Qwen Code',
  program: 'qwen',
  install: 'npm install -g @qwen-code/qwen-code',
  passEnv: ['OPENAI_API_KEY', 'OPENAI_BASE_URL'],
  families: ['openai'],
  startsModel: true,
  skills: '.qwen/skills',
  files: () => [
    {
      where: 'home',
      path: '.qwen/settings.json',
      text: JSON.stringify({
        general: { disableAutoUpdate: true, enableAutoUpdate: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        // Without these settings, Qwen Code asks the model what the user may want next, and what it should remember.
        ui: { enableFollowupSuggestions: false },
        memory: { enableManagedAutoMemory: false, enableManagedAutoDream: false },
      }),
    },
  ],
  variables: (_env, { model }): Record<string, string> =>
    model === null ? {} : { OPENAI_MODEL: model },
  args: ['--acp', '--auth-type', 'openai', '--approval-mode', 'yolo'],
})

const withVersion = (address: string | undefined, version: string): string | undefined =>
  address === undefined ? undefined : `${address.replace(/\/+$/u, '')}${version}`
