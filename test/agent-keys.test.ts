/**
 * Tests that an agent behind the gateway cannot find the user's key anywhere in its sandbox: variables, files, arguments
 * and variables of all processes that it sees, its own memory. The command is started as people start it, as root and as
 * an ordinary user.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Trial } from 'assay'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startRawProvider, type RawProvider } from '../packages/assay/test/raw-provider.ts'
import { hasBubblewrap } from '../packages/sandbox/test/sandboxed.ts'

const command = fileURLToPath(new URL('../packages/assay/bin/assay.js', import.meta.url))

/** Finds texts that begin like the user's key, and says where. Its own secret shows that it looks at the right places. */
const AGENT = (prefix: string): string => `
const fs = require('node:fs'), path = require('node:path')
const PREFIX = ${JSON.stringify(prefix)}, OWN = process.env.ANTHROPIC_API_KEY
// The prefix alone is in this program. A key goes on behind it.
const KEY = new RegExp(PREFIX + '[0-9a-f]{32}')
const found = new Set()
const look = (place, text) => {
  if (KEY.test(text)) found.add('key in ' + place)
  if (text.includes(OWN)) found.add('own in ' + place)
}
const read = (file) => { try { return fs.readFileSync(file, 'latin1') } catch { return '' } }
look('env', JSON.stringify(process.env))
for (const pid of fs.readdirSync('/proc').filter((name) => /^\\d+$/.test(name))) {
  look('environ', read('/proc/' + pid + '/environ'))
  look('arguments', read('/proc/' + pid + '/cmdline'))
}
const walk = (folder, depth) => {
  let names = []
  try { names = fs.readdirSync(folder, { withFileTypes: true }) } catch {}
  for (const entry of names) {
    const file = path.join(folder, entry.name)
    if (entry.isDirectory() && depth > 0) walk(file, depth - 1)
    else if (entry.isFile()) look('files', read(file))
  }
}
fs.writeFileSync(process.env.HOME + '/own.txt', OWN)
for (const folder of [process.env.HOME, process.cwd(), '/tmp', '/run', '/etc', '/var/tmp']) walk(folder, 4)
const memory = fs.openSync('/proc/self/mem', 'r'), part = Buffer.alloc(1 << 20)
for (const line of fs.readFileSync('/proc/self/maps', 'utf8').split('\\n')) {
  const [, from, to, rights] = /^([0-9a-f]+)-([0-9a-f]+) (\\S+)/.exec(line) ?? []
  if (rights === undefined || !rights.startsWith('rw')) continue
  for (let at = Number('0x' + from), end = Number('0x' + to); at < end; at += part.length - 100)
    try { look('memory', part.toString('latin1', 0, fs.readSync(memory, part, 0, Math.min(part.length, end - at), at))) } catch {}
}
fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
  method: 'POST', headers: { 'x-api-key': OWN }, body: '{"model":"m"}',
}).then(async (reply) => {
  look('reply', (await reply.text()) + JSON.stringify([...reply.headers]))
  console.log([reply.status, ...[...found].sort()].join('; '))
})
`

let folder: string
let prefix: string
let key: string
let provider: RawProvider

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'assay-agent-keys-'))
  chmodSync(folder, 0o777)
  prefix = `sk-${randomBytes(8).toString('hex')}-`
  key = prefix + randomBytes(16).toString('hex')
  // A provider that quotes the key in its error.
  provider = await startRawProvider(({ headers }) => ({
    status: 400,
    headers: { 'content-type': 'application/json', 'x-quoted': String(headers['x-api-key']) },
    chunks: [
      JSON.stringify({ error: { message: `bad request with ${String(headers['x-api-key'])}` } }),
    ],
  }))
  const workspace = (id: string, network: string) => ({
    id,
    prompt: 'look',
    workspace: { network },
    graders: [{ type: 'contains', value: '400' }],
  })
  const files = {
    'agent.cjs': AGENT(prefix),
    'suite.json': JSON.stringify({
      id: 's',
      cases: [workspace('closed', 'none'), workspace('open', 'open')],
    }),
    'assay.toml': `[subjects.agent]
command = ["${process.execPath}", "./agent.cjs"]
passEnv = ["ANTHROPIC_API_KEY"]
env = { ANTHROPIC_BASE_URL = "${provider.origin}" }
`,
  }
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
})
afterEach(async () => {
  await provider.close()
  rmSync(folder, { recursive: true, force: true })
})

type Users = readonly (readonly [
  name: string,
  user: { readonly uid?: number; readonly gid?: number },
])[]

const users: Users =
  process.getuid?.() === 0
    ? [
        ['root', {}],
        ['an ordinary user', { uid: 65_534, gid: 65_534 }],
      ]
    : [['this user', {}]]

describe.skipIf(!hasBubblewrap)('the key of an agent', () => {
  it.each(users)('is nowhere in its sandbox, as %s', async (_, user) => {
    const args = [command, 'run', 'suite.json', '--model', 'agent', '-o', 'r', '--trust']
    const child = spawn(process.execPath, args, {
      cwd: folder,
      env: { HOME: folder, PATH: process.env['PATH'], ANTHROPIC_API_KEY: key },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 120_000,
      killSignal: 'SIGKILL',
      ...user,
    })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk))
    const [code] = (await once(child, 'close')) as [number | null]
    expect(printed).not.toContain(key)
    expect({ code, printed }).toMatchObject({ code: 0 })
    const lines = readFileSync(join(folder, 'r', 'trials.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
    const trials = lines.slice(1).map((line) => JSON.parse(line) as Trial)
    const own = ['env', 'environ', 'files', 'memory', 'reply'].map((place) => `own in ${place}`)
    const answers = Object.fromEntries(trials.map(({ case: id, answer }) => [id, answer]))
    const wanted = ['400', ...own].join('; ')
    expect(answers).toEqual({ closed: wanted, open: wanted })
    expect(provider.requests.map(({ headers }) => headers['x-api-key'])).toEqual([key, key])
  })
})
