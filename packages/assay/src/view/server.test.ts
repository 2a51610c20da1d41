/** Requests to the server: which are answered, and what they can reach. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { request, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { fakeSubject, fakeSuite, saying } from '../../test/fakes.ts'
import { startViewing, type Viewing } from '../../test/view-server.ts'
import { summarize } from '../report/index.ts'
import type { RunHead, RunList, ViewTrial } from '../report/view-data/index.ts'
import { run } from '../run/index.ts'
import { answerTo } from './routes.ts'
import type { RunStore } from './run-store.ts'

let root: string
let folder: string
let viewing: Viewing
let key: string

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), 'assay-view-'))
  folder = join(root, 'runs', 'first')
  const subject = fakeSubject(({ case: one }) => saying(one.id === 'c1' ? 'wrong' : 'right'))
  await run({ suites: [fakeSuite(3)], subjects: [subject], folder, trials: 2 })
  viewing = await startViewing([join(root, 'runs')])
  key = (await listed()).runs[0]?.key ?? ''
})
afterAll(async () => {
  await viewing.close()
  rmSync(root, { recursive: true, force: true })
})

const answer = async <T>(path: string): Promise<T> => (await viewing.ask(path)).json() as Promise<T>
/** The list after all logs were read. */
async function listed(): Promise<RunList> {
  viewing.store.list()
  await viewing.store.settled()
  return answer<RunList>('/api/runs')
}

/** Sends a request with exactly these headers. */
const raw = (
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
): Promise<{ status: number; body: string; headers: NodeJS.Dict<string | string[]> }> =>
  new Promise((resolve, reject) => {
    const sent = request(
      { host: '127.0.0.1', port: viewing.port, path, method, headers },
      (response) => {
        let body = ''
        response.on('data', (piece) => (body += String(piece)))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
        )
      },
    )
    sent.on('error', reject)
    sent.end()
  })

const PATHS = ['/', '/workbench.js', '/workbench.css', '/api/runs', '/api/events', '/nothing']

describe('who is answered', () => {
  it('nobody without the token or the cookie', async () => {
    for (const path of PATHS) {
      const { status, body } = await raw(path, {})
      expect([path, status]).toEqual([path, 401])
      expect(body).not.toContain('first')
    }
    for (const cookie of ['', `assay-view-${viewing.port}=`, `${viewing.cookie}x`, 'a=b'])
      expect((await raw('/api/runs', { cookie })).status).toBe(401)
    expect((await raw('/?token=wrong', {})).status).toBe(401)
    expect((await raw('/?token=', {})).status).toBe(401)
  })

  it('nobody who asks by a foreign name or from a foreign page', async () => {
    const { cookie } = viewing
    const token = new URL(viewing.address).search
    for (const host of ['evil.example', `evil.example:${viewing.port}`, '127.0.0.1.evil.example'])
      for (const path of ['/api/runs', `/${token}`])
        expect((await raw(path, { cookie, host })).status, host).toBe(403)
    for (const origin of ['http://evil.example', 'null', `https://127.0.0.1:${viewing.port}`])
      expect((await raw('/api/runs', { cookie, origin })).status, origin).toBe(403)
    const site = { cookie, 'sec-fetch-site': 'cross-site' }
    expect((await raw('/api/runs', site)).status).toBe(403)
    for (const host of [`localhost:${viewing.port}`, `[::1]:${viewing.port}`, '127.0.0.1:1'])
      expect((await raw('/api/runs', { cookie, host })).status, host).toBe(200)
  })

  it('a token that works once works once', async () => {
    const { pathname, search } = new URL(viewing.addressForOnce(key))
    const first = await raw(`${pathname}${search}`, {})
    expect(first.body).toContain(`/#/runs/${key}`)
    expect(String(first.headers['set-cookie'])).toMatch(/HttpOnly; SameSite=Strict/)
    expect((await raw(`${pathname}${search}`, {})).status).toBe(401)
    const odd = new URL(viewing.addressForOnce('"><script>alert(1)</script>'))
    expect((await raw(`${odd.pathname}${odd.search}`, {})).body).not.toContain('script')
  })

  it('every answer has a policy that allows no script inside of a page', async () => {
    const { headers, body } = await raw('/', { cookie: viewing.cookie })
    expect(headers['content-security-policy']).toMatch(/default-src 'none'; script-src 'self';/)
    expect(headers['cache-control']).toBe('no-store')
    expect(body).not.toMatch(/<script>|style=|https?:/)
  })
})

describe('what can be reached', () => {
  it('the runs below the folder, with the figures of the report', async () => {
    const { runs, pending } = await listed()
    expect(pending).toBe(0)
    expect(runs).toMatchObject([
      { state: 'complete', title: 'Suite', folder, figures: { counts: { planned: 6, passed: 4 } } },
    ])
    const head = await answer<RunHead>(`/api/run?run=${key}`)
    const report = await summarize(folder)
    expect(head.report.counts).toEqual(report.counts)
    expect(head.report.subjects[0]?.passRate).toEqual(report.subjects[0]?.passRate)
    const trial = await answer<ViewTrial>(
      `/api/trial?run=${key}&suite=suite&case=c1&subject=fake&index=1`,
    )
    expect(trial).toMatchObject({ answer: 'wrong', outcome: 'failed', index: 1 })
    const none = await answer(`/api/trial?run=${key}&suite=suite&case=c1&subject=fake&index=2`)
    expect(none).toBeNull()
  })

  it('no other path, however it is written', async () => {
    const secret = join(root, 'secret')
    cpSync(folder, secret, { recursive: true })
    writeFileSync(join(root, 'runs', 'plain.txt'), 'text')
    symlinkSync(secret, join(root, 'runs', 'linked'))
    expect((await listed()).runs).toHaveLength(1)
    for (const name of ['../secret', secret, '..%2Fsecret', '%2e%2e/secret', 'linked', '.', ''])
      for (const path of [`/api/run?run=${name}`, `/${name}`, `/api/${name}`, `/..%2f${name}`])
        expect((await raw(path, { cookie: viewing.cookie })).body).not.toContain('Suite')
    rmSync(join(root, 'runs', 'linked'))
  })

  it('deletes a run only for a request that a foreign page cannot send', async () => {
    const copy = join(root, 'runs', 'copy')
    cpSync(folder, copy, { recursive: true })
    const other = (await listed()).runs.find((one) => one.folder === copy)?.key ?? ''
    expect(other).not.toBe(key)
    const path = `/api/delete?run=${encodeURIComponent(other)}`
    const { cookie } = viewing
    const origin = `http://127.0.0.1:${viewing.port}`
    const header = { 'x-assay-view': '1' }
    expect((await raw(path, { ...header, origin }, 'POST')).status).toBe(401)
    expect((await raw(path, { cookie, origin }, 'POST')).status).toBe(403)
    expect((await raw(path, { cookie, ...header }, 'POST')).status).toBe(403)
    expect((await raw(path, { cookie, origin, ...header }, 'GET')).status).toBe(404)
    expect((await raw(path, { cookie, origin, ...header }, 'OPTIONS')).status).toBe(405)
    expect(existsSync(join(copy, 'run.json'))).toBe(true)
    expect((await raw(path, { cookie, origin, ...header }, 'POST')).status).toBe(200)
    expect(existsSync(copy)).toBe(false)
    expect((await raw(path, { cookie, origin, ...header }, 'POST')).status).toBe(404)
  })

  it('does not delete a run that the command refuses to change', async () => {
    const store = { folderOf: () => folder } as unknown as RunStore
    const url = new URL(`http://127.0.0.1/api/delete?run=${key}`)
    const deletion = { method: 'POST' } as IncomingMessage
    const services = { store, refusesChange: () => 'it is elsewhere' }
    await expect(answerTo(deletion, url, services)).rejects.toThrow('it is elsewhere')
    expect(existsSync(join(folder, 'run.json'))).toBe(true)
  })

  it('malformed requests get an answer and change nothing', async () => {
    for (const text of [
      '',
      'GET',
      'GET //x HTTP/1.1\r\n\r\n',
      '\0\0\r\n\r\n',
      'GET http://x/ HTTP/1.1\r\nHost: x\r\n\r\n',
    ])
      await new Promise<void>((resolve) => {
        const socket = connect(viewing.port, '127.0.0.1', () => socket.end(text))
        socket.on('error', () => {}).on('close', () => resolve())
        socket.resume()
      })
    for (const path of [
      '/api/trial',
      `/api/trial?run=${key}&suite=suite&case=c1&subject=fake&index=-1`,
      '/api/run?run=%zz',
    ])
      expect((await viewing.ask(path)).status, path).toBeGreaterThanOrEqual(400)
    expect((await listed()).runs).toHaveLength(1)
  })

  it('names a run that cannot be read, and why', async () => {
    const bad = join(root, 'runs', 'bad')
    mkdirSync(bad)
    writeFileSync(join(bad, 'run.json'), '{"assay":"run","version":2,"id":"<b>","createdAt":"x"}')
    const row = (await listed()).runs.find((one) => one.folder === bad)
    expect(row).toMatchObject({ state: 'unreadable', figures: null })
    expect(row?.fault).toContain('is damaged')
    const response = await viewing.ask(`/api/run?run=${encodeURIComponent(row?.key ?? '')}`)
    expect(response.status).toBe(409)
    // A run that has just begun has no plan yet.
    writeFileSync(
      join(bad, 'run.json'),
      JSON.stringify({
        ...{ assay: 'run', version: 1, id: 'new', createdAt: '2026-01-01T00:00:00Z', seed: 1 },
        ...{ tool: { version: '1', node: '1', platform: 'x' }, revisions: [], ended: null },
      }),
    )
    const begun = (await listed()).runs.find((one) => one.folder === bad)
    expect(begun).toMatchObject({ key: 'new', state: 'unreadable' })
    expect(begun?.fault).toContain('has no plan')
    rmSync(bad, { recursive: true })
  })
})
