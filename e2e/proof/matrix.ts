import { rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { DISPOSABLE_SETTINGS, startCluster } from '../../scripts/postgres-cluster.ts'
import { prepareTemplates } from '../../server/test/support/databases.ts'
import { DASHBOARD_STATES } from '../dashboard-states.ts'
import { states } from '../states.ts'
import { type Appearance, checkAppearance, checkLayout } from '../support/check-page.ts'
import { startDashboardStage } from './dashboard-stage.ts'
import { startStage } from './stage.ts'
import { createVisits, directionsOf } from './visit.ts'

/**
 * `npm run proof:matrix [-- part of a name …]`: checks every state of Link, My connections and the dashboard in every appearance, whereas the tests check pairs of them,
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
const isChosen = ({ name }: { name: string }): boolean =>
  nameParts.length === 0 || nameParts.some(part => name.includes(part))
const chosen = states.filter(isChosen)
const chosenOfDashboard = DASHBOARD_STATES.filter(isChosen)
if (nameParts.length === 0) rmSync(FOLDER, { recursive: true, force: true })

const cluster = await startCluster(DISPOSABLE_SETTINGS)
const { pgliteTemplate } = await prepareTemplates(cluster.url)
Object.assign(process.env, { TEST_POSTGRES_URL: cluster.url, TEST_PGLITE_TEMPLATE: pgliteTemplate })
const stage = await startStage()
const visit = createVisits(stage)
const dashboard = await startDashboardStage()

const startedAt = performance.now()
const smallTargets = new Set<string>()
let checked = 0
let failures = 0
const print = (line: string) => process.stdout.write(`${line}\n`)
const fail = (check: string, problems: string[]): void => {
  for (const problem of problems) print(`✖ ${check}: ${problem.replace(/\s+/g, ' ').slice(0, 400)}`)
  failures += problems.length
}

/** Checks a state that is shown in `page`. `direction`: of the text. */
const check = async (page: Page, state: string, direction: string, appearances: Appearance[]) => {
  for (const appearance of appearances) {
    const motion = appearance.motion === 'reduce' ? 'still' : 'moving'
    const name = [state, appearance.theme, appearance.size, direction, motion]
    const picture = join(FOLDER, `${name.join('-')}.png`)
    fail(name.join(' '), await checkAppearance(page, appearance, picture, { always: true }))
    checked++
  }
  const layout = await checkLayout(page)
  fail(`${state} ${direction}`, layout.problems)
  for (const target of layout.smallTargets) smallTargets.add(`${state.split('-')[0]}: ${target}`)
}
const failUnlessShown = async (state: string, run: () => Promise<void>): Promise<void> => {
  try {
    await run()
  } catch (error) {
    fail(state, [`not reached: ${String(error)}`])
  }
}

for (const state of chosen)
  for (const language of directionsOf(state)) {
    const direction = language === 'ar' ? 'rtl' : 'ltr'
    const appearances = APPEARANCES.filter(({ size }) => state.size === undefined || size === state.size)
    await failUnlessShown(`${state.name} ${direction}`, () =>
      visit(state, language, page => check(page, state.name, direction, appearances)),
    )
  }
// All of them, because some states use what earlier ones have recorded.
for (const state of chosenOfDashboard.length > 0 ? DASHBOARD_STATES : [])
  await failUnlessShown(state.name, async () => {
    const closing: (() => Promise<void>)[] = []
    const page = await dashboard.show({ after: close => closing.push(close) }, state)
    if (chosenOfDashboard.includes(state)) await check(page, `dashboard-${state.name}`, 'ltr', APPEARANCES)
    for (const close of closing) await close()
  })

print(
  `\n${chosen.length + chosenOfDashboard.length} states, ${checked} appearances, ${failures} ${failures === 1 ? 'failure' : 'failures'}, ${Math.round((performance.now() - startedAt) / 1000)} s; screenshots in test-output/matrix`,
)
if (process.env.SMALL_TARGETS)
  print(`targets from 24 to 44 px:\n  ${[...smallTargets].toSorted().join('\n  ')}`)

// The cluster does not keep this process alive, not even while it is awaited.
const keepAlive = setInterval(() => undefined, 1000)
await stage.stop()
await dashboard.stop()
await cluster.stop()
rmSync(pgliteTemplate, { recursive: true, force: true })
clearInterval(keepAlive)
process.exit(failures === 0 ? 0 : 1)
