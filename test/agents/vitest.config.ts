/** The real agents, downloaded and driven: minutes and a gigabyte, so never a part of the ordinary tests. */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/agents/real-agents.ts'],
    root: new URL('../..', import.meta.url).pathname,
    testTimeout: 600_000,
    hookTimeout: 900_000,
    reporters: ['verbose'],
  },
})
