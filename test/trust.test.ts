/**
 * Before the user trusts a folder, it starts no program and gets no key. The tests use the built command. They try
 * each way in which a folder can name a program. The program is first refused, with exit code 2 and without a
 * trace, and it is listed. Then exactly the command that the refusal prints allows it.
 *
 * These code paths were checked:
 * - programs: graders custom and program (suite, suite of an experiment), subjects and judges that are commands
 *   (assay.toml as `model`, as `[subjects]`, as `judges`; run file; experiment), agents with a program of their own
 *   (also their `--version`), MCP servers, setup commands, run graders and tests under --sandbox none, suites and
 *   experiments that are modules (command line, record)
 * - the network, for programs that run in a sandbox without trust: setup commands (run, --prove); tests, run
 *   graders, builds of crates and sandboxed graders never have it
 * - records: --resume and --regrade (subjects, judges, modules, run file, prices); replay: only reads
 * - addresses: baseUrl, apiKeyEnv and apiKey of known, local and new providers; the environment's addresses; agents'
 *   addresses; `assay models`; judges under simulated subjects; eval YAML judges (models of providers only)
 * - reading commands: validate, --dry-run, report, show, compare, analyze, bless, schema, graders, doctor load no module
 *   of the folder; git sources are read without hooks, monitors and the repository's own settings
 * - parts of a suite that Assay ignores, so that there is nothing to allow: an eval YAML's mcpServers and program
 *   graders, expectations.customCheck
 */
import { readFile, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { rewriteRecord } from '../packages/assay/test/rewrite-run.ts'
import { CHECK, CUSTOM, EITHER, sandbox, startsOnlyWithTrust, SUITE_MODULE } from './trust-ways.ts'
import { JUDGED, PLAIN, SCRIPT, SIMULATED, suite, untrustedFolder } from './untrusted-folder.ts'
import type { Ended } from './command.ts'

const evil = untrustedFolder()

describe('before a folder is trusted it does not start', () => {
  // The other ways are in the long tests.
  for (const name of ['a custom grader', 'a subject of assay.toml', 'an experiment'])
    startsOnlyWithTrust(name, evil)

  it('anything on validate, which says what it has not checked', async () => {
    await evil.write({ 'suite.toml': CUSTOM, 'check.ts': CHECK })
    const checked = await evil.assay(['validate', 'suite.toml'])
    expect(checked.code).toBe(0)
    expect(checked.said).toContain('check.ts was not run, so its options are not checked')
    expect((await evil.assay(['validate', 'suite.toml', '--prove'])).code).toBe(2)
    expect(evil.started()).toBe(false)
    expect((await evil.assay(['validate', 'suite.toml', '--prove', '--trust'])).code).toBe(2)
    expect(evil.started()).toBe(true)
  })

  it.skipIf(!sandbox.ready)('a grader with the user’s rights, but in a sandbox', async () => {
    const grader = `import { writeFileSync } from 'node:fs'
export default { grade: () => { try { writeFileSync('started', '') } catch { return true } return false } }
`
    await evil.write({ 'suite.toml': EITHER, 'check.ts': grader })
    const args = ['run', 'suite.toml', ...SIMULATED]
    const looked = await evil.assay([...args, '--dry-run'])
    expect(looked.said).toContain('would start check.ts in a sandbox (grader custom of suite.toml)')
    const ran = await evil.assay([...args, '-o', 'one'])
    expect(ran.code, ran.said).toBe(0)
    expect(ran.said).toContain('1 passed')
    expect(ran.said).toContain('assay trust suite.toml`')
    expect(evil.started()).toBe(false)
    const alone = await evil.assay([...args, '-o', 'two', '--sandbox', 'none'])
    expect(alone.code, alone.said).toBe(2)
    expect(evil.started()).toBe(false)
    expect((await evil.assay(['trust', 'suite.toml', '--yes'])).code).toBe(0)
    const trusted = await evil.assay([...args, '-o', 'three'])
    expect(trusted.said).not.toContain('sandbox')
  })

  it.skipIf(!sandbox.ready)('a setup command with the network', async () => {
    let connections = 0
    const server = createServer((socket) => {
      connections++
      socket.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const connect = `node -e "require('net').connect(${port}, '127.0.0.1').on('error', () => process.exit(3))"`
    await evil.write({
      'suite.toml': suite(
        `graders = [{ type = "run", command = "true" }]\nworkspace = { setup = ${JSON.stringify(connect)} }`,
      ),
    })
    const args = ['run', 'suite.toml', ...SIMULATED]
    try {
      const looked = await evil.assay([...args, '--dry-run'])
      expect(looked.said).toMatch(/would contact any address, by .*: not trusted yet/)
      const ran = await evil.assay([...args, '-o', 'one'])
      expect(ran.said).toContain('assay trust suite.toml` allows it')
      expect(ran.said.replaceAll(/\s+/gu, ' ')).toContain(
        'ended with exit code 3, without network, because the folder is not trusted',
      )
      expect(await readFile(join(evil.path, 'one/run.json'), 'utf8')).not.toContain('any address')
      const proven = await evil.assay(['validate', 'suite.toml', '--prove'])
      expect(proven.said).toContain('run without network')
      expect(connections).toBe(0)
      expect((await evil.assay(['trust', 'suite.toml', '--yes'])).said).toContain('any address')
      const trusted = await evil.assay([...args, '-o', 'two'])
      expect(trusted.said).not.toContain('network')
      expect(trusted.said).toContain('1 passed')
      expect(connections).toBe(1)
    } finally {
      server.close()
    }
  })

  it('a module that the user names is consent to run it', async () => {
    await evil.write({ 'suite.ts': SUITE_MODULE })
    const { code, said } = await evil.assay(['run', 'suite.ts', ...SIMULATED, '-o', 'run'])
    expect(code, said).toBe(0)
    expect(evil.started()).toBe(true)
  })
})

describe('a run folder from elsewhere', () => {
  const EDITS: Record<string, object> = {
    'a command that answers': { subjects: ['command:sh run.sh'] },
    'a judge that is a command': { judges: ['command:sh run.sh'], suites: ['judged.toml'] },
    'a suite that is a program': { suites: ['suite.ts'] },
    'a run file with a command': { config: 'ci.toml', subjects: ['nice'] },
  }
  for (const [name, edit] of Object.entries(EDITS))
    it(`does not start ${name}`, async () => {
      await evil.write({
        'suite.toml': PLAIN,
        'judged.toml': JUDGED,
        'suite.ts': SUITE_MODULE,
        'run.sh': SCRIPT,
        'ci.toml': '[subjects.nice]\ncommand = "sh run.sh"\n',
      })
      expect((await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run'])).code).toBe(0)
      // With a valid checksum, which anybody can compute.
      rewriteRecord(join(evil.path, 'run'), (record) => {
        Object.assign(record.revisions[0]?.request ?? {}, edit)
        return record
      })
      const refuses = async (...args: string[]): Promise<void> => {
        const { code, said } = await evil.assay(['run', ...args, '--allow-changed'])
        expect(code, said).toBe(2)
        expect(said).toContain('is not trusted yet')
      }
      await refuses('--resume', 'run')
      // The subject has answered and is not asked again, but the judge is asked.
      if ('suites' in edit) await refuses('--regrade', 'run', '-o', 'again')
      else await evil.assay(['run', '--regrade', 'run', '-o', 'again'])
      expect(evil.started()).toBe(false)
    })

  it('does not choose the program that replay-agent starts, unless the user started it here', async () => {
    await evil.write({ 'suite.toml': PLAIN, 'run.sh': SCRIPT })
    const replayed = async (run: string, ...more: string[]): Promise<string> => {
      const model = ['--model', `replay-agent:${run}`]
      const { code, said } = await evil.assay(['run', 'suite.toml', ...model, ...more])
      expect(code, said).toBe(2)
      return said
    }
    expect((await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run'])).code).toBe(0)
    for (const id of [
      'agent:x#command:sh run.sh',
      'command+json: sh run.sh',
      'command:sh run.sh',
    ]) {
      rewriteRecord(join(evil.path, 'run'), (record) => {
        Object.assign(record.revisions[0]?.subjects[0] ?? {}, { id })
        return record
      })
      expect(await replayed('run')).toContain('it was not started by you from this folder')
      expect(await replayed('latest')).toContain('it was not started by you from this folder')
    }
    // What is printed can be pasted into a shell.
    expect(await replayed('run')).toContain(`--model 'replay-agent:run#command:sh run.sh'`)
    expect(await replayed('run', '--trust')).toContain('has no subject')
    expect(evil.started()).toBe(false)
    const own = ['--model', 'command:sh run.sh', '-o', 'own']
    expect((await evil.assay(['run', 'suite.toml', ...own])).code).toBe(0)
    expect(await replayed('own')).toContain('run it with --record')
  })

  it('does not tell a replayed agent what to do without a sandbox', async () => {
    await evil.write({ 'suite.toml': PLAIN })
    expect((await evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', 'run'])).code).toBe(0)
    rewriteRecord(join(evil.path, 'run'), (record) => {
      Object.assign(record.revisions[0]?.subjects[0] ?? {}, { id: 'agent:claude' })
      return record
    })
    const replayed = async (...more: string[]): Promise<string> => {
      const model = ['--model', 'replay-agent:run', ...more]
      const { code, said } = await evil.assay(['run', 'suite.toml', ...model])
      expect(code, said).toBe(2)
      return said
    }
    expect(await replayed()).toContain('has no subject')
    const refused = await replayed('--sandbox', 'none')
    expect(refused).toContain(`start 'what the recorded replies say of' run (replay-agent:run`)
    expect(refused).toContain('assay trust --sandbox none run\n')
    expect((await evil.assay(['trust', '--sandbox', 'none', '--yes', 'run'])).code).toBe(0)
    expect(await replayed('--sandbox', 'none')).toContain('has no subject')
  })

  it('is continued without a question where the user’s own command line named the command', async () => {
    await evil.write({ 'suite.toml': PLAIN, 'run.sh': SCRIPT })
    const first = await evil.assay([
      'run',
      'suite.toml',
      '--model',
      'command:sh run.sh',
      '-o',
      'run',
    ])
    expect(first.code, first.said).toBe(0)
    const more = ['run', '--resume', 'run', '--trials', '2']
    const again = await evil.assay(more)
    expect(again.code, again.said).toBe(0)
    expect((await evil.assay([...more.slice(0, -1), '3'])).code).toBe(0)
    // The signature was made with the key of another configuration.
    const other = await evil.assay([...more.slice(0, -1), '4'], {
      XDG_CONFIG_HOME: join(evil.parent, 'else'),
    })
    expect(other.code).toBe(2)
    expect(other.said).toContain('start sh run.sh')
  })
})

describe('trust', () => {
  it('is asked for again where a program is added, not where one is edited', async () => {
    await evil.write({ 'suite.toml': EITHER, 'check.ts': CHECK })
    const run = (out: string): Promise<Ended> =>
      evil.assay(['run', 'suite.toml', ...SIMULATED, '-o', out])
    expect((await evil.assay(['trust', '--yes'])).code).toBe(0)
    expect((await run('one')).code).toBe(0)
    await evil.write({
      'check.ts': `${CHECK}// edited\n`,
      'suite.toml': EITHER.replace('Rome', 'Oslo'),
    })
    expect((await run('two')).code).toBe(0)
    const one = '{ type = "custom", file = "check.ts" }'
    const two = `[${one}, { type = "custom", file = "more.ts" }]`
    await evil.write({ 'more.ts': CHECK, 'suite.toml': suite(`graders = ${two}`) })
    const added = await run('three')
    expect(added.code).toBe(2)
    expect(added.said).toContain('start more.ts')
    expect(added.said).not.toContain('start check.ts')
  })

  it('of ASSAY_TRUST=1 is for the command that has it', async () => {
    await evil.write({ 'suite.toml': CUSTOM, 'check.ts': CHECK })
    const run = ['run', 'suite.toml', ...SIMULATED]
    expect((await evil.assay([...run, '-o', 'one'], { ASSAY_TRUST: '1' })).code).toBe(0)
    expect((await evil.assay([...run, '-o', 'two'])).code).toBe(2)
  })

  it('is needed for files outside of the repository', async () => {
    await writeFile(
      join(evil.parent, 'answers.jsonl'),
      '{"task_id": "france", "completion": "Paris"}\n',
    )
    await evil.write({
      'suite.toml': PLAIN,
      'assay.toml': '[subjects.nice]\nreplay = "../answers.jsonl"\n',
    })
    const { code, said } = await evil.assay(['run', 'suite.toml', '-m', 'nice', '-o', 'run'])
    expect(code, said).toBe(2)
    expect(said).toContain(`read ${join(evil.parent, 'answers.jsonl')} (nice, named in assay.toml)`)
    const own = await evil.assay([
      'run',
      'suite.toml',
      '-m',
      'replay:../answers.jsonl',
      '-o',
      'run',
    ])
    expect(own.code, own.said).toBe(0)
  })
})
