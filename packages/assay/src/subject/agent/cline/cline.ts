/**
 * Cline without a user interface: `cline --json` with the prompt as an argument and a stream of JSON events on stdout
 * (cline-reader.ts). Cline also speaks ACP, but only with its own login. Without a user interface it cannot continue a
 * session, so each later turn gets the whole conversation. It has its own home folder, so it sees neither the user's
 * settings nor the user's login. It reads its provider's URL and key only from a file.
 */
import type { Message } from '@assay/contract'
import type { AgentKind, AgentSettings, McpServer } from '../agent-kind.ts'
import { clineReader } from './cline-reader.ts'

export const cline: AgentKind = {
  name: 'cline',
  title: 'Cline',
  program: 'cline',
  install: 'npm install -g cline',
  // The models may belong to any provider. So prices come from the gateway, or from a model name of the form
  // provider/model.
  provider: '',
  passEnv: ['OPENAI_API_KEY', 'OPENAI_BASE_URL', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  env: { AI_SDK_LOG_WARNINGS: 'false', CLINE_TELEMETRY_DISABLED: '1' },
  skills: { where: 'home', path: '.cline/skills' },
  forgets: true,

  files: (settings, { env }) => [
    {
      where: 'home',
      path: '.cline/data/settings/providers.json',
      text: JSON.stringify(providers(settings, env)),
    },
    ...(Object.keys(settings.mcpServers).length === 0
      ? []
      : [
          {
            where: 'home' as const,
            path: '.cline/data/settings/cline_mcp_settings.json',
            text: JSON.stringify({
              mcpServers: Object.fromEntries(
                Object.entries(settings.mcpServers).map(([name, one]) => [name, written(one)]),
              ),
            }),
          },
        ]),
  ],

  start: ({ messages, settings }) => ({
    args: ['--json', '--auto-approve', 'true', ...settings.args, '--', conversation(messages)],
    input: '',
  }),

  gateway: () => ['openai', 'anthropic'],

  reader: clineReader,
}

function providers(
  { model }: AgentSettings,
  env: Readonly<Record<string, string>>,
): Readonly<Record<string, unknown>> {
  const isOpenAi = (env['OPENAI_API_KEY'] ?? '') !== ''
  const provider = isOpenAi ? 'openai-compatible' : 'anthropic'
  const apiKey = isOpenAi ? env['OPENAI_API_KEY'] : env['ANTHROPIC_API_KEY']
  if (apiKey === undefined) return { version: 1, modes: {}, providers: {} }
  const address = isOpenAi
    ? (env['OPENAI_BASE_URL'] ?? 'https://api.openai.com/v1')
    : (env['ANTHROPIC_BASE_URL'] ?? 'https://api.anthropic.com')
  const baseUrl = isOpenAi ? address : `${address.replace(/\/+$/u, '')}/v1`
  return {
    version: 1,
    lastUsedProvider: provider,
    modes: {},
    providers: {
      [provider]: {
        settings: { provider, apiKey, baseUrl, ...(model === null ? {} : { model }) },
        updatedAt: '2026-01-01T00:00:00.000Z',
        tokenSource: 'manual',
      },
    },
  }
}

const written = (server: McpServer): object =>
  'url' in server
    ? { type: 'streamableHttp', url: server.url, headers: server.headers }
    : { type: 'stdio', command: server.command, args: server.args, env: server.env }

/** Returns the prompt with all earlier messages before it. */
function conversation(messages: readonly Message[]): string {
  const [last, ...before] = messages.toReversed()
  if (before.length === 0) return last?.content ?? ''
  const said = before
    .toReversed()
    .map(({ role, content }) => `${role === 'user' ? 'The user said' : 'You said'}: ${content}`)
  return [...said, `The user says now: ${last?.content ?? ''}`].join('\n\n')
}
