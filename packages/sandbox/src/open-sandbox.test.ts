import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { hasBubblewrap } from '../test/sandboxed.ts'
import { findProgram } from './find-program.ts'
import type { Machine } from './bubblewrap/diagnose.ts'
import { inspectSandbox, openSandbox } from './open-sandbox.ts'
import { SandboxError } from './sandbox.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-open-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let scripts = 0
/** Makes a fake bubblewrap that reports a version and then does what `body` says. */
function fake(body: string, version = '0.11.0'): string {
  const path = join(folder, `bwrap-${scripts++}`)
  const text = `#!/bin/sh\n[ "$1" = --version ] && { echo "bubblewrap ${version}"; exit 0; }\n${body}\n`
  writeFileSync(path, text, { mode: 0o755 })
  return path
}

const failing = (words: string): string => fake(`echo "bwrap: ${words}" >&2; exit 1`)

function machine(
  facts: Partial<Machine> & { readonly settings?: Record<string, string> } = {},
): Machine {
  return {
    platform: 'linux',
    isContainer: false,
    isRoot: false,
    setting: (name) => facts.settings?.[name] ?? null,
    ...facts,
  }
}

async function refusal(bwrap: string | null, on: Machine = machine()): Promise<string> {
  const error: unknown = await openSandbox('auto', { bwrap, machine: on }).then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(SandboxError)
  return (error as SandboxError).message
}

const DENIED = 'setting up uid map: Permission denied'
const FORBIDDEN =
  'No permissions to create new namespace, likely because the kernel does not allow it'
const canFake =
  process.platform === 'linux' && findProgram('prlimit') !== null && findProgram('setpriv') !== null

describe.skipIf(!canFake)('a sandbox that does not work', () => {
  it('because it is not installed: says how to install it, and how to do without', async () => {
    const message = await refusal(null)
    expect(message).toMatch(/not installed/)
    expect(message).toMatch(/apt install bubblewrap/)
    expect(message).toMatch(/dnf install bubblewrap/)
    expect(message).toMatch(/--sandbox none/)
  })

  it('because it is too old: says which version is needed', async () => {
    expect(await refusal(fake('exit 0', '0.6.1'))).toMatch(/0\.6\.1 is too old: 0\.7 or newer/)
  })

  it('because AppArmor restricts user namespaces: gives the profile and the setting', async () => {
    const settings = { 'kernel.apparmor_restrict_unprivileged_userns': '1' }
    const symptoms = [DENIED, FORBIDDEN, 'loopback: Failed RTM_NEWADDR: Operation not permitted']
    for (const words of symptoms) {
      const message = await refusal(failing(words), machine({ settings }))
      expect(message).toContain(words)
      expect(message).toContain('/etc/apparmor.d/bwrap')
      expect(message).toContain('sysctl -w kernel.apparmor_restrict_unprivileged_userns=0')
      expect(message).toContain('--sandbox none')
    }
  })

  it('because a setting of the kernel forbids it: names that setting', async () => {
    const settings = { 'kernel.unprivileged_userns_clone': '0' }
    expect(await refusal(failing(FORBIDDEN), machine({ settings }))).toContain(
      'sysctl -w kernel.unprivileged_userns_clone=1',
    )
    expect(
      await refusal(failing(FORBIDDEN), machine({ settings: { 'user.max_user_namespaces': '0' } })),
    ).toContain('sysctl -w user.max_user_namespaces=')
  })

  it('because a container forbids it: says how to start the container', async () => {
    const message = await refusal(failing(FORBIDDEN), machine({ isContainer: true, isRoot: true }))
    expect(message).toContain('docker run --security-opt seccomp=unconfined')
    expect(message).toContain('SYS_ADMIN')
  })

  it('because no more namespaces may be made: leads with that, not with the container it is in', async () => {
    const words =
      'Creating new namespace failed: nesting depth or /proc/sys/user/max_*_namespaces exceeded (ENOSPC)'
    const settings = { 'user.max_user_namespaces': '1' }
    const message = await refusal(failing(words), machine({ isContainer: true, settings }))
    expect(message.split('\n')[1]).toContain('user.max_user_namespaces is 1')
    expect(message).not.toContain('docker')
  })

  it('for a reason nobody foresaw: shows what it said', async () => {
    expect(await refusal(failing('the moon is full'))).toContain('bwrap: the moon is full')
    expect(await refusal(fake('exit 3'))).toContain('ended with code 3')
  })

  it('because it starts nothing: is not taken for one that works', async () => {
    expect(await refusal(fake('exit 0'))).toContain('does not work here')
  })

  it('because there is none for this system: says where there is one', async () => {
    expect(await refusal(null, machine({ platform: 'darwin' }))).toMatch(/no sandbox for macOS yet/)
    expect(await refusal(null, machine({ platform: 'win32' }))).toMatch(/WSL/)
  })

  it('is described without an error', async () => {
    expect(await inspectSandbox({ bwrap: null, machine: machine() })).toMatchObject({
      version: null,
      ready: false,
      how: expect.stringContaining('apt install bubblewrap'),
    })
    expect(await inspectSandbox({ bwrap: failing(DENIED), machine: machine() })).toMatchObject({
      version: '0.11.0',
      ready: false,
      how: expect.stringContaining(DENIED),
    })
  })
})

const { version } = await inspectSandbox()

describe.skipIf(!hasBubblewrap)('a sandbox that works', () => {
  it('is opened, whether named or not', async () => {
    for (const choice of ['auto', 'bubblewrap'] as const) {
      const sandbox = await openSandbox(choice)
      expect(sandbox).toMatchObject({
        name: 'bubblewrap',
        version: expect.stringContaining(version ?? ''),
      })
      await sandbox.close()
    }
  })

  it('without the filter where the kernel has none, and says so', async () => {
    const bwrap = findProgram('bwrap')
    const picky = fake(
      `case " $* " in *" --seccomp "*) echo "bwrap: prctl(PR_SET_SECCOMP): Invalid argument" >&2; exit 1;; esac\nexec ${bwrap} "$@"`,
      version ?? '',
    )
    const sandbox = await openSandbox('auto', { bwrap: picky })
    await sandbox.close()
    expect(sandbox.version).toMatch(/without a system call filter/)
    const { notes } = await inspectSandbox({ bwrap: picky })
    expect(notes.join('\n')).toMatch(/not filtered/)
  })

  it('for graded code alone, where /proc is hidden in part, and says so', async () => {
    const bwrap = findProgram('bwrap')
    const masked = fake(
      `case " $* " in *" --proc "*) echo "bwrap: Can't mount proc on /newroot/proc: Operation not permitted" >&2; exit 1;; esac\nexec ${bwrap} "$@"`,
      version ?? '',
    )
    const { ready: works, notes } = await inspectSandbox({ bwrap: masked })
    expect(works).toBe(true)
    expect(notes.join('\n')).toMatch(/agents do not start here: .*systempaths=unconfined/)
    const { notes: usual } = await inspectSandbox()
    expect(usual.join('\n')).not.toMatch(/agents do not start/)
  })

  it('in a namespace of users where root may not do more', async () => {
    const bwrap = findProgram('bwrap')
    const picky = fake(
      `case " $* " in *" --unshare-user "*) exec ${bwrap} "$@";; esac\necho "bwrap: Creating new namespace failed: Operation not permitted" >&2; exit 1`,
      version ?? '',
    )
    const { ready: works, notes } = await inspectSandbox({ bwrap: picky })
    expect(works).toBe(true)
    expect(notes.join('\n')).toMatch(/namespace of users/)
  })
})

it('can be none, by name only', async () => {
  const sandbox = await openSandbox('none', { bwrap: null })
  expect(sandbox.name).toBe('none')
  await sandbox.close()
})
