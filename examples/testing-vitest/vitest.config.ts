import { defineConfig } from 'vitest/config'

// The first start prepares a database, which takes longer than the default timeout on a busy machine.
export default defineConfig({ test: { testTimeout: 60_000, hookTimeout: 120_000 } })
