/**
 * Before the user trusts a folder, the folder cannot use anything outside of it: addresses, files to read, places
 * to write. trust.test.ts and trust-keys.test.ts test programs and keys.
 *
 * These code paths were checked:
 * - addresses without a key: judge, subject, `assay models`, MCP servers, an agent's addresses; addresses from the
 *   environment, known origins and loopback need no trust
 * - recorded runs: `latest` and the start of a name, in [subjects], `model`, `judges`, run files and records; a `#` in
 *   the path; the user's own `replay:latest`, which may be anywhere
 * - files: prices (run, --dry-run, models, record), the run file, suites and the answers of a record, suites of an
 *   experiment; a link in the folder that leads out, and `link/..`, which the system follows before it goes back,
 *   in every path of a record, in `replay` and `model` of assay.toml and of an experiment; `prices`, `output`,
 *   `skills`, `files` and the suites of an experiment are joined to their folder, which removes `..` from the path
 * - an experiment's suites: run, --dry-run, validate, trust
 * - writing: `output` of assay.toml and of run files, the default folder if it is a link; the cache and the list of
 *   runs follow no links; the user's own -o needs no trust
 */
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rewriteRecord } from '../packages/assay/test/rewrite-run.ts'
import { JUDGED, PLAIN, SIMULATED, untrustedFolder } from './untrusted-folder.ts'

const evil = untrustedFolder()
const SECRET = 's3cret-words-of-the-victim'

async function refuses(args: readonly string[], shows: string): Promise<void> {
  const { code, said } = await evil.assay(args)
  expect(code, said).toBe(2)
  expect(said).toContain(shows)
  expect(said).not.toContain(SECRET)
}

/** Makes a run in the folder with another request in its record. */
async function forged(request: object): Promise<void> {
  const run = join(evil.path, 'run')
  const genuine = join(evil.parent, 'genuine')
  if (existsSync(genuine)) {
    await rm(run, { recursive: true, force: true })
    await cp(genuine, run, { recursive: true })
  } else {
    await evil.write({ 'suite.toml': PLAIN })
    const made = await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run'])
    expect(made.code, made.said).toBe(0)
    await cp(run, genuine, { recursive: true })
  }
  // With a valid checksum, which anybody can compute.
  rewriteRecord(run, (record) => {
    Object.assign(record.revisions[0]?.request ?? {}, request)
    return record
  })
}

describe('an address of the folder', () => {
  it('is not contacted without a key either', async () => {
    await evil.write({
      'suite.toml': JUDGED,
      'assay.toml': 'judges = "evil/x"\n[providers.evil]\nbaseUrl = "http://192.0.2.2:9911/v1"\n',
    })
    const run = ['run', 'suite.toml', ...SIMULATED]
    await refuses(run, 'contact http://192.0.2.2:9911, without a key (evil/x, named in assay.toml)')
    const models = await evil.assay(['models'])
    expect(models.said).toMatch(/^evil +no +not trusted, so not contacted/m)
    expect((await evil.assay(['trust', '--yes'])).code).toBe(0)
    const { said } = await evil.assay(['trust', '--list'])
    expect(said).toContain('send nothing to http://192.0.2.2:9911')
    expect((await evil.assay([...run, '--dry-run'])).said).not.toContain('not trusted')
  })

  it('is said before a run in which only judges are asked', async () => {
    await evil.write({ 'suite.toml': JUDGED, 'assay.toml': 'judges = "openai/gpt-5"\n' })
    const server = createServer((_, reply) => reply.writeHead(401).end('{}'))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    try {
      const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
      const { said } = await evil.assay(['run', 'suite.toml', ...SIMULATED], {
        OPENAI_API_KEY: 'k'.repeat(20),
        OPENAI_BASE_URL: `${origin}/v1`,
      })
      expect(said).toContain(
        `judges are asked: openai/gpt-5; this sends OPENAI_API_KEY to ${origin}`,
      )
    } finally {
      server.close()
    }
  })
})

describe('a recorded run elsewhere', () => {
  it.each([
    ['model = "old"\n[subjects.old]\nreplay = "latest"\n'],
    ['model = "old"\n[subjects.old]\nreplay = "priv"\n'],
    ['model = "replay:latest"\n'],
  ])('is not replayed by %j', async (toml) => {
    await evil.write({ 'suite.toml': PLAIN })
    const folder = join(evil.parent, 'privrun')
    const own = await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', folder])
    expect(own.code, own.said).toBe(0)
    await evil.write({ 'assay.toml': toml })
    await refuses(['run', 'suite.toml', '-o', 'run'], `read ${folder} (`)
    await refuses(['run', 'suite.toml', '--dry-run'], `read ${folder} (`)
    // If the user names the run on the command line, it may be replayed and shown without further permission.
    expect((await evil.assay(['show', 'latest'])).code).toBe(0)
    const named = await evil.assay(['run', 'suite.toml', '-m', 'replay:latest', '-o', 'mine'])
    expect(named.code, named.said).toBe(0)
  })
})

describe('a file elsewhere', () => {
  const victim = (): string => join(evil.parent, 'private.txt')
  /** The output of a command that only reads. */
  const looks = async (...args: string[]): Promise<string> => {
    const { code, said } = await evil.assay(args)
    expect(code, said).toBe(0)
    expect(said).not.toContain(SECRET)
    return said
  }
  const LEFT_OUT = 'private.txt is outside of the folder, which is not trusted: it was not read'

  it('is not read for prices where a plan is only looked at', async () => {
    await writeFile(victim(), `${SECRET} = ${SECRET}\n`)
    await evil.write({ 'suite.toml': PLAIN, 'assay.toml': 'prices = "../private.txt"\n' })
    expect(await looks('models')).toContain(LEFT_OUT)
    expect(await looks('run', 'suite.toml', ...SIMULATED, '--dry-run')).toContain(LEFT_OUT)
    await refuses(['run', 'suite.toml', ...SIMULATED], `read ${victim()} (prices`)
  })

  it('is not read for a record', async () => {
    await writeFile(victim(), `${SECRET} = ${SECRET}\n`)
    await forged({ prices: '../private.txt' })
    expect(await looks('run', '--resume', 'run', '--dry-run')).toContain(LEFT_OUT)
    await forged({ config: '../private.txt' })
    await refuses(['run', '--resume', 'run', '--dry-run'], `read ${victim()} (the run file`)
    await forged({ suites: ['../private.txt'] })
    await refuses(['run', '--resume', 'run', '--dry-run'], `read ${victim()} (a suite`)
  })

  it('is not reached by a step back behind a link', async () => {
    await mkdir(join(evil.parent, 'victim', 'deep'), { recursive: true })
    await writeFile(join(evil.parent, 'victim', 'creds.toml'), `${SECRET} = ${SECRET}\n`)
    const answer = JSON.stringify({ task_id: 'france', completion: `Paris ${SECRET}` })
    await writeFile(join(evil.parent, 'victim', 'ans.jsonl'), `${answer}\n`)
    await symlink('../victim/deep', join(evil.path, 'lnk'))
    const creds = 'lnk/../creds.toml'
    for (const request of [{ suites: [creds] }, { config: creds }, { prices: creds }]) {
      await forged(request)
      for (const way of ['--resume', '--regrade'])
        await refuses(['run', way, 'run', '--allow-changed'], 'creds.toml')
    }
    await forged({ subjects: ['replay:lnk/../ans.jsonl'] })
    await refuses(['run', '--resume', 'run', '--allow-changed'], '"ans.jsonl" is not a run')
    for (const toml of [
      'model = "a"\n[subjects.a]\nreplay = "lnk/../ans.jsonl"\n',
      'model = "replay:lnk/../ans.jsonl"\n',
    ]) {
      await evil.write({ 'suite.toml': PLAIN, 'assay.toml': toml })
      await refuses(['run', 'suite.toml', '-o', 'other'], '"ans.jsonl" is not a run')
    }
    expect(existsSync(join(evil.path, 'other'))).toBe(false)
  })

  it('is not a suite of an experiment', async () => {
    await writeFile(victim(), SECRET)
    await symlink(victim(), join(evil.path, 'suite.toml'))
    await evil.write({
      'experiment.toml': 'suites = ["suite.toml"]\n[subjects.nice]\nsimulated = "pass=1"\n',
    })
    const shows = `read ${join(evil.path, 'suite.toml')} (a suite, named in experiment.toml)`
    await refuses(['run', 'experiment.toml', '--dry-run'], shows)
    await refuses(['validate', 'experiment.toml'], shows)
    expect((await evil.assay(['trust', 'experiment.toml', '--yes'])).said).not.toContain(SECRET)
  })

  it('is a suite that the user’s own command line named, also when the run goes on', async () => {
    await writeFile(join(evil.parent, 'mine.toml'), PLAIN)
    const first = await evil.assay(['run', '../mine.toml', ...SIMULATED, '-o', '../out'])
    expect(first.code, first.said).toBe(0)
    const more = await evil.assay(['run', '--resume', '../out', '--trials', '2'])
    expect(more.code, more.said).toBe(0)
  })
})

describe('run folders', () => {
  it('are not made elsewhere through a link in place of the usual folder', async () => {
    const out = join(evil.parent, 'out')
    await evil.write({ 'suite.toml': PLAIN })
    for (const link of ['.assay', '.assay/runs']) {
      await mkdir(out, { recursive: true })
      await rm(join(evil.path, '.assay'), { recursive: true, force: true })
      if (link !== '.assay') await mkdir(join(evil.path, '.assay'))
      await symlink(out, join(evil.path, link))
      await refuses(['run', 'suite.toml', ...SIMULATED], 'leads out of the repository')
      expect(await readdir(out)).toEqual([])
    }
    const own = await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'mine'])
    expect(own.code, own.said).toBe(0)
  })

  it('are not made elsewhere because a file says so', async () => {
    const out = join(evil.parent, 'out')
    await mkdir(out)
    await symlink(out, join(evil.path, 'link'))
    for (const output of ['../out', out, 'link', 'link/deeper']) {
      await evil.write({ 'suite.toml': PLAIN, 'assay.toml': `output = "${output}"\n` })
      await refuses(['run', 'suite.toml', ...SIMULATED], 'write ')
    }
    expect(existsSync(join(out, 'deeper'))).toBe(false)
    const own = await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', '../out'])
    expect(own.code, own.said).toBe(0)
    expect((await evil.assay(['trust', '--yes'])).code).toBe(0)
    const ran = await evil.assay(['run', 'suite.toml', ...SIMULATED])
    expect(ran.code, ran.said).toBe(0)
    expect(existsSync(join(out, 'deeper'))).toBe(true)
  })
})
