import assert from 'node:assert/strict'
import type { Locator, Page } from 'playwright-core'

/** A person who does one task: what they click and type is counted. */
export type Hand = {
  page: Page
  click: (target: Locator) => Promise<void>
  /** Types into a field. */
  type: (target: Locator, text: string) => Promise<void>
  choose: (target: Locator, value: string) => Promise<void>
}

export type TaskResult = { name: string; clicks: number; fields: number; seconds: number }

/** Does a task that starts on the open page, and checks that it takes no more clicks than allowed. */
export const doTask = async (
  page: Page,
  name: string,
  maxClicks: number,
  work: (hand: Hand) => Promise<void>,
): Promise<TaskResult> => {
  let clicks = 0
  let fields = 0
  const startedAt = performance.now()
  await work({
    page,
    click: async target => {
      clicks++
      await target.click()
    },
    type: async (target, text) => {
      fields++
      await target.fill(text)
    },
    choose: async (target, value) => {
      fields++
      await target.selectOption(value)
    },
  })
  const seconds = (performance.now() - startedAt) / 1000
  assert.ok(clicks <= maxClicks, `${name}: ${clicks} clicks, at most ${maxClicks}`)
  return { name, clicks, fields, seconds }
}

export const formatTasks = (results: readonly TaskResult[]): string[] => [
  'task | clicks | fields | seconds',
  ...results.map(
    ({ name, clicks, fields, seconds }) => `${name} | ${clicks} | ${fields} | ${seconds.toFixed(1)}`,
  ),
]
