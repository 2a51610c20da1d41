/**
 * Claude Code without a user interface: `claude -p` with the prompt on stdin and a stream of JSON events on
 * stdout (claude-reader.ts). It runs without permission prompts, because no user is there to answer them and the
 * sandbox limits what it can do. It uses only the MCP servers of the subject. It has its own home folder, so it
 * sees neither the user's settings nor the user's login. The key comes in an environment variable.
 *
 * Assay requests partial messages. Without them, Claude Code reports output tokens only at the very end, and
 * limits on tokens or cost could not be enforced while it runs.
 */
import type { AgentKind } from '../agent-kind.ts'
import { claudeReader, claudeSkills } from './claude-reader.ts'

const MCP_FILE = 'mcp-servers.json'
/** The path of a shell script that Claude Code runs before each of its commands. */
const COMMAND_FILE = '.claude/before-commands.sh'
/** Keys that are removed from the environment of the commands that the agent runs. These commands do not need them. */
const KEYS = [
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  // A token for a subscription instead of an API key. `claude setup-token` creates it.
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
    // Without this variable, Claude Code refuses to skip permission prompts when it runs as root, as in a
    // container.
    IS_SANDBOX: '1',
  },
  // Skills are copied to the home folder. So the workspace is the same with and without a skill.
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

  gateway: () => ['anthropic'],

  reader: claudeReader,
  calls: { skillsOf: ({ name, args }) => claudeSkills(name, args) },
}

const written = (servers: Parameters<AgentKind['files']>[0]['mcpServers']): object =>
  Object.fromEntries(
    Object.entries(servers).map(([name, server]) => [
      name,
      'url' in server ? { type: 'http', ...server } : { type: 'stdio', ...server },
    ]),
  )
