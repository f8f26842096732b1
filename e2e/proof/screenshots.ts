/** `npm run docs:screenshots`: the pictures of the README, from a service that was just started. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { freePort } from '../../scripts/postgres-cluster.ts'
import { startBrowser } from '../support/browser.ts'
import { waitForHeading } from '../support/user-steps.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'docs/public')
const SCALE = 2

type Started = { baseUrl: string; magicLink: string; stop: () => Promise<void> }

const startService = async (): Promise<Started> => {
  const data = mkdtempSync(join(tmpdir(), 'carabiner-screenshots-'))
  const port = await freePort()
  const service = spawn(process.execPath, ['server/src/main.ts'], {
    cwd: ROOT,
    env: {
      PATH: process.env.PATH,
      PORT: String(port),
      SANDBOX_PORT: '0',
      DATA_DIRECTORY: join(data, 'data'),
      KEY_FILE: join(data, 'keys/vault.key'),
      TOMBSTONE_PATH: join(data, 'tombstones/deleted-users.log'),
      NO_COLOR: '1',
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = new Promise<void>(resolve => service.once('exit', () => resolve()))
  const stop = async () => {
    service.kill('SIGTERM')
    await exited
    rmSync(data, { recursive: true, force: true })
  }
  let output = ''
  for await (const chunk of service.stdout) {
    output += String(chunk)
    const [magicLink] = /http\S+\/magic-link\/\S+/.exec(output) ?? []
    if (magicLink) {
      service.stdout.resume()
      return { baseUrl: `http://localhost:${port}`, magicLink, stop }
    }
  }
  throw new Error(`The service did not start: ${output}`)
}

const openPage = async (
  browser: Browser,
  viewport: { width: number; height: number },
  colorScheme: 'light' | 'dark',
): Promise<Page> => {
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor: SCALE,
    reducedMotion: 'reduce',
  })
  return context.newPage()
}

const save = async (page: Page, name: string): Promise<void> => {
  await page.evaluate('document.fonts.ready')
  const { size } = await sharp(await page.screenshot())
    .webp({ quality: 82 })
    .toFile(join(FOLDER, `${name}.webp`))
  console.log(`docs/public/${name}.webp  ${Math.round(size / 1000)} kB`)
}

mkdirSync(FOLDER, { recursive: true })
const { baseUrl, magicLink, stop } = await startService()
const browser = await startBrowser()
try {
  for (const theme of ['light', 'dark'] as const) {
    const link = await openPage(browser, { width: 440, height: 620 }, theme)
    await link.goto(magicLink)
    await link.getByRole('link', { name: 'Notes' }).first().click()
    await waitForHeading(link, /Connect Notes/)
    await save(link, `link-${theme}`)

    const dashboard = await openPage(browser, { width: 1280, height: 800 }, theme)
    await dashboard.goto(`${baseUrl}/dashboard`)
    await dashboard.getByRole('button', { name: /demo/i }).click()
    await dashboard.getByRole('button', { name: 'Dismiss' }).click()
    await dashboard.getByRole('heading', { name: 'First steps' }).waitFor({ state: 'detached' })
    await dashboard.getByRole('figure', { name: 'Calls by outcome' }).waitFor()
    await save(dashboard, `dashboard-${theme}`)
  }
} finally {
  await browser.close()
  await stop()
}
