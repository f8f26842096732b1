import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Stage, startStage } from './proof/stage.ts'
import { createVisits, directionsOf, type Visit } from './proof/visit.ts'
import { type State, states } from './states.ts'
import { type Appearance, checkAppearance, checkLayout } from './support/check-page.ts'

/** Screenshots for manual review; no test compares them. If PICTURES is set, one is saved for every check. */
const FOLDER = join(import.meta.dirname, '../test-output/e2e')
const always = process.env.PICTURES !== undefined

let stage: Stage
let visit: Visit
before(async () => {
  stage = await startStage()
  visit = createVisits(stage)
})
after(() => stage.stop())

/**
 * Pairwise coverage: each state is checked in both themes, both sizes, and with and without motion, in one text direction.
 * Four consecutive states cover all combinations and both directions. A variant is checked in one appearance.
 */
const appearancesFor = (position: number, { variant, size }: State): Appearance[] => {
  const [swapSizes, swapMotion] = [position % 2 === 1, position % 4 > 1]
  const appearances = [false, true].map(
    (dark): Appearance => ({
      theme: dark ? 'dark' : 'light',
      size: size ?? (dark === swapSizes ? 'desktop' : 'phone'),
      motion: dark === swapMotion ? 'reduce' : 'no-preference',
    }),
  )
  return variant ? appearances.slice(position % 3 === 0 ? 0 : 1).slice(0, 1) : appearances
}

const languageFor = (position: number, state: State) => {
  const directions = directionsOf(state)
  return directions[
    Math.floor(position / 2 + position / 4) % directions.length
  ] as (typeof directions)[number]
}

describe('every state passes axe in both themes, sizes, directions and motion preferences', () => {
  for (const [position, state] of states.filter(({ matrixOnly }) => !matrixOnly).entries()) {
    it(state.name, async () => {
      const language = languageFor(position, state)
      await visit(state, language, async page => {
        for (const appearance of appearancesFor(position, state)) {
          const name = [
            state.name,
            appearance.theme,
            appearance.size,
            ...(language === 'ar' ? ['rtl'] : []),
          ].join('-')
          assert.deepEqual(
            await checkAppearance(page, appearance, join(FOLDER, `${name}.png`), { always }),
            [],
            name,
          )
        }
        assert.deepEqual((await checkLayout(page)).problems, [])
      })
    })
  }
})
