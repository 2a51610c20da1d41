/**
 * Claude Code without a user interface: `claude -p` with the prompt on stdin and a stream of JSON events on
 * stdout (claude-reader.ts). It does not ask for permissions: nobody could give them, and the sandbox
 * contains it. It uses only the MCP servers of the subject. It has its own home folder, so it sees neither
 * the user's settings nor the user's login. The key comes in an environment variable.
 *
 * Partial messages are requested because otherwise the output tokens of an answer are reported only at the
 * very end, and no limit on tokens or cost could be enforced.
 */
import type { AgentKind } from '../agent-kind.ts'
import { claudeReader } from './claude-reader.ts'

const MCP_FILE = 'mcp-servers.json'
/** A script that Claude Code reads before each command that it runs. */
const COMMAND_FILE = '.claude/before-commands.sh'
/** Removed from the environment of the commands that the agent runs, which do not need them. */
const KEYS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  // Made by `claude setup-token`: a subscription instead of a key.
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
    // Otherwise it refuses to run as root without permissions, as in a container.
    IS_SANDBOX: '1',
  },
  // The folder for personal skills, so that the workspace is the same with and without a skill.
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
