/** What an agent can reach, in whole trials: a script in the sandbox tries everything it can think of. */
import dgram from 'node:dgram'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net, { type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { hasBubblewrap } from '../../../sandbox/test/sandboxed.ts'
import { fakeCase, fakeSuite } from '../../test/fakes.ts'
import { startRawProvider, type RawProvider } from '../../test/raw-provider.ts'
import type { Network, Trial } from '@assay/contract'
import { readTrials } from '../log/index.ts'
import { commandSubject, type Prices } from '../subject/index.ts'
import { isAllowed } from '../workspace/network/way-out.ts'
import { run } from './run.ts'

const KEY = 'sk-real-0123456789abcdef'
const SECRET_SERVICE = 'you reached a service of this machine'

const prices: Prices = {
  source: { catalogue: { name: 'test', version: '0' }, file: null },
  cost: () => 0.01,
  price: () => null,
}

/** Prints one line for each attempt: its name, and what came of it. */
const AGENT = `
const net = require('node:net'), dgram = require('node:dgram'), dns = require('node:dns/promises'), fs = require('node:fs')
const { port, udp, abstract } = JSON.parse(fs.readFileSync(0, 'utf8'))
const within = (work) => Promise.race([work, new Promise((_, no) => setTimeout(no, 1500, new Error('late')))])
const connect = (options, words = '') => within(new Promise((yes, no) => {
  const socket = net.connect(options, () => socket.write(words))
  let got = ''
  socket.on('data', (data) => { got += data; if (/reached/.test(got) || / 40\\d | 50\\d /.test(got)) yes(got) })
  socket.on('error', no)
  socket.on('close', () => yes(got))
}))
const proxy = process.env.HTTPS_PROXY ? new URL(process.env.HTTPS_PROXY) : null
const through = (host) => connect({ host: proxy.hostname, port: proxy.port }, 'CONNECT ' + host + ':' + port + ' HTTP/1.1\\r\\n\\r\\n')
const tries = {
  model: async () => (await fetch(process.env.ANTHROPIC_BASE_URL + '/v1/messages', {
    method: 'POST', headers: { 'x-api-key': process.env.ANTHROPIC_API_KEY }, body: '{"model":"m"}' })).status,
  loopback: () => connect({ host: '127.0.0.1', port }),
  ipv6: () => connect({ host: '::1', port }),
  abstract: () => connect({ path: '\\0' + abstract }),
  dns: () => within(dns.lookup('example.com').then(({ address }) => address)),
  metadata: () => connect({ host: '169.254.169.254', port: 80 }),
  udp: () => within(new Promise((yes, no) => {
    const socket = dgram.createSocket('udp4')
    socket.on('message', (data) => yes(String(data)))
    socket.on('error', no)
    socket.send('hello', udp, '127.0.0.1', (error) => error && no(error))
  })),
  ...(proxy === null ? {} : { allowed: () => through('localhost'), port: () => connect({ host: proxy.hostname, port: proxy.port }, 'CONNECT localhost:99999 HTTP/1.1\\r\\n\\r\\n'), other: () => through('127.0.0.2'), up: () => through('example.com') }),
}
;(async () => {
  for (const [name, attempt] of Object.entries(tries))
    console.log(name + ': ' + String(await attempt().catch((error) => 'failed ' + (error.code ?? error.message))).replaceAll(/[\\r\\n]+/g, ' '))
  console.log('key: ' + (JSON.stringify(process.env) + fs.readFileSync('/proc/self/environ', 'latin1')).includes(${JSON.stringify(KEY)}))
  process.exit(0)
})()
`

let outer: string
let provider: RawProvider
let closing: (() => void)[] = []
let ports: { readonly port: number; readonly udp: number; readonly abstract: string }

beforeEach(async () => {
  outer = mkdtempSync(join(tmpdir(), 'assay-network-test-'))
  writeFileSync(join(outer, 'agent.cjs'), AGENT)
  provider = await startRawProvider(() => ({
    headers: { 'content-type': 'application/json' },
    chunks: ['{"usage":{"input_tokens":1,"output_tokens":1}}'],
  }))
  const greets = (socket: net.Socket): void => {
    socket.on('error', () => {})
    socket.end(SECRET_SERVICE)
  }
  const tcp = net.createServer(greets).listen(0)
  const abstract = `assay-test-${process.pid}-${Date.now()}`
  const hidden = net.createServer(greets).listen(`\0${abstract}`)
  const udp = dgram.createSocket('udp4')
  udp.on('message', (_, from) => udp.send(SECRET_SERVICE, from.port, from.address))
  udp.bind(0, '127.0.0.1')
  await Promise.all([once(tcp, 'listening'), once(hidden, 'listening'), once(udp, 'listening')])
  ports = { port: (tcp.address() as AddressInfo).port, udp: udp.address().port, abstract }
  closing = [() => tcp.close(), () => hidden.close(), () => udp.close()]
})
afterEach(async () => {
  for (const close of closing) close()
  await provider.close()
  rmSync(outer, { recursive: true, force: true })
})

async function reached(
  network: Network | undefined,
): Promise<{ trial: Trial; got: Record<string, string> }> {
  const folder = join(outer, 'run')
  await run({
    suites: [
      fakeSuite([
        fakeCase('c', {
          turns: [JSON.stringify(ports)],
          workspace: {
            git: null,
            folder: null,
            setup: [],
            setupTimeoutMs: 20_000,
            ignore: [],
            protect: [],
            hidden: {},
            ...(network === undefined ? {} : { network }),
          },
        }),
      ]),
    ],
    subjects: [
      commandSubject({
        id: 'agent',
        argv: [process.execPath, './agent.cjs'],
        folder: outer,
        events: 'text',
        env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: provider.origin },
        prices: async () => prices,
      }),
    ],
    folder,
    trials: 1,
    maxErrors: 1,
  })
  const trials: Trial[] = []
  await readTrials(folder, (one) => trials.push(one))
  const [trial] = trials as [Trial]
  const lines = (trial.answer as string).split('\n')
  const entries = lines.map((line) => line.split(/: (.*)/su).slice(0, 2))
  return { trial, got: Object.fromEntries(entries) as Record<string, string> }
}

describe.skipIf(!hasBubblewrap)('an agent whose case allows', () => {
  it('no network reaches its model through the gateway, and nothing else', async () => {
    const { trial, got } = await reached('none')
    expect(trial).toMatchObject({ network: 'none', gateway: [{ requests: 1, refused: 0 }] })
    const { model, key, ...others } = got
    expect({ model, key }).toEqual({ model: '200', key: 'false' })
    expect(Object.keys(others)).toEqual(['loopback', 'ipv6', 'abstract', 'dns', 'metadata', 'udp'])
    for (const came of Object.values(others)) expect(came).toMatch(/^failed /)
  })

  it('some hosts reaches these by their names, and nothing else', async () => {
    const { trial, got } = await reached(['localhost', '*.example.org'])
    expect(trial.network).toBe('localhost, *.example.org')
    expect(got['allowed']).toContain('200 Connected')
    const { model, allowed: _, key, other, up, port, ...others } = got
    expect({ model, key }).toEqual({ model: '200', key: 'false' })
    for (const came of [other, up, port]) expect(came).toContain('403 Not allowed')
    for (const came of Object.values(others)) expect(came).toMatch(/^failed /)
  })

  it('everything by saying nothing reaches this machine, and the trial says that the network was open', async () => {
    const { trial, got } = await reached(undefined)
    expect(trial.network).toBe('open')
    expect(got['loopback']).toBe(SECRET_SERVICE)
    expect(got).toMatchObject({ model: '200', key: 'false' })
  })
})

describe('a pattern of hosts', () => {
  it.each([
    ['example.com', 'example.com', true],
    ['a.example.com', 'example.com', false],
    ['a.example.com', '*.example.com', true],
    ['a.b.example.com', '*.EXAMPLE.com', true],
    ['example.com', '*.example.com', false],
    ['.example.com', '*.example.com', false],
    ['badexample.com', '*.example.com', false],
    ['example.com.evil.org', 'example.com', false],
  ])('for %s, %s is %s', (host, pattern, is) => {
    expect(isAllowed(host, pattern)).toBe(is)
  })
})
