/**
 * Workspaces that start from a repository elsewhere, by its address or its path: nothing is contacted or read before the
 * user trusts the folder with it, and then the commit is fetched once.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { gitIn, serveGit, type GitServer } from '../packages/assay/test/git-server.ts'
import { hasGit, newFolder } from '../packages/assay/test/workspaces.ts'
import { hasBubblewrap } from '../packages/sandbox/test/sandboxed.ts'
import { untrustedFolder } from './untrusted-folder.ts'

const evil = untrustedFolder()
const served = newFolder()
let server: GitServer
let commit: string

beforeAll(async () => {
  if (!hasGit) return
  const source = join(served, 'app')
  mkdirSync(source, { recursive: true })
  gitIn(source, 'init', '-q', '-b', 'main')
  writeFileSync(join(source, 'a.txt'), 'from elsewhere\n')
  gitIn(source, 'add', '.')
  gitIn(source, 'commit', '-qm', 'first')
  commit = gitIn(source, 'rev-parse', 'HEAD')
  server = await serveGit(served)
})
afterAll(async () => {
  await server.close()
  rmSync(served, { recursive: true, force: true })
})

/** A suite whose grader looks at a file of the repository. */
const suiteOf = (git: string): string => `id = "s"
[[cases]]
id = "a"
prompt = "Write b.txt."
reference = """
diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1 @@
+b
"""
workspace.git = { ${git}, commit = "${commit}" }
graders = [
  { type = "file-contains", path = "a.txt", value = "from elsewhere" },
  { type = "file-contains", path = "b.txt", value = "b" },
]
`
const RUN = ['run', 'suite.toml', '--model', 'reference', '--json']
const assay = (words: readonly string[]) => evil.assay(words)

describe.runIf(hasBubblewrap && hasGit)('a repository elsewhere', () => {
  it('is fetched after its address is trusted, once, and validate and --dry-run contact nothing', async () => {
    const url = `${server.url}/app`
    await evil.write({ 'suite.toml': suiteOf(`url = "${url}"`) })
    const shown = `contact ${url}, without a key (workspaces of suite.toml)`
    const refused = await assay(RUN)
    expect(refused.code, refused.said).toBe(2)
    expect(refused.said).toContain(shown)
    expect((await assay(['validate', 'suite.toml', '--prove'])).code).toBe(2)
    expect((await assay(['validate', 'suite.toml'])).code).toBe(0)
    const dry = await assay([...RUN, '--dry-run'])
    expect(dry.said).toContain(`would ${shown}: not trusted yet`)
    expect(server.requests).toEqual([])

    expect((await assay(['trust', '--yes'])).code).toBe(0)
    const first = await assay([...RUN, '-o', 'first'])
    expect(first.code, first.said).toBe(0)
    expect(first.stdout).toContain(`{"type":"note","text":"fetching commit ${commit} of ${url}"}`)
    const asked = server.requests.length
    expect(asked).toBeGreaterThan(0)
    const second = await assay([...RUN, '-o', 'second'])
    expect(second.code, second.said).toBe(0)
    expect(second.stdout).not.toContain('fetching')
    expect((await assay(['validate', 'suite.toml', '--prove'])).said).toContain(
      '1 of 1 reference scores 1',
    )
    expect(server.requests).toHaveLength(asked)
  })

  it('that cannot be fetched makes the trial errored, with the reason', async () => {
    await evil.write({ 'suite.toml': suiteOf(`url = "${server.url}/gone"`) })
    const { code, stdout, said } = await assay([...RUN, '--trust', '-o', 'gone'])
    expect(code, said).toBe(3)
    expect(stdout).toContain('"outcome":"errored"')
    expect(stdout).toContain('could not be fetched: there is no repository at this address')
  })

  it('on this machine is read after its path is trusted', async () => {
    const path = join(served, 'app')
    await evil.write({ 'suite.toml': suiteOf(`path = "${path}"`) })
    const refused = await assay(RUN)
    expect(refused.code, refused.said).toBe(2)
    expect(refused.said).toContain(`read ${path} (workspaces of suite.toml)`)
    expect((await assay([...RUN, '--dry-run'])).code).toBe(0)
    const { code, said } = await assay([...RUN, '--trust', '-o', 'local'])
    expect(code, said).toBe(0)
  })
})
