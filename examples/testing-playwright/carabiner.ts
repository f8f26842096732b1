import { type Carabiner, startCarabiner } from '@carabiner/testing'
import { test as base } from '@playwright/test'

/** One service for all tests of a worker, in a process of its own. */
export const test = base.extend<object, { carabiner: Carabiner }>({
  carabiner: [
    // biome-ignore lint/correctness/noEmptyPattern: Playwright reads the names of the fixtures from this parameter.
    // oxlint-disable-next-line no-empty-pattern -- as above
    async ({}, use) => {
      await using carabiner = await startCarabiner({ mode: 'child' })
      await use(carabiner)
    },
    { scope: 'worker', timeout: 120_000 },
  ],
})
