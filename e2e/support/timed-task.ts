import assert from 'node:assert/strict'
import { join } from 'node:path'
import { it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { type Dashboard, loaded } from './dashboard.ts'

/** A person who does one task: what they click and type is counted. */
export type Hand = {
  page: Page
  click: (target: Locator) => Promise<void>
  /** Types into a field. */
  type: (target: Locator, text: string) => Promise<void>
  choose: (target: Locator, value: string) => Promise<void>
}

type TaskResult = { name: string; clicks: number; fields: number; seconds: number }

/** Does a task that starts on the open page, and checks that it takes no more clicks than allowed. */
const doTask = async (
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

/** Opens an entry of the navigation. */
export const goTo = ({ page, click }: Hand, label: string): Promise<void> =>
  click(page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: label, exact: true }))

/** One test per task, each by a person whose dashboard is open on Home. `screenshots`: a folder for the page after each task. */
export const defineTasks = (dashboard: () => Dashboard, screenshots?: string) => {
  const results: TaskResult[] = []
  const task = (name: string, maxClicks: number, work: (hand: Hand) => Promise<void>): void => {
    it(`${name}: at most ${maxClicks} clicks`, async test => {
      const { page, open, browserErrors } = await dashboard().visit(test)
      await open('')
      await loaded(page)
      const result = await doTask(page, name, maxClicks, work)
      results.push(result)
      if (screenshots)
        await page.screenshot({ path: join(screenshots, `task-${name.replaceAll(/\W+/g, '-')}.png`) })
      test.diagnostic(formatTasks([result])[1] ?? '')
      assert.deepEqual(browserErrors, [])
    })
  }
  return { task, results }
}
