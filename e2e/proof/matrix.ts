import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DISPOSABLE_SETTINGS, startCluster } from '../../scripts/postgres-cluster.ts'
import { prepareTemplates } from '../../server/test/support/databases.ts'
import { states } from '../states.ts'
import { checkAppearance, checkLayout, type Look } from '../support/check-page.ts'
import { startStage } from './stage.ts'
import { createVisits, directionsOf } from './visit.ts'

/**
 * `npm run proof:matrix [-- part of a name …]`: checks every state in every appearance, whereas the tests check pairs of them,
 * and saves a screenshot of each in test-output/matrix. Takes about 15 minutes. With SNUG=1 it also lists the targets
 * smaller than 44 px.
 */
const FOLDER = join(import.meta.dirname, '../../test-output/matrix')
const LOOKS: Look[] = (['light', 'dark'] as const).flatMap(theme =>
  (['phone', 'desktop'] as const).flatMap(size =>
    (['reduce', 'no-preference'] as const).map((motion): Look => ({ theme, size, motion })),
  ),
)

const wanted = process.argv.slice(2)
const chosen = states.filter(({ name }) => wanted.length === 0 || wanted.some(part => name.includes(part)))
if (wanted.length === 0) rmSync(FOLDER, { recursive: true, force: true })

const cluster = await startCluster(DISPOSABLE_SETTINGS)
const { pgliteTemplate } = await prepareTemplates(cluster.url)
process.env.TEST_POSTGRES_URL = cluster.url
const stage = await startStage()
const visit = createVisits(stage)

const startedAt = performance.now()
const snug = new Set<string>()
let looked = 0
let failures = 0
const say = (line: string) => process.stdout.write(`${line}\n`)
const fail = (where: string, problems: string[]): void => {
  for (const problem of problems) say(`✖ ${where}: ${problem.replace(/\s+/g, ' ').slice(0, 400)}`)
  failures += problems.length
}

for (const state of chosen) {
  for (const language of directionsOf(state)) {
    const side = language === 'ar' ? 'rtl' : 'ltr'
    try {
      await visit(state, language, async page => {
        for (const look of LOOKS.filter(({ size }) => state.size === undefined || size === state.size)) {
          const name = [
            state.name,
            look.theme,
            look.size,
            side,
            look.motion === 'reduce' ? 'still' : 'moving',
          ]
          fail(
            name.join(' '),
            await checkAppearance(page, look, join(FOLDER, `${name.join('-')}.png`), { always: true }),
          )
          looked++
        }
        const shape = await checkLayout(page)
        fail(`${state.name} ${side}`, shape.problems)
        for (const target of shape.snug) snug.add(`${state.name.split('-')[0]}: ${target}`)
      })
    } catch (error) {
      fail(`${state.name} ${side}`, [`not reached: ${String(error)}`])
    }
  }
}

say(
  `\n${chosen.length} states, ${looked} looks, ${failures} ${failures === 1 ? 'failure' : 'failures'}, ${Math.round((performance.now() - startedAt) / 1000)} s; pictures in test-output/matrix`,
)
if (process.env.SNUG) say(`targets from 24 to 44 px:\n  ${[...snug].toSorted().join('\n  ')}`)

// The cluster does not keep this process alive, not even while it is awaited.
const awake = setInterval(() => undefined, 1000)
await stage.stop()
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(awake)
process.exit(failures === 0 ? 0 : 1)
