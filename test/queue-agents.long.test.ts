/**
 * Agents, workspaces, commands and functions on workers. The workers have a copy of the project in another folder. The
 * result must equal that of a local run. The agent is a script that prints the events of Claude Code; no model is asked.
 */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { withoutRunSpecific, type Report } from 'assay'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startAssay, type Started } from '../packages/assay/test/queue/processes.ts'
import {
  hasRedis,
  startRedis,
  type RedisServer,
} from '../packages/assay/test/queue/redis-server.ts'
import { hasBubblewrap } from '../packages/sandbox/test/sandboxed.ts'
import { machine } from './command.ts'

const CLAUDE = [
  { type: 'system', subtype: 'init', session_id: 's', model: 'claude-scripted', tools: [] },
  {
    type: 'assistant',
    session_id: 's',
    message: {
      id: 'm1',
      role: 'assistant',
      model: 'claude-scripted',
      content: [{ type: 'text', text: 'The file is written.' }],
      usage: { input_tokens: 10, output_tokens: 5 },
    },
  },
  {
    type: 'result',
    subtype: 'success',
    is_error: false,
    session_id: 's',
    result: 'The file is written.',
    num_turns: 1,
    duration_ms: 5,
    total_cost_usd: 0.01,
    usage: { input_tokens: 10, output_tokens: 5 },
  },
]

const FILES: Readonly<Record<string, string>> = {
  'assay.toml': `
[subjects.scripted]
agent = "claude"
program = "./claude.sh"
[subjects.worker]
command = ["./work.sh"]
`,
  'claude.sh': `#!/bin/sh
if [ "$1" = --version ]; then echo "9.9.9 (Claude Code)"; exit; fi
cat > /dev/null
echo done > out.txt
cat <<'END'
${CLAUDE.map((event) => JSON.stringify(event)).join('\n')}
END
`,
  'work.sh': `#!/bin/sh
cat > /dev/null
if test -f wrong; then echo nothing > out.txt; else echo done > out.txt; fi
echo finished
`,
  'start/in.txt': 'in\n',
  'start/bin/tool': '#!/bin/sh\necho tool\n',
  'work.toml': `
id = "work"
[defaults.workspace]
hidden = { "check.sh" = "test \\"$(cat out.txt)\\" = done" }
[[graders]]
type = "run"
command = ["sh", "check.sh"]

[[cases]]
id = "from-folder"
prompt = "Write done to out.txt."
workspace = { folder = "start", setup = "test -x bin/tool && ./bin/tool > made" }

[[cases]]
id = "from-commit"
prompt = "Write done to out.txt."
workspace = { git = { path = ".", commit = "HEAD" } }

[[cases]]
id = "fails"
prompt = "Write done to out.txt."
files = { wrong = "" }
`,
  'sums.eval.mjs': `
import { add } from './add.mjs'
export default {
  id: 'sums',
  cases: [1, 2, 3].map((n) => ({ id: 'case' + n, input: n, expected: n + 1 })),
  subjects: {
    right: ({ input }) => add(input, 1),
    wrong: ({ input }) => add(input, input === 2 ? 1 : 2),
  },
  graders: [({ output, expected }) => output === expected],
}
`,
  'add.mjs': 'export const add = (a, b) => a + b\n',
}

describe.skipIf(!hasRedis || !hasBubblewrap)('workers with a copy of the project', () => {
  let redis: RedisServer
  let folder: string
  const workers: Started[] = []
  const env = (): NodeJS.ProcessEnv => ({
    ...machine(),
    ASSAY_QUEUE_KEY: 'a key of at least sixteen characters',
    XDG_CONFIG_HOME: join(folder, 'config'),
  })

  beforeEach(async () => {
    redis = await startRedis()
    folder = mkdtempSync(join(tmpdir(), 'assay-queue-agents-'))
    const project = join(folder, 'project')
    for (const [name, text] of Object.entries(FILES)) {
      const path = join(project, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, text)
      if (text.startsWith('#!')) chmodSync(path, 0o755)
    }
    const git = (...words: string[]): void => {
      const who = ['-c', 'user.name=a', '-c', 'user.email=a@b']
      execFileSync('git', [...who, '-C', project, ...words])
    }
    git('init', '--quiet')
    git('add', '.')
    git('commit', '--quiet', '-m', 'start')
  })
  afterEach(async () => {
    for (const one of workers.splice(0)) await one.kill('SIGTERM')
    await redis.remove()
    rmSync(folder, { recursive: true, force: true })
  })

  const copy = (name: string): string => {
    const to = join(folder, name)
    // A worker's copy has no repository.
    cpSync(join(folder, 'project'), to, {
      recursive: true,
      filter: (path) => !path.includes('/.git') && !path.includes('/local'),
    })
    return to
  }
  const worker = (project: string, ...words: string[]): Started => {
    const started = startAssay(['worker', redis.url, '--project', project, ...words], {
      cwd: folder,
      env: env(),
    })
    workers.push(started)
    return started
  }
  const run = (...words: string[]): Started =>
    startAssay(['run', 'work.toml', 'sums.eval.mjs', '--trust', ...words], {
      cwd: join(folder, 'project'),
      env: env(),
    })
  const SUBJECTS = ['--model', 'scripted', '--model', 'worker', '--trials', '2']
  const report = (name: string): unknown => {
    const text = readFileSync(join(folder, `${name}.json`), 'utf8')
    return withoutRunSpecific(JSON.parse(text) as Report)
  }

  it('do what a local run does with agents, workspaces, commands and functions', async () => {
    const local = run(...SUBJECTS, '-o', 'local', '--report', '../local.json')
    expect([0, 1]).toContain(await local.ended)
    worker(copy('one'), '--trust', '--store', join(folder, 'store'))
    worker(copy('two'), '--trust', '--store', join(folder, 'store'))
    const queued = run(
      ...[...SUBJECTS, '-o', 'queued', '--report', '../queued.json', '--queue', redis.url],
    )
    const code = await queued.ended
    expect(queued.said()).not.toMatch(/no worker can/u)
    expect(code).toBe(await local.ended)
    expect(report('queued')).toEqual(report('local'))
  }, 240_000)

  it('are refused within seconds if their project differs or is not trusted, and others go on', async () => {
    const other = copy('other')
    writeFileSync(join(other, 'add.mjs'), 'export const add = () => 0\n')
    worker(other, '--trust')
    const started = worker(copy('untrusted'))
    const queued = run(...SUBJECTS, '-o', 'queued', '--queue', redis.url)
    const has = (text: string): boolean =>
      queued.said().includes(text) ||
      queued.events.some((event) => JSON.stringify(event).includes(text))
    const from = Date.now()
    while (!(has('has other content') && has('does not trust')) && Date.now() - from < 60_000)
      await new Promise((resolve) => setTimeout(resolve, 100))
    expect(has('has other content')).toBe(true)
    expect(has('does not trust the run to')).toBe(true)
    // A worker that fits comes later, and everything is done.
    await started.kill('SIGTERM')
    worker(copy('fits'), '--trust')
    expect([0, 1]).toContain(await queued.ended)
    expect(queued.events.filter(({ type }) => type === 'trial')).toHaveLength(36)
  }, 240_000)
})
