/**
 * Gemini CLI without a user interface: `gemini -o stream-json` with the prompt on stdin and a stream of JSON
 * events on stdout (gemini-reader.ts). It runs without approval prompts, because no user is there to answer them
 * and the sandbox limits what it can do. The workspace is marked as a trusted folder, because Gemini CLI reads
 * its settings only in trusted folders. It has its own home folder, so it sees neither the user's settings nor
 * the user's login.
 */
import type { AgentKind, McpServer } from '../agent-kind.ts'
import { geminiReader, geminiSkills, nameOf } from './gemini-reader.ts'

/** Keys that are removed from the environment of the commands that the agent runs. These commands do not need them. */
const KEYS = ['GEMINI_API_KEY', 'GOOGLE_API_KEY']

export const gemini: AgentKind = {
  name: 'gemini',
  title: 'Gemini CLI',
  program: 'gemini',
  install: 'npm install -g @google/gemini-cli',
  provider: 'google',
  reportsLate: true,
  passEnv: [
    ...KEYS,
    'GOOGLE_GEMINI_BASE_URL',
    // Variables for Vertex AI, which can be used instead of the Gemini API.
    'GOOGLE_GENAI_USE_VERTEXAI',
    'GOOGLE_VERTEX_BASE_URL',
    'GOOGLE_CLOUD_PROJECT',
    'GOOGLE_CLOUD_LOCATION',
  ],
  env: {
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_TELEMETRY_ENABLED: 'false',
  },
  // Skills are copied to the home folder. So the workspace is the same with and without a skill.
  skills: { where: 'home', path: '.gemini/skills' },

  files: ({ mcpServers }, { env }) => [
    {
      where: 'home',
      path: '.gemini/settings.json',
      text: JSON.stringify({
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
        security: {
          ...(env['GEMINI_API_KEY'] === undefined
            ? {}
            : { auth: { selectedType: 'gemini-api-key' } }),
          // By default, Gemini CLI hides every variable whose name looks secret from its commands. With these
          // settings, it hides only its own keys.
          environmentVariableRedaction: {
            enabled: true,
            blocked: KEYS,
            allowed: Object.keys(env).filter((name) => !KEYS.includes(name)),
          },
        },
        mcpServers: Object.fromEntries(
          Object.entries(mcpServers).map(([name, server]) => [name, written(server)]),
        ),
      }),
    },
  ],

  start: ({ prompt, session, settings }) => ({
    args: [
      ...['--output-format', 'stream-json'],
      ...['--approval-mode', 'yolo'],
      ...(settings.model === null ? [] : ['--model', settings.model]),
      ...(session === null ? [] : ['--resume', session]),
      ...settings.args,
    ],
    input: prompt,
  }),

  // The usage of each request is only in the session's file. The stream has only the sum at its end.
  notes: (session) => {
    const [, start] = /^([\da-f]{8})-[\da-f-]{1,64}$/iu.exec(session) ?? []
    if (start === undefined) return null
    const file = `"$HOME"/.gemini/tmp/*/chats/session-*-${start}.jsonl`
    return `grep -h '^{"id":.*"type":"gemini"' ${file}`
  },

  // With Vertex AI, requests do not go through the gateway, because the machine's login is used instead of a key.
  gateway: (env) => (env['GOOGLE_GENAI_USE_VERTEXAI'] === undefined ? ['google'] : []),

  reader: geminiReader,
  calls: {
    told: ({ name, args }, { settings }) => ({ name: nameOf(name, settings), args }),
    skillsOf: ({ name, args }) => geminiSkills(name, args),
  },
}

const written = (server: McpServer): object =>
  'url' in server
    ? { httpUrl: server.url, headers: server.headers }
    : { command: server.command, args: server.args, env: server.env }
