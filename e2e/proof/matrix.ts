import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DISPOSABLE_SETTINGS, startCluster } from '../../scripts/postgres-cluster.ts'
import { prepareTemplates } from '../../server/test/support/databases.ts'
import { states } from '../states.ts'
import { type Appearance, checkAppearance, checkLayout } from '../support/check-page.ts'
import { startStage } from './stage.ts'
import { createVisits, directionsOf } from './visit.ts'

/**
 * `npm run proof:matrix [-- part of a name …]`: checks every state in every appearance, whereas the tests check pairs of them,
 * and saves a screenshot of each in test-output/matrix. Takes about 15 minutes. With SMALL_TARGETS=1 it also lists the targets
 * smaller than 44 px.
 */
const FOLDER = join(import.meta.dirname, '../../test-output/matrix')
const APPEARANCES: Appearance[] = (['light', 'dark'] as const).flatMap(theme =>
  (['phone', 'desktop'] as const).flatMap(size =>
    (['reduce', 'no-preference'] as const).map((motion): Appearance => ({ theme, size, motion })),
  ),
)

const nameParts = process.argv.slice(2)
const chosen = states.filter(
  ({ name }) => nameParts.length === 0 || nameParts.some(part => name.includes(part)),
)
if (nameParts.length === 0) rmSync(FOLDER, { recursive: true, force: true })

const cluster = await startCluster(DISPOSABLE_SETTINGS)
const { pgliteTemplate } = await prepareTemplates(cluster.url)
Object.assign(process.env, { TEST_POSTGRES_URL: cluster.url, TEST_PGLITE_TEMPLATE: pgliteTemplate })
const stage = await startStage()
const visit = createVisits(stage)

const startedAt = performance.now()
const smallTargets = new Set<string>()
let checked = 0
let failures = 0
const print = (line: string) => process.stdout.write(`${line}\n`)
const fail = (check: string, problems: string[]): void => {
  for (const problem of problems) print(`✖ ${check}: ${problem.replace(/\s+/g, ' ').slice(0, 400)}`)
  failures += problems.length
}

for (const state of chosen) {
  for (const language of directionsOf(state)) {
    const direction = language === 'ar' ? 'rtl' : 'ltr'
    try {
      await visit(state, language, async page => {
        for (const appearance of APPEARANCES.filter(
          ({ size }) => state.size === undefined || size === state.size,
        )) {
          const name = [
            state.name,
            appearance.theme,
            appearance.size,
            direction,
            appearance.motion === 'reduce' ? 'still' : 'moving',
          ]
          fail(
            name.join(' '),
            await checkAppearance(page, appearance, join(FOLDER, `${name.join('-')}.png`), { always: true }),
          )
          checked++
        }
        const layout = await checkLayout(page)
        fail(`${state.name} ${direction}`, layout.problems)
        for (const target of layout.smallTargets) smallTargets.add(`${state.name.split('-')[0]}: ${target}`)
      })
    } catch (error) {
      fail(`${state.name} ${direction}`, [`not reached: ${String(error)}`])
    }
  }
}

print(
  `\n${chosen.length} states, ${checked} appearances, ${failures} ${failures === 1 ? 'failure' : 'failures'}, ${Math.round((performance.now() - startedAt) / 1000)} s; screenshots in test-output/matrix`,
)
if (process.env.SMALL_TARGETS)
  print(`targets from 24 to 44 px:\n  ${[...smallTargets].toSorted().join('\n  ')}`)

// The cluster does not keep this process alive, not even while it is awaited.
const keepAlive = setInterval(() => undefined, 1000)
await stage.stop()
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(keepAlive)
process.exit(failures === 0 ? 0 : 1)
