import { globSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { agentLimits, limitedAs, PROFILES } from './profiles.ts'

const PACKAGES = fileURLToPath(new URL('../../', import.meta.url))

describe('sandbox limits', () => {
  it('have one place: no other source gives a number of open files, bytes of files or scratch', () => {
    const elsewhere = globSync('*/src/**/*.ts', { cwd: PACKAGES })
      .filter((file) => !/\.test\.ts$|sandbox.src.profiles\.ts$/.test(file))
      .filter((file) =>
        /\b(?:openFiles|fileBytes|scratchBytes): *[1-9]/.test(
          readFileSync(PACKAGES + file, 'utf8'),
        ),
      )
    expect(elsewhere).toEqual([])
  })

  it('are what they were', () => {
    const MB = 2 ** 20
    const inMegabytes = Object.entries(PROFILES).map(([name, limits]) => [
      name,
      ...[limits.cpuMs, limits.wallMs, limits.memoryBytes / MB, limits.processes],
      ...[limits.fileBytes / MB, limits.openFiles, limits.scratchBytes / MB],
    ])
    expect(inMegabytes).toEqual([
      ['tryout', 10_000, 20_000, 256, 16, 1, 64, 1],
      [
        ...['agent', Number.MAX_SAFE_INTEGER, null, Number.MAX_SAFE_INTEGER / MB, 4096],
        ...[65_536, 65_536, 0],
      ],
      ['work', 600_000, 2_400_000, 4096, 4096, 65_536, 65_536, 0],
      ['command', 0, null, 0, 64, 256, 256, 256],
      ['pythonServer', 86_400_000, null, 65_536, 48, 32, 256, 32],
      ['pythonLinter', 3_600_000, null, 2048, 'threads', 0, 64, 0],
      ['nodeTester', 86_400_000, null, 2048, 'threads', 16, 64, 0],
      ['nodeSample', 86_400_000, null, 560, 'threads', 0, 64, 0],
      ['nodeAnalyzer', 86_400_000, null, 3072, 256, 16, 256, 64],
      ['rustCompiler', 10_000, 80_000, 2560, 64, 96, 256, 128],
      ['rustDependencies', 300_000, 900_000, 4096, 256, 512, 1024, 2048],
      ['rustSample', 0, null, 64, 'threads', 0, 64, 0],
    ])
  })

  it('take what depends on the case', () => {
    const { limits, scratchBytes } = limitedAs('command', { cpuMs: 5, memoryBytes: 7 })
    expect(limits).toMatchObject({ cpuMs: 5, memoryBytes: 7, processes: 64 })
    expect(limits).not.toHaveProperty('scratchBytes')
    expect(scratchBytes).toBe(256 * 2 ** 20)
    expect(agentLimits(1000)).toMatchObject({
      wallMs: 1000,
      cpuMs: 1000 * availableParallelism(),
    })
    expect(agentLimits(null)).toMatchObject({ wallMs: null, cpuMs: Number.MAX_SAFE_INTEGER })
  })
})
