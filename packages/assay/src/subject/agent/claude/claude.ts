/**
 * Claude Code, headless: `claude -p` with the prompt on stdin and a stream of JSON events on stdout
 * (claude-reader.ts). It asks for no permission, for nobody is there to give it and the sandbox stands
 * around it; it uses no MCP server but those of the subject. It sees a home of its own, so neither the
 * user's settings nor the user's login: the key comes by its variable.
 *
 * Partial messages are asked for because without them an answer's output tokens are told only when all is
 * over, and no limit on tokens or cost could be held.
 */
import type { AgentKind } from '../agent-kind.ts'
import { claudeReader } from './claude-reader.ts'

const MCP_FILE = 'mcp-servers.json'
/** Read before each command that it runs. */
const COMMAND_FILE = '.claude/before-commands.sh'
/** The commands that it runs need none of these. */
const KEYS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  // From `claude setup-token`: a subscription instead of a key.
  'CLAUDE_CODE_OAUTH_TOKEN',
]

export const claude: AgentKind = {
  name: 'claude',
  title: 'Claude Code',
  program: 'claude',
  install: 'npm install -g @anthropic-ai/claude-code',
  provider: 'anthropic',
  passEnv: [...KEYS, 'ANTHROPIC_BASE_URL'],
  env: {
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    DISABLE_ERROR_REPORTING: '1',
    DISABLE_TELEMETRY: '1',
    // Else it refuses to go without permissions where it finds itself to be root, as in a container.
    IS_SANDBOX: '1',
  },
  // Its personal skills: the workspace stays the same with a skill and without.
  skills: { where: 'home', path: '.claude/skills' },

  files: ({ mcpServers }, { home }) => [
    ...(Object.keys(mcpServers).length === 0
      ? []
      : [
          {
            where: 'home' as const,
            path: MCP_FILE,
            text: JSON.stringify({ mcpServers: written(mcpServers) }),
          },
        ]),
    { where: 'home', path: COMMAND_FILE, text: `unset ${KEYS.join(' ')}\n` },
    {
      where: 'home',
      path: '.claude/settings.json',
      text: JSON.stringify({ env: { CLAUDE_ENV_FILE: `${home}/${COMMAND_FILE}` } }),
    },
  ],

  start: ({ prompt, session, settings, home }) => ({
    args: [
      '-p',
      ...['--output-format', 'stream-json'],
      ...(Object.keys(settings.mcpServers).length === 0
        ? []
        : ['--mcp-config', `${home}/${MCP_FILE}`]),
      '--strict-mcp-config',
      '--verbose',
      '--include-partial-messages',
      '--dangerously-skip-permissions',
      ...(settings.model === null ? [] : ['--model', settings.model]),
      ...(session === null ? [] : ['--resume', session]),
      ...settings.args,
    ],
    input: prompt,
  }),

  repeats: (line) =>
    line.startsWith('{"type":"stream_event","event":{"type":"content_block_delta"'),

  reader: claudeReader,
}

const written = (servers: Parameters<AgentKind['files']>[0]['mcpServers']): object =>
  Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server },
    ]),
  )
