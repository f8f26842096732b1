import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { type Stage, startStage } from './proof/stage.ts'
import { createVisits, directionsOf, type Visit } from './proof/visit.ts'
import { type State, states } from './states.ts'
import { checkAppearance, checkLayout, type Look } from './support/check-page.ts'

/** Pictures to look at; nothing compares them. All of them where PICTURES is set. */
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
 * Pairwise: a state meets both themes, both sizes, with and without motion, from one side; over four neighbours everything
 * meets everything else, and both directions. A variant has other words in the same shape and colours: one look each, in turn.
 */
const looksFor = (position: number, { variant, size }: State): Look[] => {
  const [sizesTurned, motionTurned] = [position % 2 === 1, position % 4 > 1]
  const looks = [false, true].map(
    (dark): Look => ({
      theme: dark ? 'dark' : 'light',
      size: size ?? (dark === sizesTurned ? 'desktop' : 'phone'),
      motion: dark === motionTurned ? 'reduce' : 'no-preference',
    }),
  )
  return variant ? looks.slice(position % 3 === 0 ? 0 : 1).slice(0, 1) : looks
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
        for (const look of looksFor(position, state)) {
          const name = [state.name, look.theme, look.size, ...(language === 'ar' ? ['rtl'] : [])].join('-')
          assert.deepEqual(
            await checkAppearance(page, look, join(FOLDER, `${name}.png`), { always }),
            [],
            name,
          )
        }
        assert.deepEqual((await checkLayout(page)).problems, [])
      })
    })
  }
})
