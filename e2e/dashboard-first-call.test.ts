import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { freePort } from '../scripts/postgres-cluster.ts'
import { compiledCode } from '../server/test/support/compiled-code.ts'
import { createVisitor, startBrowser, type Visitor } from './support/browser.ts'
import { allow, continueToNotes, signIn } from './support/user-steps.ts'
import { until } from './support/world.ts'

/**
 * From an empty data folder to the first successful tool call, by clicking only: the service runs as `npm start` runs it, and the
 * test makes no request of its own.
 */
type Started = { baseUrl: string; output: () => string; stop: () => Promise<void> }

const MAIN = join(import.meta.dirname, '../server/src/main.ts')

const startService = async (): Promise<Started> => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-first-'))
  const port = await freePort()
  const child = spawn(process.execPath, [MAIN], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      ...compiledCode,
      PORT: String(port),
      SANDBOX_PORT: '0',
      DATA_DIRECTORY: join(folder, 'data'),
      KEY_FILE: join(folder, 'data', 'vault.key'),
      TOMBSTONE_PATH: join(folder, 'data', 'deleted-users.log'),
    },
  })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += String(chunk)))
  const exited = new Promise<void>(resolve => child.once('exit', () => resolve()))
  await until('the service is ready', () => {
    if (child.exitCode !== null) throw new Error(`the service ended: ${output}`)
    return output.includes('Sign in to the dashboard')
  })
  return {
    baseUrl: `http://localhost:${port}`,
    output: () => output,
    stop: async () => {
      child.kill('SIGTERM')
      await exited
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The steps that are left, up to the connected account. */
const followFirstSteps = async ({ page, context }: Visitor): Promise<void> => {
  await page.getByRole('heading', { name: 'First steps' }).waitFor()
  const isLeft = (title: string) =>
    page
      .getByRole('listitem')
      .filter({ hasText: title })
      .getByRole('button', { name: 'Do it for me' })
      .isVisible()
  const press = () => page.getByRole('button', { name: 'Do it for me' }).click()
  await page.getByRole('button', { name: 'Do it for me' }).waitFor()
  for (const title of ['Create a Tool Pack', 'Create a Registered User'])
    if (await isLeft(title)) {
      await press()
      await until(`${title} is done`, async () => !(await isLeft(title)))
      await page.getByRole('button', { name: 'Do it for me' }).waitFor()
    }
  assert.ok(await isLeft('Connect an account'))
  const [popup] = await Promise.all([context.waitForEvent('page'), press()])
  await continueToNotes(popup)
  await signIn(popup)
  await allow(popup)
  await page.getByRole('button', { name: 'Store them' }).click()
  await until('the payloads are stored', () => isLeft('Call a tool'))
}

/** The first call, in the playground, and its record in the logs. */
const callInPlayground = async (page: Page): Promise<void> => {
  const pages = page.getByRole('navigation', { name: 'Pages' })
  await pages.getByRole('link', { name: 'Registered Users' }).click()
  await page.getByRole('row').filter({ hasText: 'Notes' }).getByRole('link').first().click()
  await page.getByRole('dialog').getByRole('link', { name: 'Open in Playground' }).click()
  await page
    .getByRole('list', { name: 'Tools' })
    .getByRole('link', { name: /list_notes/ })
    .click()
  await page.getByRole('button', { name: 'Run tool' }).click()
  await page.getByText('Success').first().waitFor()
  await pages.getByRole('link', { name: 'Logs' }).click()
  const row = page
    .getByRole('table', { name: 'Tool calls' })
    .locator('tr[data-index="0"]')
    .filter({ hasText: 'sandbox-notes__list_notes' })
  await row.getByText('Success').waitFor()
}

describe('dashboard: from an empty data folder to the first tool call, by clicking only', () => {
  let browser: Browser
  before(async () => {
    browser = await startBrowser()
  })
  after(() => browser.close())

  it('opens the demo organization with one click', async test => {
    const service = await startService()
    test.after(() => service.stop())
    const visitor = await createVisitor(browser, test)
    await visitor.page.goto(service.baseUrl)
    await visitor.page.getByRole('button', { name: 'Open the demo organization' }).click()
    await visitor.page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await followFirstSteps(visitor)
    await callInPlayground(visitor.page)
  })

  it('signs in with the printed link', async test => {
    const service = await startService()
    test.after(() => service.stop())
    const visitor = await createVisitor(browser, test)
    const { page } = visitor
    const link = /http\S+\/dashboard\/sign-in#\S+/.exec(service.output())?.[0]
    await page.goto(link ?? '')
    await page.getByRole('button', { name: 'Continue to the dashboard' }).click()
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await followFirstSteps(visitor)
    await callInPlayground(page)
  })
})
