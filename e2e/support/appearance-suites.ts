import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { DASHBOARD_STATES } from '../dashboard-states.ts'
import { startDashboardStage } from '../proof/dashboard-stage.ts'
import { type Stage, startStage } from '../proof/stage.ts'
import { createVisits, directionsOf, type Visit } from '../proof/visit.ts'
import { type State, states } from '../states.ts'
import { type Appearance, checkAppearance, checkLayout } from './check-page.ts'

/** Screenshots for manual review; no test compares them. If PICTURES is set, one is saved for every check. */
const FOLDER = join(import.meta.dirname, '../../test-output/e2e')
const always = process.env['PICTURES'] !== undefined

/**
 * The two appearances of a state together show both themes, both sizes and both motion preferences. Four consecutive states cover all
 * combinations and both text directions.
 */
const appearancesOfPage = (position: number, { size }: State): [Appearance, Appearance] => {
  const [swapThemes, swapSizes, swapMotion] = [position % 3 === 0, position % 2 === 1, position % 4 > 1]
  const appearance = (isFirst: boolean): Appearance => {
    const dark = isFirst === swapThemes
    return {
      theme: dark ? 'dark' : 'light',
      size: size ?? (dark === swapSizes ? 'desktop' : 'phone'),
      motion: dark === swapMotion ? 'reduce' : 'no-preference',
    }
  }
  return [appearance(true), appearance(false)]
}

const languageOf = (position: number, state: State) => {
  const directions = directionsOf(state)
  return directions[
    Math.floor(position / 2 + position / 4) % directions.length
  ] as (typeof directions)[number]
}

/** The pages that end users see. A variant differs from another state in its text only, and is checked in one appearance. */
export const checkPages = (): void => {
  let stage: Stage
  let visit: Visit
  before(async () => {
    stage = await startStage()
    visit = createVisits(stage)
  })
  after(() => stage.stop())
  describe('pages: every state passes axe in two themes, sizes and motion preferences, and fits a small phone', () => {
    for (const [position, state] of states.filter(({ matrixOnly }) => !matrixOnly).entries())
      it(state.name, async () => {
        const language = languageOf(position, state)
        await visit(state, language, async page => {
          const appearances = appearancesOfPage(position, state).slice(0, state.variant ? 1 : 2)
          for (const appearance of appearances) {
            const { theme, size } = appearance
            const name = [state.name, theme, size, ...(language === 'ar' ? ['rtl'] : [])].join('-')
            const picture = join(FOLDER, `${name}.png`)
            assert.deepEqual(await checkAppearance(page, appearance, picture, { always }), [], name)
          }
          assert.deepEqual((await checkLayout(page)).problems, [])
        })
      })
  })
}

/** Two consecutive states cover all combinations. */
const appearancesOfDashboard = (position: number): [Appearance, Appearance] => {
  const light: Appearance = {
    theme: 'light',
    size: position % 2 === 0 ? 'desktop' : 'phone',
    motion: 'reduce',
  }
  const dark: Appearance = { theme: 'dark', size: position % 2 === 0 ? 'phone' : 'desktop', motion: 'reduce' }
  return [light, dark]
}

export const checkDashboard = (): void => {
  let stage: Awaited<ReturnType<typeof startDashboardStage>>
  before(async () => {
    stage = await startDashboardStage()
  })
  after(() => stage.stop())
  describe('dashboard: every state passes axe in two themes and sizes, and fits a small phone', () => {
    for (const [position, state] of DASHBOARD_STATES.entries())
      it(state.name, async test => {
        const page = await stage.show(test, state)
        for (const appearance of appearancesOfDashboard(position)) {
          const picture = join(
            FOLDER,
            'dashboard',
            `${state.name}-${appearance.theme}-${appearance.size}.png`,
          )
          assert.deepEqual(await checkAppearance(page, appearance, picture, { always }), [], picture)
        }
        assert.deepEqual((await checkLayout(page)).problems, [])
      })
  })
}
