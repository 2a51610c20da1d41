/**
 * Configuration for the tests with real agents. They download a gigabyte and take minutes, so they are not part of
 * the ordinary tests.
 */
import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/agents/real-agents.ts'],
    root: new URL('../..', import.meta.url).pathname,
    testTimeout: 600_000,
    hookTimeout: 1_800_000,
    reporters: ['verbose'],
  },
})
