import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { DASHBOARD_STATES } from './dashboard-states.ts'
import { startDashboardStage } from './proof/dashboard-stage.ts'
import { type Appearance, checkAppearance, checkLayout } from './support/check-page.ts'

/** Screenshots for manual review; no test compares them. If PICTURES is set, one is saved for every check. */
const FOLDER = join(import.meta.dirname, '../test-output/e2e/dashboard')
const always = process.env['PICTURES'] !== undefined

let stage: Awaited<ReturnType<typeof startDashboardStage>>
before(async () => {
  stage = await startDashboardStage()
})
after(() => stage.stop())

/** Pairwise coverage: each state is checked in both themes and both sizes. Two consecutive states cover all combinations. */
const appearancesFor = (position: number): Appearance[] => {
  const sizes = position % 2 === 0 ? (['desktop', 'phone'] as const) : (['phone', 'desktop'] as const)
  return [
    { theme: 'light', size: sizes[0], motion: 'reduce' },
    { theme: 'dark', size: sizes[1], motion: 'reduce' },
  ]
}

describe('dashboard: every state passes axe in both themes and sizes, and fits a small phone', () => {
  for (const [position, state] of DASHBOARD_STATES.entries())
    it(state.name, async test => {
      const page = await stage.show(test, state)
      for (const appearance of appearancesFor(position)) {
        const picture = join(FOLDER, `${state.name}-${appearance.theme}-${appearance.size}.png`)
        assert.deepEqual(await checkAppearance(page, appearance, picture, { always }), [], picture)
      }
      assert.deepEqual((await checkLayout(page)).problems, [])
    })
})
