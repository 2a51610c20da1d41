import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { watchProcess, type Ending } from './sandboxed-process.ts'

function started(source: string, ending: Partial<Ending> = {}) {
  const child = spawn(process.execPath, ['-e', source], { stdio: 'pipe' })
  const events: string[] = []
  const program = watchProcess(child, child.pid ?? 0, 0, {
    wallMs: null,
    cpuMs: 1000,
    kill: () => void child.kill('SIGKILL'),
    isGone: () => true,
    read: (code, signal) => ({ code, signal }),
    clear() {
      events.push('cleared')
      return {}
    },
    ...ending,
  })
  return { program, events }
}

describe('the end of a program', () => {
  it('does not count before nobody of it is left', async () => {
    let looks = 0
    const { program, events } = started('', {
      isGone: () => {
        looks++
        events.push('looked')
        return looks === 4
      },
    })
    expect(await program.ended).toEqual({ code: 0, signal: null, how: 'exit' })
    expect(events).toEqual(['looked', 'looked', 'looked', 'looked', 'cleared'])
  })

  it('is made to come where somebody stays', async () => {
    let kills = 0
    const { program } = started('', {
      kill: () => void kills++,
      isGone: (thorough) => thorough && kills === 2,
    })
    await program.ended
    expect(kills).toBe(2)
  })

  it('comes after the last of what it printed, though it is read slowly', async () => {
    const { program } = started('require("node:fs").writeSync(1, "x".repeat(150_000))')
    let length = 0
    const reading = (async () => {
      for await (const chunk of program.stdout) {
        await sleep(50)
        length += (chunk as Buffer).length
      }
    })()
    await program.ended
    await reading
    expect(length).toBe(150_000)
  })

  it('comes though nobody reads', async () => {
    const { program } = started('require("node:fs").writeSync(1, "x")')
    program.stdout.pause()
    expect(await program.ended).toMatchObject({ code: 0 })
  })

  it('is the same for whoever asks, and a kill afterwards changes nothing', async () => {
    const { program } = started('process.exit(5)')
    const ended = await program.ended
    expect(await program.kill()).toBe(ended)
    expect(ended).toEqual({ code: 5, signal: null, how: 'exit' })
  })
})
