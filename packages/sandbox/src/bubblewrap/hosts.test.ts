/** The sandbox in a separate host process: started as an ordinary user, with descriptors left open, and killed. */
import { randomInt } from 'node:crypto'
import { closeSync, openSync, rmSync } from 'node:fs'
import { once } from 'node:events'
import { createServer, type AddressInfo, type Server } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { canBeUser, home, host, Host, node, secret } from '../../test/sandbox-host.ts'
import { carrying, hasBubblewrap, inNode, inShell } from '../../test/sandboxed.ts'

afterAll(() => rmSync(home, { recursive: true, force: true }))

describe.skipIf(!canBeUser)('as an ordinary user', () => {
  let ours: Host
  let unfiltered: Host
  let server: Server

  beforeAll(async () => {
    server = createServer((socket) => socket.end('reached')).listen(0, '127.0.0.1')
    await once(server, 'listening')
    ours = new Host({ asUser: true })
    unfiltered = new Host({ asUser: true, mode: 'unfiltered' })
    await Promise.all([ours.state, unfiltered.state])
  })

  afterAll(async () => {
    server.close()
    await Promise.all([ours.end(), unfiltered.end()])
  })

  it('bubblewrap works, and says as who', async () => {
    const { ready: works, notes } = await ours.state
    expect(works).toBe(true)
    expect(notes.join()).toMatch(/ordinary user/)
  })

  it('a program is nobody, and has no secret of its user', async () => {
    // The folders above the program itself are visible, with nothing else in them.
    const paths = JSON.stringify(
      [secret, home, '/etc/passwd', '/proc', '/root', '/home', '/tmp', host].filter(
        (path) => !node.startsWith(`${path}/`),
      ),
    )
    expect(
      await ours.shows(
        `show([process.getuid(), process.getgid(), process.env, ${paths}.filter(fs.existsSync)])`,
      ),
    ).toEqual([65534, 65534, { PWD: '/scratch' }, []])
  })

  it('a program reads what it is given, though only its user may', async () => {
    const seen = await ours.shows(`show(fs.readFileSync(${JSON.stringify(secret)}, 'utf8'))`, {
      reads: [secret],
    })
    expect(seen).toBe('sesame')
  })

  it('a program writes nowhere but in its folder', async () => {
    const source = `show(['/x', '/usr/lib/x', '/dev/x', 'x'].map((path) => {
      try { fs.writeFileSync(path, 'x'); return 'written' } catch (error) { return error.code } }))`
    const results = (await ours.shows(source)) as string[]
    expect(results.pop()).toBe('written')
    expect(results).not.toContain('written')
  })

  it('a program reaches no network, with the filter or without', async () => {
    const { port } = server.address() as AddressInfo
    const source = `require('node:net').connect(${port}, '127.0.0.1').on('data', () => show('reached'))
      .on('error', (error) => show(error.code))`
    expect(await ours.shows(source)).toBe('EPERM')
    expect(await unfiltered.shows(source)).not.toBe('reached')
  })

  it('a program makes no namespace of users, with the filter or without', async () => {
    for (const one of [ours, unfiltered]) {
      const { stdout, stderr } = await one.run(
        inShell('unshare -U true || unshare -Ur true; echo $?'),
      )
      expect(stdout.trim()).not.toBe('0')
      expect(stderr).toMatch(/unshare/)
    }
  })

  it('a program is held to its number of processes, however many its user has', async () => {
    const forks = 'i=0; while [ $i -lt 40 ]; do sleep 5 & i=$((i+1)); done; echo all'
    const { stdout, stderr } = await ours.run(
      inShell(forks, { limits: { processes: 20, wallMs: 9000 } }),
    )
    expect(stdout).toBe('')
    expect(stderr).toMatch(/fork/i)
  })

  it.each([
    [
      'a daemon',
      `require('node:child_process').spawn('/bin/sh', ['-c', 'trap "" TERM; sleep 999; : WORD'],
      { detached: true, stdio: 'inherit' }).unref(); process.exit(0)`,
    ],
    ['one that stops its group', 'process.kill(0, "SIGSTOP") // WORD'],
    ['one that kills its group', 'process.kill(0, "SIGKILL") // WORD'],
    ['one that kills all', 'process.kill(-1, "SIGKILL") // WORD'],
    ['one that never ends', 'setInterval(() => {}, 1e6) // WORD'],
  ])('nothing is left of a program: %s', async (_, source) => {
    const word = `assay-user-${process.pid}-${randomInt(1e9)}`
    await ours.run(inNode(source.replace('WORD', word), { system: true }, node), 700)
    expect(carrying(word)).toEqual([])
  })

  it('a program ends at its limits, and says how', async () => {
    const wanted = inNode('for (;;);', { limits: { cpuMs: 1000, processes: 'threads' } }, node)
    expect(await ours.run(wanted)).toMatchObject({ code: null, signal: 'SIGXCPU', how: 'cpu' })
  })
})

describe.skipIf(!hasBubblewrap)('when the process that started it is killed', () => {
  const endsWithIt = async (asUser: boolean): Promise<void> => {
    const word = `assay-orphan-${process.pid}-${String(asUser)}`
    const one = new Host({ asUser })
    await one.state
    one.send(inNode(`setInterval(() => {}, 1e6) // ${word}`, {}, node))
    for (let look = 0; look < 100 && carrying(word).length === 0; look++) await sleep(50)
    await sleep(200)
    expect(carrying(word)).not.toEqual([])
    one.child.kill('SIGKILL')
    for (let look = 0; look < 100 && carrying(word).length > 0; look++) await sleep(50)
    expect(carrying(word)).toEqual([])
  }

  it('a program ends with it', async () => {
    await expect(endsWithIt(false)).resolves.toBeUndefined()
  })

  it.skipIf(!canBeUser)('a program ends with it, as an ordinary user', async () => {
    await expect(endsWithIt(true)).resolves.toBeUndefined()
  })
})

describe.skipIf(!hasBubblewrap)(
  'a descriptor that was left open for the process that started it',
  () => {
    it('does not reach a program', async () => {
      const stray = openSync(secret, 'r')
      const one = new Host({ asUser: false, stray })
      try {
        const source = `let seen; try { seen = fs.readFileSync(20, 'utf8') } catch (error) { seen = error.code }
        show(seen)`
        expect(await one.shows(source)).not.toBe('sesame')
      } finally {
        closeSync(stray)
        await one.end()
      }
    })
  },
)
