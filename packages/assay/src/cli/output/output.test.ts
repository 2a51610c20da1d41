import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { fileURLToPath } from 'node:url'

const output = fileURLToPath(new URL('output.ts', import.meta.url))

/** A program that prints much on both streams and would end with this code, its pipe closed at once. */
function piped(code: number, into: string): number {
  const script = `
    import { processOutput } from ${JSON.stringify(output)}
    const { out, err } = processOutput()
    await new Promise((done) => setTimeout(done, 200))
    for (let i = 0; i < 50; i++) err('words\\n'.repeat(1000))
    for (let i = 0; i < 50; i++) out('data\\n'.repeat(1000))
    process.exitCode = ${code}`
  const shell = `"$0" --input-type=module-typescript -e "$1" ${into}; echo "\${PIPESTATUS[0]}"`
  const { stdout } = spawnSync('bash', ['-c', shell, process.execPath, script], {
    encoding: 'utf8',
  })
  return Number(stdout.trim())
}

describe('a reader that closes the pipe', () => {
  it.each(['2>/dev/null | true', '2>&1 | true', '2>&1 >/dev/null | true'])(
    'is no error, nor does it make a failed gate hold: %s',
    (into) => {
      expect(piped(0, into)).toBe(0)
      expect(piped(1, into)).toBe(1)
    },
  )
})
