/** Ten thousand malformed requests: the server answers or hangs up, goes on, and changes nothing. */
import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { random } from '@assay/metrics'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { startViewing, type Viewing } from '../../test/view-server.ts'
import { run } from '../run/index.ts'
import { appendLabels } from '../log/index.ts'

const REQUESTS = 10_000
const AT_ONCE = 20

let root: string
let viewing: Viewing
let key: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-malformed-'))
  const folder = join(root, 'runs', 'first')
  const subject = fakeSubject(() => saying('right'))
  await run({ suites: [fakeSuite(3)], subjects: [subject], folder, trials: 2 })
  appendLabels(folder, [
    {
      ...{ suite: 'suite', case: 'c0', subject: 'fake', index: 0, answer: 'h', reviewer: 'ann' },
      ...{ verdict: 'pass', note: '', blind: false, picked: 'random', at: '2026-01-01' },
    },
  ])
  viewing = await startViewing([join(root, 'runs')])
  viewing.store.list()
  await viewing.store.settled()
  key = viewing.store.keyOf(folder) ?? ''
})
afterAll(async () => {
  await viewing.close()
  rmSync(root, { recursive: true, force: true })
})

/** A hash of the names and contents of all files. */
function stateOf(folder: string): string {
  const hash = createHash('sha256')
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const paths = entries.filter((one) => one.isFile()).map((one) => join(one.parentPath, one.name))
  for (const path of paths.toSorted()) hash.update(path).update(readFileSync(path))
  return hash.digest('hex')
}

/** Sends bytes to the server and reads until it closes the connection or falls silent. */
const send = (bytes: Buffer): Promise<string> =>
  new Promise((resolve) => {
    let text = ''
    const socket = connect(viewing.port, '127.0.0.1', () => socket.end(bytes))
    socket.setTimeout(10_000, () => socket.destroy())
    socket.on('data', (piece) => {
      text += piece.toString('latin1')
      // The stream of events never ends by itself.
      if (text.includes('text/event-stream')) socket.destroy()
    })
    socket.on('error', () => {}).on('close', () => resolve(text))
  })

it('get an answer or none, and change nothing', async () => {
  const draw = random(20, 26)
  const whole = (most: number): number => Math.floor(draw() * most)
  const pick = <T>(list: readonly T[]): T => list[whole(list.length)] as T
  const junk = (most: number): string =>
    Array.from({ length: whole(most) }, () => String.fromCharCode(whole(256))).join('')
  const paths = [
    ...['/', '/api/runs', '/api/run', '/api/trial', '/api/label', '/api/delete', '/api/review'],
    ...['/api/matrix', '/api/compare', '/api/case', '/api/events', '/api/cells', '/workbench.js'],
    ...['/../../etc/passwd', '/%2e%2e/%2e%2e/etc/passwd', '//etc/passwd', '/api/../runs', '\\..\\'],
    ...['/__proto__', '/constructor', '/api/__proto__', '/api/toString'],
  ]
  const values = (): string =>
    pick([
      ...[key, `${key}%00`, '../first', '%2e%2e%2ffirst', encodeURIComponent(root), '/etc/passwd'],
      ...['__proto__', '-1', '1e9', '99999999999', 'NaN', '%ff', '%', '', 'first', 'linked'],
      encodeURIComponent(junk(40)),
    ])
  const query = (): string =>
    Array.from(
      { length: whole(6) },
      () =>
        `${pick(['run', 'suite', 'case', 'subject', 'index', 'a', 'b', 'from', 'only', 'token', '__proto__'])}=${values()}`,
    ).join('&')
  const label = (): string =>
    JSON.stringify({
      ...{ suite: pick(['suite', '', '../x']), case: pick(['c0', 'c9']), subject: 'fake' },
      ...{ position: pick([0, -1, 1.5, '0', null]), answer: pick(['', '0'.repeat(32), {}]) },
      ...{
        reviewer: pick(['ann', '', junk(200)]),
        verdict: pick(['pass', 'x', []]),
        note: junk(90),
      },
      ...{
        blind: pick([true, 1]),
        picked: pick(['random', 'x']),
        [pick(['__proto__', 'note'])]: 1,
      },
    })
  const before = stateOf(join(root, 'runs'))
  const counts = new Map<string, number>()

  const one = (): Buffer => {
    // Each part is wrong now and then, so that some requests reach what is behind the guard.
    const mostly = (good: string, bad: readonly string[]): string =>
      draw() < 0.93 ? good : pick(bad)
    const method = mostly(pick(['GET', 'GET', 'POST']), ['PUT', 'OPTIONS', 'TRACE', junk(8)])
    const origin = `http://127.0.0.1:${viewing.port}`
    const body =
      method === 'POST' ? pick([label(), junk(300), '{"a":', '[]', '{"a":'.repeat(2000)]) : ''
    const headers = [
      `Host: ${mostly(`127.0.0.1:${viewing.port}`, ['evil.example', '', junk(10)])}`,
      `Cookie: ${mostly(viewing.cookie, [junk(20), '', `${viewing.cookie}x`])}`,
      `Origin: ${mostly(origin, ['null', 'http://evil.example', junk(10)])}`,
      `X-Assay-View: ${mostly('1', ['0', junk(5)])}`,
      `Content-Type: ${mostly('application/json', ['text/plain', junk(9)])}`,
      `Content-Length: ${mostly(String(Buffer.byteLength(body, 'latin1')), [String(whole(9)), '-1', 'x'])}`,
      ...(draw() < 0.05 ? [`Transfer-Encoding: ${pick(['chunked', 'gzip', junk(5)])}`] : []),
      ...(draw() < 0.05 ? [junk(60)] : []),
      'Connection: close',
    ]
    const target = `${pick(paths)}${draw() < 0.7 ? `?${query()}` : ''}`
    const text = `${method} ${target} HTTP/${mostly('1.1', ['1.0', '9.9', ''])}\r\n${headers.join('\r\n')}\r\n\r\n${body}`
    const bytes = Buffer.from(text, 'latin1')
    if (draw() < 0.05) return bytes.subarray(0, whole(bytes.length))
    if (draw() < 0.05) bytes[whole(bytes.length)] = whole(256)
    return bytes
  }

  for (let sent = 0; sent < REQUESTS; sent += AT_ONCE) {
    // A valid request to delete or label the run is not malformed, and is left out.
    const batch = Array.from({ length: AT_ONCE }, () => {
      let bytes = one()
      while (
        bytes.toString('latin1').startsWith('POST /api/delete?') &&
        bytes.includes(`run=${key}`)
      )
        bytes = one()
      return bytes
    })
    for (const answer of await Promise.all(batch.map(send))) {
      const [, status = 'none'] = /^HTTP\/1\.1 (\d{3})/.exec(answer) ?? []
      counts.set(status, (counts.get(status) ?? 0) + 1)
      expect(answer).not.toMatch(/root:x:0|node:internal|\bat .*\.ts:\d+/)
    }
  }
  expect(counts.get('500') ?? 0).toBe(0)
  // The requests reached what is behind the guard as well as the guard itself.
  for (const status of ['200', '400', '401', '403', '404'])
    expect(counts.get(status) ?? 0, JSON.stringify([...counts])).toBeGreaterThan(50)
  expect(stateOf(join(root, 'runs'))).toBe(before)
  expect((await viewing.ask('/api/runs')).status).toBe(200)
}, 600_000)
