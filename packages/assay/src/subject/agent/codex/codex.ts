/**
 * Codex without a user interface: `codex exec --json` with the prompt on stdin and a stream of JSON events on
 * stdout (codex-reader.ts). It runs without approval prompts and without its own sandbox, because no user is
 * there to approve and Assay's sandbox limits what it can do. It has its own home folder, so it sees neither the
 * user's settings nor the user's login.
 *
 * The built-in provider of Codex takes a key only from CODEX_API_KEY and another server's URL only from its
 * settings. It also tries web sockets first, which few other servers support. So if OPENAI_API_KEY or
 * OPENAI_BASE_URL is set, Assay configures a provider that uses them. With CODEX_API_KEY alone, Codex uses its
 * built-in provider.
 */
import { stringify } from 'smol-toml'
import type { AgentKind, McpServer } from '../agent-kind.ts'
import { codexCallKey, codexTold } from './codex-calls.ts'
import { codexReader, skillsIn } from './codex-reader.ts'
import { textAt } from '../trajectory/fields.ts'

/** Keys that are removed from the environment of the commands that the agent runs. These commands do not need them. */
const KEYS = ['OPENAI_API_KEY', 'CODEX_API_KEY']

export const codex: AgentKind = {
  name: 'codex',
  title: 'Codex',
  program: 'codex',
  install: 'npm install -g @openai/codex',
  provider: 'openai',
  reportsLate: true,
  passEnv: [...KEYS, 'OPENAI_BASE_URL'],
  env: {},
  // Skills are copied to the home folder. So the workspace is the same with and without a skill.
  skills: { where: 'home', path: '.agents/skills' },

  files: ({ mcpServers }, { env }) => [
    {
      where: 'home',
      path: '.codex/config.toml',
      text: stringify({
        check_for_update_on_startup: false,
        analytics: { enabled: false },
        shell_environment_policy: { exclude: KEYS },
        ...providerFor(env),
        mcp_servers: Object.fromEntries(
          Object.entries(mcpServers).map(([name, server]) => [name, written(server)]),
        ),
      }),
    },
  ],

  start: ({ prompt, session, settings }) => ({
    args: [
      'exec',
      ...(session === null ? [] : ['resume']),
      '--json',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      ...(settings.model === null ? [] : ['--model', settings.model]),
      ...settings.args,
      ...(session === null ? [] : [session]),
      '-',
    ],
    input: prompt,
  }),

  // The usage of each request is only in the session's file, not in the stream.
  notes: (session) =>
    /^[\da-f-]{1,64}$/iu.test(session)
      ? `grep -h '"type":"token_usage_record"' "$HOME"/.codex/sessions/*/*/*/rollout-*-${session}.jsonl`
      : null,

  gateway: () => ['openai'],

  reader: codexReader,
  calls: {
    told: codexTold,
    callKey: codexCallKey,
    skillsOf: ({ name, args }) =>
      name === 'command_execution' ? [...skillsIn(textAt(args, 'command'))] : [],
  },
}

function providerFor(env: Readonly<Record<string, string>>): Record<string, unknown> {
  const { OPENAI_API_KEY: key, OPENAI_BASE_URL: address } = env
  if (key === undefined && address === undefined) return {}
  return {
    model_provider: 'openai-api',
    model_providers: {
      'openai-api': {
        name: 'OpenAI',
        base_url: address ?? 'https://api.openai.com/v1',
        env_key: key === undefined ? 'CODEX_API_KEY' : 'OPENAI_API_KEY',
        wire_api: 'responses',
      },
    },
  }
}

const written = (server: McpServer): Record<string, unknown> =>
  'url' in server
    ? { url: server.url, http_headers: server.headers }
    : { command: server.command, args: [...server.args], env: server.env }
