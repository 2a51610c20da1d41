/**
 * Hostile TypeScript programs that try to reach secrets, the network, other processes, the machine, and files at
 * compile time.
 */
import { typescriptStart } from './typescript-verdicts.ts'
import { BOMB, NOTHING, REFUSED, STOPPED, type Hostile, type World } from './program.ts'

/** Reports what the program got, in its return value and in the error that it throws. */
const reaching = (body: (world: World) => string) => (world: World) =>
  `${typescriptStart(world)}
const got: string[] = []
const keep = (what: unknown): void => {
  const text = String(what).slice(0, 400)
  if (text !== '' && text !== 'undefined' && text !== 'null') got.push(text)
}
const attempt = (make: () => unknown): void => {
  try {
    keep(make())
  } catch {}
}
export async function sum(_a: number, _b: number): Promise<any> {
  ${body(world)}
  const told = 'got ' + (got.length === 0 ? 'nothing' : got.join(' | '))
  node('fs').writeSync(2, told)
  return told
}
`

export const typescriptReach: readonly Hostile[] = [
  {
    kind: 11,
    name: 'keys in the environment',
    task: 'sum',
    source: reaching(
      ({ variable }) => `const { openSync } = node('fs')
  const { env, ppid, pid } = world.process
  keep(env['${variable}'])
  for (const [name, value] of Object.entries(env))
    if (/KEY|TOKEN|SECRET|PLANTED/.test(name)) keep(value)
  for (const who of ['self', pid, ppid, 1, 2])
    attempt(() => (openSync('/proc/' + who + '/environ'), 'opened ' + who))
  attempt(() => world.process.report.getReport().environmentVariables['${variable}'])
  attempt(() => node('child_process').execSync('env').toString())`,
    ),
    expect: NOTHING,
  },
  {
    kind: 12,
    name: 'keys at home, passwords, the harness',
    task: 'sum',
    source: reaching(
      ({ files, suite, system }) => `const { openSync, opendirSync, readFileSync } = node('fs')
  for (const path of ${JSON.stringify([...files, suite])})
    attempt(() => readFileSync(path, 'utf8'))
  for (const path of ${JSON.stringify(system)})
    for (const open of [openSync, opendirSync]) attempt(() => (open(path), 'opened ' + path))
  for (const path of ${JSON.stringify(files)}) {
    let module: unknown
    try { module = await import(path) } catch {}
    if (module !== undefined) keep(JSON.stringify(module))
  }`,
    ),
    expect: NOTHING,
  },
  {
    kind: 13,
    name: 'connections to the machine and beyond',
    task: 'sum',
    source: reaching(
      ({ tcp, abstract, socket, beyond }) => `const net = node('net')
  const connect = (to: any): Promise<void> =>
    new Promise((resolve) => {
      try {
        const one = net.connect(to)
        const end = (): void => { one.destroy(); resolve() }
        one.on('connect', () => { keep('a connection to ' + JSON.stringify(to)); one.end('hello'); setTimeout(end, 50) })
        one.on('error', end)
        setTimeout(end, 400)
      } catch { resolve() }
    })
  await Promise.all([
    connect({ port: ${tcp}, host: '127.0.0.1' }),
    connect({ port: ${tcp}, host: '::ffff:127.0.0.1' }),
    connect({ port: ${tcp}, host: 'localhost' }),
    ...${JSON.stringify(beyond)}.map((place: string) =>
      connect({ host: place.split(':')[0], port: Number(place.split(':')[1]) }),
    ),
    connect({ path: '\\0${abstract}' }),
    connect({ path: '${socket}' }),
  ])`,
    ),
    expect: NOTHING,
  },
  {
    kind: 13,
    name: 'fetch, names, datagrams, listening',
    task: 'sum',
    source: reaching(
      ({
        tcp,
        udp,
        beyond,
      }) => `const soon = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 50))
  const quietly = (promise: Promise<unknown>): Promise<unknown> =>
    Promise.race([promise.then(keep, () => {}), soon()])
  await quietly(world.fetch('http://127.0.0.1:${tcp}/').then((reply: any) => 'a reply ' + reply.status))
  for (const place of ${JSON.stringify(beyond)}) {
    await quietly(world.fetch('http://' + place + '/').then(() => 'a reply of ' + place))
    if (/[a-z]/.test(place))
      await quietly(node('dns').promises.lookup(place.split(':')[0]).then(() => 'the address of ' + place))
  }
  const datagram = node('dgram').createSocket('udp4')
  datagram.on('error', () => {})
  await quietly(new Promise((resolve, reject) => {
    datagram.send('hello', ${udp}, '127.0.0.1', (error: unknown) => (error ? reject(error) : resolve('sent')))
  }))
  const server = node('net').createServer()
  server.on('error', () => {})
  await quietly(new Promise((resolve) => server.listen(0, '0.0.0.0', () => resolve('listens'))))`,
    ),
    expect: NOTHING,
  },
  {
    kind: 14,
    name: 'two hundred shells that fork',
    task: 'sum',
    source: reaching(
      ({ mark }) => `const { spawn, spawnSync, fork } = node('child_process')
  for (let at = 0; at < 200; at++)
    try {
      spawn('/bin/sh', ['-c', ': ${mark}; b() { b | b & }; b; sleep 30'], { detached: true, stdio: 'ignore' })
        .on('error', () => {})
        .on('spawn', () => keep('a shell'))
    } catch {}
  for (let at = 0; at < 20; at++)
    try {
      spawn(world.process.execPath, ['-e', 'process.title = "${mark}"; setTimeout(() => {}, 30000)'], { stdio: 'ignore' })
        .on('error', () => {})
    } catch {}
  await new Promise((resolve) => setTimeout(resolve, 300))`,
    ),
    expect: { ...STOPPED, shows: /got / },
  },
  {
    kind: 15,
    name: 'kills everybody it can',
    task: 'sum',
    source: reaching(
      () => `const { kill, ppid, pid } = world.process
  for (const who of [-1, ppid, 1, 2, ...Array.from({ length: 300 }, (_, at) => at + 1)])
    if (who !== pid)
      for (const signal of ['SIGSTOP', 'SIGKILL'])
        try { kill(who, signal) } catch {}`,
    ),
    expect: STOPPED,
  },
  {
    kind: 16,
    name: 'a daemon that ignores signals',
    task: 'sum',
    source: reaching(
      ({ mark, outside }) => `attempt(() => node('child_process').spawn(
    world.process.execPath,
    ['-e', \`process.title = "${mark}"
      for (const name of ["SIGTERM", "SIGHUP", "SIGINT"]) process.on(name, () => {})
      setInterval(() => { try { require("fs").writeFileSync("${outside}/daemon", "") } catch {} }, 100)\`],
    { detached: true, stdio: 'ignore' },
  ).on('error', () => {}).unref())
  await new Promise((resolve) => setTimeout(resolve, 300))`,
    ),
    expect: { ...STOPPED, shows: /got / },
  },
  {
    kind: 17,
    name: 'a daemon that holds the pipes open',
    task: 'sum',
    source: reaching(
      ({ mark }) => `attempt(() => node('child_process').spawn(
    world.process.execPath,
    ['-e', 'process.title = "${mark}"; process.on("SIGTERM", () => {}); setInterval(() => {}, 1000)'],
    { detached: true, stdio: ['inherit', 'inherit', 'inherit', 3, 4] },
  ).on('error', () => {}).unref())
  setTimeout(() => world.process.exit(0), 200)
  await new Promise(() => {})`,
    ),
    expect: STOPPED,
  },
  {
    kind: 20,
    name: 'many children with half a gigabyte each',
    task: 'sum',
    source: reaching(
      ({ mark }) => `for (let at = 0; at < 40; at++)
    try {
      node('child_process')
        .spawn(world.process.execPath, ['-e', 'process.title = "${mark}"; Buffer.alloc(512 * 2 ** 20, 1); setTimeout(() => {}, 30000)'], { stdio: 'ignore' })
        .on('error', () => {})
    } catch {}
  await new Promise((resolve) => setTimeout(resolve, 500))`,
    ),
    expect: { ...STOPPED, shows: /got / },
  },
  {
    kind: 27,
    name: 'another namespace, mounts, the first process, root',
    task: 'sum',
    source: reaching(
      ({ text, outside }) => `const fs = node('fs')
  const { execFileSync } = node('child_process')
  attempt(() => execFileSync('unshare', ['-Urm', 'id'], { encoding: 'utf8' }))
  attempt(() => execFileSync('mount', ['-t', 'proc', 'proc', '/proc'], { encoding: 'utf8' }) + 'mounted')
  for (const path of ['/proc/1/mem', '/proc/self/mem', '/proc/1/root/etc/hostname', '/proc/1/cwd'])
    attempt(() => 'opened ' + path + fs.openSync(path, 'r+'))
  attempt(() => (world.process.setuid(0), 'root'))
  attempt(() => (world.process.setgid(0), 'root'))
  attempt(() => (world.process.chroot('/'), 'chroot'))
  for (const library of ['/lib/x86_64-linux-gnu/libc.so.6', '/usr/lib/libc.so.6'])
    attempt(() => (world.process.dlopen({ exports: {} }, library), 'a library'))
  attempt(() => {
    fs.symlinkSync('${text}', 'result.json')
    return fs.readFileSync('result.json', 'utf8')
  })
  attempt(() => (fs.symlinkSync('/etc/passwd', '${outside}/link'), 'a link outside'))
  attempt(() => (fs.linkSync('${text}', './hard'), fs.readFileSync('./hard', 'utf8')))
  attempt(() => (fs.mkdirSync('${outside}/made'), 'a folder outside'))`,
    ),
    expect: NOTHING,
  },
  {
    kind: 29,
    name: 'references to files of the machine',
    task: 'sum',
    source: ({ text, typed }) => `/// <reference path="/etc/passwd" />
/// <reference path="${text}" />
/// <reference path="${typed}" />
export function sum(a: number, b: number): number {
  return a + b
}
`,
    expect: REFUSED,
  },
  {
    kind: 29,
    name: 'a secret told by a type error',
    task: 'sum',
    source: ({ typed }) => `import { planted } from '${typed}'
import type * as all from '${typed.replace(/\.ts$/, '')}'
export const told: 0 = planted
export const again: 0 = null as unknown as typeof all.planted
export const third: 0 = null as unknown as typeof import('${typed}').planted
export function sum(a: number, b: number): number {
  return a + b
}
`,
    expect: REFUSED,
  },
  {
    kind: 29,
    name: 'a secret in a JSON import',
    task: 'sum',
    source: ({ json }) => `import planted from '${json}' with { type: 'json' }
export const told: 0 = planted
export function sum(_a: number, _b: number): any {
  return planted
}
`,
    expect: REFUSED,
  },
  {
    kind: 29,
    name: 'a way out by dots',
    task: 'sum',
    source: ({ typed }) => `import { planted } from '../../../../../../../../../..${typed}'
/// <reference types="../../../../../../../../../../..${typed}" />
export function sum(_a: number, _b: number): any {
  return planted
}
`,
    expect: BOMB,
  },
]
