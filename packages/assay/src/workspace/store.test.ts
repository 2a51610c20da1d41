import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Case, Identity, TrialWorkspace } from '@assay/contract'
import { carrying, hasBubblewrap } from '../../../sandbox/test/sandboxed.ts'
import { contentOf, newFolder, shell, workspaceCase } from '../../test/workspaces.ts'
import { openBubblewrap } from '../../../sandbox/src/bubblewrap/bubblewrap.ts'
import { openNone } from '../../../sandbox/src/none.ts'
import type { Sandbox } from '@assay/sandbox'
import { nameOf } from './kept-workspaces.ts'
import { removeTree } from './files/remove.ts'
import { openWorkspaceStore, type WorkspaceStore, type WorkspaceStoreOptions } from './store.ts'
import { WorkspaceError } from './workspace-error.ts'

const identity: Identity = { suite: 'suite', case: 'case', subject: 'subject', index: 0 }

let root: string
let sandbox: Sandbox
/** The tests share these stores, because each store has to start its own threads. */
let store: WorkspaceStore
let keeping: WorkspaceStore
const stores: WorkspaceStore[] = []

const begin = (open: () => Sandbox) => async (): Promise<void> => {
  root = newFolder()
  mkdirSync(join(root, 'temporary'))
  sandbox = open()
  store = await opened()
  keeping = await opened(join(root, 'kept'))
}

async function end(): Promise<void> {
  for (const one of stores.splice(0)) await one.close()
  await sandbox.close()
  expect(readdirSync(join(root, 'temporary'))).toEqual([])
  removeTree(root)
}

async function opened(
  keep: string | null = null,
  more: Pick<WorkspaceStoreOptions, 'signal' | 'offlineSetup'> = {},
): Promise<WorkspaceStore> {
  const one = await openWorkspaceStore({
    sandbox,
    keep,
    root: join(root, 'temporary'),
    ...more,
  })
  stores.push(one)
  return one
}

/** Returns the text that a script prints in the workspace. */
async function printed(trial: TrialWorkspace, script: string): Promise<string> {
  let said = ''
  const ended = await trial.run(
    shell(script, {
      onOutput(chunk) {
        said += chunk.toString()
        return 'go on'
      },
    }),
  )
  expect([ended.how, ended.code, ended.stderr]).toEqual(['ended', 0, ''])
  return said.trim()
}

describe.each([
  ['none', true, openNone],
  ['bubblewrap', hasBubblewrap, openBubblewrap],
])('workspaces with sandbox %s', (name, isThere, open) => {
  if (isThere) {
    beforeAll(begin(open))
    afterAll(end)
  }

  it.skipIf(!isThere)('node in a workspace is Assay’s own Node, also in its setup', async () => {
    const ask = workspaceCase({}, { setup: ['node --version > version'] })
    const trial = await store.open(ask, identity)
    expect(await printed(trial, 'cat version; node --version')).toBe(
      `${process.version}\n${process.version}`,
    )
    await trial.close()
  })

  it.skipIf(!isThere)(
    'a trial works in its own copy, and what it did is told and graded',
    async () => {
      const ask = workspaceCase(
        { 'a.txt': 'one\n', 'tests/t.txt': 'old\n' },
        { hidden: { 'tests/t.txt': 'hidden', 'h.sh': '#!/bin/sh\n' }, setup: ['echo made > made'] },
      )
      const [one, other] = await Promise.all([store.open(ask, identity), store.open(ask, identity)])
      expect(
        await printed(one, 'cat a.txt made; echo two > a.txt; mkdir d; echo x > d/n; pwd'),
      ).toBe(`one\nmade\n${one.folder}`)
      expect(await printed(other, 'cat a.txt; ls; rm -r tests')).toBe('one\na.txt\nmade\ntests')
      const diff = await one.diff()
      expect(diff.changes.map(({ path, change, text }) => [path, change, text])).toEqual([
        ['a.txt', 'changed', 'two\n'],
        ['d/n', 'added', 'x\n'],
      ])
      expect((await other.diff()).changes.map(({ path }) => path)).toEqual(['tests/t.txt'])
      await Promise.all([one.close(), other.close()])

      const graded = store.graded(ask, diff, {})
      expect(await graded.list()).toEqual(['a.txt', 'd/n', 'made', 'tests/t.txt'])
      expect(await graded.read('a.txt')).toBe('two\n')
      expect(await graded.read('tests/t.txt')).toBe('old\n')
      expect(await graded.read('h.sh')).toBeNull()
      const laid = await graded.lay()
      expect(contentOf(laid.folder)).toEqual({
        'a.txt': 'file two\n',
        'd/': 'folder',
        'd/n': 'file x\n',
        'h.sh': 'program #!/bin/sh\n',
        made: 'file made\n',
        'tests/': 'folder',
        'tests/t.txt': 'file hidden',
      })
      await laid.remove()
      await laid.remove()
      // A reused copy contains nothing of the previous trial.
      const again = await store.open(ask, identity)
      expect(
        await printed(again, 'ls -A . "$HOME" "$TMPDIR" | sed s/:.*//; cat a.txt'),
      ).not.toMatch(/two|n$|h.sh/m)
      expect((await again.diff()).changes).toEqual([])
      await again.close()
    },
  )

  it.skipIf(!isThere)(
    'a program finds a neutral place: its own home, nothing of Assay, no variable of ours',
    async () => {
      const trial = await store.open(workspaceCase({}), identity)
      const seen = await printed(
        trial,
        'env; echo; pwd; ls -A "$HOME"; touch "$TMPDIR/x" "$HOME/y" z',
      )
      expect(seen).toContain(`HOME=${trial.home}\n`)
      expect(seen).not.toMatch(/npm_|VITEST/)
      if (sandbox.moves) {
        expect([trial.folder, trial.home]).toEqual(['/workspace', '/home/agent'])
        expect(seen.replaceAll(process.execPath, '')).not.toMatch(/assay/i)
      }
      expect((await trial.diff()).changes.map(({ path }) => path)).toEqual(['z'])
      await trial.close()
    },
  )

  it.skipIf(!isThere)(
    'what is laid in is there for the agent and no part of what it did',
    async () => {
      const skill = join(root, 'skill')
      mkdirSync(join(skill, 'deep'), { recursive: true })
      writeFileSync(join(skill, 'SKILL.md'), 'skill')
      writeFileSync(join(skill, 'deep/run.sh'), '#!/bin/sh\n')
      chmodSync(join(skill, 'deep/run.sh'), 0o755)
      const trial = await store.open(workspaceCase({ 'notes/a': '1', b: '2' }), identity)
      await trial.lay('folder', '.skills/one', { from: skill })
      await trial.lay('folder', 'notes', { text: 'now a file' })
      await trial.lay('folder', 'c.md', { from: join(skill, 'SKILL.md') })
      await trial.lay('home', '.settings/x.json', { text: '{}' })
      expect((await trial.diff()).changes).toEqual([])
      expect(
        await printed(
          trial,
          'cat .skills/one/SKILL.md notes c.md "$HOME/.settings/x.json"; .skills/one/deep/run.sh',
        ),
      ).toBe('skillnow a fileskill{}')
      await printed(trial, 'echo more >> notes; rm c.md; echo x > .skills/one/SKILL.md')
      expect(
        (await trial.diff()).changes.map(({ path, change, patch }) => [path, change, patch]),
      ).toEqual([
        ['.skills/one/SKILL.md', 'changed', expect.stringContaining('-skill')],
        ['c.md', 'deleted', expect.stringContaining('-skill')],
        ['notes', 'changed', expect.stringContaining('+now a filemore')],
      ])
      await trial.close()
    },
  )

  it.skipIf(!isThere)(
    'a program is ended at its time, at its size, and when its reader has seen enough, with all it started',
    async () => {
      const trial = await store.open(workspaceCase({}), identity)
      const word = `77.${process.pid}${name.length}`
      const busy = `(setsid sleep ${word} &) ; sleep ${word} & echo started; echo oops >&2; sleep ${word}`
      expect(await trial.run(shell(busy, { timeoutMs: 700 }))).toMatchObject({
        how: 'timeout',
        stderr: 'oops\n',
      })
      expect(await trial.run(shell(busy, { onOutput: () => 'stop' }))).toMatchObject({
        how: 'stopped',
      })
      let bytes = 0
      const loud = shell('yes', {
        mostBytes: 1000,
        onOutput(chunk) {
          bytes += chunk.length
          return 'go on'
        },
      })
      expect(await trial.run(loud)).toMatchObject({ how: 'too-much' })
      expect(bytes).toBe(1000)
      const control = new AbortController()
      const aborted = shell(busy, {
        signal: control.signal,
        onOutput() {
          control.abort(new Error('enough'))
          return 'go on'
        },
      })
      await expect(trial.run(aborted)).rejects.toThrow('enough')
      const thrower = shell(busy, {
        onOutput() {
          throw new Error('reader')
        },
      })
      await expect(trial.run(thrower)).rejects.toThrow('reader')
      expect(carrying(`sleep ${word}`)).toEqual([])
      expect(await trial.run(shell('cat; exit 3', { input: 'x' }))).toMatchObject({
        how: 'ended',
        code: 3,
      })
      await trial.close()
    },
  )

  if (name !== 'none')
    it.skipIf(!isThere)('a setup without network reaches no server of this machine', async () => {
      const server = createServer((one) => one.end())
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as AddressInfo
      const connect = `node -e "require('net').connect(${port}, '127.0.0.1').on('error', () => process.exit(3))"`
      try {
        const ask = workspaceCase({}, { setup: [connect] })
        await (await store.open(ask, identity)).close()
        const offline = await opened(null, { offlineSetup: true })
        await expect(offline.open(ask, identity)).rejects.toThrow(
          /exit code 3, without network, because the folder is not trusted/,
        )
      } finally {
        server.close()
      }
    })

  it.skipIf(!isThere)(
    'setup is done once, whoever asks; its failure is told and remembered',
    async () => {
      const ask = workspaceCase(
        {},
        { setup: ['echo a >> log', 'echo b >> log; echo ~ > home; touch ~/x'] },
      )
      const trials = await Promise.all([1, 2, 3].map(() => store.open(ask, identity)))
      for (const trial of trials) {
        expect(await printed(trial, 'cat log; ls -A "$HOME"')).toBe('a\nb\n.gitconfig')
        await trial.close()
      }
      const failing = workspaceCase(
        { x: '' },
        { setup: ['true', 'echo said; echo why >&2; exit 7'] },
      )
      const error = await store.open(failing, identity).catch((caught: unknown) => caught)
      expect(error).toBeInstanceOf(WorkspaceError)
      expect((error as Error).message).toBe(
        'the setup command "echo said; echo why >&2; exit 7" ended with exit code 7:\nsaid\n\nwhy',
      )
      expect(await store.open(failing, identity).catch((caught: unknown) => caught)).toBe(error)
      await expect(store.graded(failing, null, {}).list()).rejects.toBe(error)
      const slow = workspaceCase({}, { setup: ['sleep 60'], setupTimeoutMs: 300 })
      await expect(store.open(slow, identity)).rejects.toThrow(/did not end within the 0\.3 s/)
    },
  )

  it.skipIf(!isThere)(
    'setup, trials and grading of a case each run at the path of their setup',
    async () => {
      const ask = workspaceCase({}, { setup: ['pwd > where; echo "$HOME" >> where'] })
      const isAtPath = 'echo "$PWD\n$HOME" | cmp - where && echo same'
      const trials = await Promise.all([1, 2, 3].map(() => store.open(ask, identity)))
      for (const trial of trials) expect(await printed(trial, isAtPath)).toBe('same')
      expect(new Set(trials.map(({ folder }) => folder)).size).toBe(name === 'none' ? 3 : 1)
      const [one] = trials
      await printed(one as TrialWorkspace, 'echo changed > where; echo new > new')
      const diff = await (one as TrialWorkspace).diff()
      expect(diff.changes.map(({ path }) => path)).toEqual(['new', 'where'])
      await Promise.all(trials.map((trial) => trial.close()))
      const later = await store.open(ask, identity)
      expect(await printed(later, `${isAtPath}; ls`)).toBe('same\nwhere')
      await later.close()
      const laid = await store.graded(ask, { version: 1, changes: [] }, {}).lay()
      const { folder, home } = name === 'none' ? laid : later
      expect(readFileSync(join(laid.folder, 'where'), 'utf8')).toBe(`${folder}\n${home}\n`)
      await laid.remove()
    },
  )

  if (name === 'none')
    it('setup is done again only for a path that is in use, also if workspaces are kept', async () => {
      const setups = join(root, 'setups')
      const setup = [`pwd >> '${setups}'; date +%N > made`]
      const ask = workspaceCase({}, { setup })
      const count = (): number => readFileSync(setups, 'utf8').trim().split('\n').length
      for (const using of [store, keeping]) {
        writeFileSync(setups, '')
        using.expect(ask, 4)
        for (const _ of [1, 2, 3]) {
          const trial = await using.open(ask, identity)
          await printed(trial, 'echo more >> made')
          await trial.close()
        }
        expect(count()).toBe(1)
        const both = await Promise.all(
          [3, 4].map((index) => using.open(ask, { ...identity, index })),
        )
        expect(count()).toBe(2)
        await Promise.all(both.map((trial) => trial.close()))
        for (const _ of [1, 2, 3, 4]) using.done(ask)
      }
    })

  it.skipIf(!isThere)('a hostile agent leaves nothing that cannot be removed or kept', async () => {
    const keep = join(root, 'kept')
    const trial = await keeping.open(workspaceCase({ 'a.txt': '1' }), {
      ...identity,
      subject: '../../x y',
    })
    await printed(
      trial,
      'mkdir d && echo x > d/f && chmod 000 d/f d && mkfifo p && ln -s /etc out && echo key > "$HOME/k"; chmod 000 "$HOME" .',
    )
    await trial.close()
    const [kept = ''] = readdirSync(keep)
    expect(kept).toMatch(/^suite-case-.*_x_y-0-[0-9a-f]{8}$/)
    expect(readFileSync(join(keep, kept, 'd/f'), 'utf8')).toBe('x\n')
    expect(readdirSync(join(keep, kept)).toSorted()).toEqual(['a.txt', 'd', 'out', 'p'])
  })
})

describe('the store', () => {
  beforeAll(begin(openNone))
  afterAll(end)

  it('takes a folder, but no link out of it', async () => {
    const folder = join(root, 'given')
    mkdirSync(join(folder, 'in'), { recursive: true })
    writeFileSync(join(folder, 'in/a'), '1')
    writeFileSync(join(folder, 'over'), 'folder')
    symlinkSync('in/a', join(folder, 'link'))
    const given = { folder: { path: folder, sha256: '' } }
    const ask: Case = workspaceCase({ over: 'file' }, given)
    const graded = store.graded(ask, null, { new: 'n', '../out': 'x' })
    expect(await graded.list()).toEqual(['in/a', 'link', 'new', 'over'])
    expect(await graded.read('link')).toBe('1')
    expect(await graded.read('over')).toBe('file')
    symlinkSync('../../etc', join(folder, 'in/bad'))
    await expect(store.open(workspaceCase({}, given), identity)).rejects.toThrow(
      /has a link out of it: in\/bad leads to \.\.\/\.\.\/etc$/,
    )
  })

  it('reads links of a graded workspace as far as they stay inside', async () => {
    const link = (path: string, text: string) =>
      ({ path, change: 'added', mode: '120000', text }) as const
    const changes = [
      link('dir', 'src'),
      link('etc', '/etc'),
      link('loop', 'loop'),
      link('src/up', '../../..'),
      { path: 'bin', change: 'added', mode: '100644', base64: 'AAA=' },
      { path: 'gone', change: 'deleted' },
    ] as const
    const graded = store.graded(
      workspaceCase({ 'src/a': 'a', gone: '', '.git/x': '' }),
      { version: 1, changes },
      {},
    )
    const read = [
      'dir/a',
      'dir/../src/a',
      'etc/hostname',
      'loop',
      'dir/up/x',
      'bin',
      'gone',
      '.git/x',
      'nothing',
      'src',
    ]
    expect(await Promise.all(read.map((path) => graded.read(path)))).toEqual([
      'a',
      'a',
      ...Array.from({ length: 8 }, () => null),
    ])
    expect(await graded.list()).toEqual(['bin', 'dir', 'etc', 'loop', 'src/a', 'src/up'])
  })

  it('removes a start with its copies after the last trial that needs it', async () => {
    const before = new Set(readdirSync(join(root, 'temporary')))
    const one = await opened()
    const at = (): string[] => {
      const own = readdirSync(join(root, 'temporary')).find((name) => !before.has(name))
      return readdirSync(join(root, 'temporary', own ?? '')).toSorted()
    }
    const [a, same, b] = [
      workspaceCase({ 'a.txt': 'a' }),
      workspaceCase({ 'a.txt': 'a' }),
      workspaceCase({ 'a.txt': 'b' }),
    ]
    one.expect(a, 2)
    one.expect(same, 1)
    const first = await one.open(a, identity)
    const other = await one.open(b, identity)
    expect(at()).toEqual(['1', '2', 's1', 's2'])
    for (const ask of [a, same]) one.done(ask)
    await first.close()
    // The copy is in use while it is restored for the third trial, whose start is still there.
    const last = await one.open(same, identity)
    one.done(a)
    expect(at()).toContain('s1')
    expect(await last.diff()).toMatchObject({ changes: [] })
    await last.close()
    await expect.poll(at, { timeout: 20_000 }).toEqual(['2', 's2'])
    // No trial of this case was announced, so its start stays.
    one.done(b)
    await other.close()
    expect(at()).toContain('s2')
    // A start that is needed again all the same is made again.
    const again = await one.open(a, identity)
    expect(at()).toContain('s3')
    await again.close()
  })

  it('removes starts that are bound to their paths after the last trial', async () => {
    const before = new Set(readdirSync(join(root, 'temporary')))
    const none = openNone()
    const one = await openWorkspaceStore({
      sandbox: none,
      keep: null,
      root: join(root, 'temporary'),
    })
    const own = readdirSync(join(root, 'temporary')).find((name) => !before.has(name)) ?? ''
    const at = (): string[] => readdirSync(join(root, 'temporary', own)).toSorted()
    const ask = workspaceCase({}, { setup: ['pwd > where'] })
    one.expect(ask, 2)
    const both = await Promise.all([one.open(ask, identity), one.open(ask, identity)])
    expect(at()).toEqual(['s1', 's2'])
    for (const trial of both) {
      await trial.close()
      one.done(ask)
    }
    await expect.poll(at, { timeout: 20_000 }).toEqual([])
    await one.close()
    await none.close()
  })

  it('a setup that was interrupted is done again', async () => {
    const control = new AbortController()
    const stopping = await opened(null, { signal: control.signal })
    const ask = workspaceCase({}, { setup: ['sleep 60'] })
    const opening = stopping.open(ask, identity)
    setTimeout(() => control.abort(new Error('stopped')), 100)
    await expect(opening).rejects.toThrow('stopped')
    await expect(stopping.open(ask, identity)).rejects.toThrow('stopped')
  })

  it('removes what a killed process left, and nothing of a living one', async () => {
    const temporary = join(root, 'temporary')
    const before = readdirSync(temporary)
    const script = `
      import { openWorkspaceStore } from ${JSON.stringify(join(import.meta.dirname, 'store.ts'))}
      import { openNone } from ${JSON.stringify(join(import.meta.dirname, '../../../sandbox/src/none.ts'))}
      await openWorkspaceStore({ sandbox: openNone(), keep: null, root: ${JSON.stringify(temporary)} })
      process.kill(process.pid, 'SIGKILL')`
    const sources = new URL('../../../../test/resolve-sources.ts', import.meta.url).href
    const words = ['--import', sources, '--input-type=module', '-e', script]
    spawnSync(process.execPath, words, { timeout: 30_000 })
    const all = readdirSync(temporary)
    expect(all).toHaveLength(before.length + 1)
    const next = await opened()
    await next.close()
    expect(readdirSync(temporary)).toEqual(before)
  })

  it('names of kept workspaces are safe, and differ where trials do', () => {
    const named = (subject: string): string => nameOf({ ...identity, subject })
    expect(named('claude')).toBe('suite-case-claude-0')
    expect(named('a/b')).toMatch(/^suite-case-a_b-0-[0-9a-f]{8}$/)
    expect(named('a/b')).not.toBe(named('a b'))
    expect(nameOf({ ...identity, suite: '..' })).toMatch(/^_case-subject-0-/)
    expect(named('x'.repeat(500)).length).toBeLessThan(140)
  })
})
