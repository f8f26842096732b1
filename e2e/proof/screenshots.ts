/** `npm run docs:screenshots`: the pictures of the README and of the tour, from a service that was just started. */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import sharp from 'sharp'
import { freePort } from '../../scripts/postgres-cluster.ts'
import { startBrowser } from '../support/browser.ts'
import { PICTURES, type Stage } from './pictures.ts'

const ROOT = join(import.meta.dirname, '../..')
const FOLDER = join(ROOT, 'docs/pictures')
const SIZES = {
  dialog: { width: 440, height: 700, scale: 2 },
  page: { width: 1440, height: 900, scale: 1.25 },
} as const
const QUALITY = 78

type StartedStage = Stage & { stop: () => Promise<void> }

const startService = async (): Promise<StartedStage> => {
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
    if (!output.includes('export MCP_URL')) continue
    service.stdout.resume()
    return { ...readStage(output), stop }
  }
  throw new Error(`The service did not start: ${output}`)
}

/** Reads what the service prints at its start. */
const readStage = (output: string): Stage => {
  const exported = (name: string): string => new RegExp(`^export ${name}=(\\S+)`, 'm').exec(output)?.[1] ?? ''
  const baseUrl = exported('CARABINER_URL')
  const headers = {
    authorization: `Bearer ${exported('CARABINER_API_KEY')}`,
    'content-type': 'application/json',
  }
  return {
    baseUrl,
    userId: exported('USER_ID'),
    magicLink: /http\S+\/magic-link\/\S+/.exec(output)?.[0] ?? '',
    call: async (method, path, body) => {
      const init = { method, headers, ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }) }
      const response = await fetch(`${baseUrl}/api/v1${path}`, init)
      if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
      return (await response.json()) as never
    },
  }
}

const openPage = async (
  browser: Browser,
  size: keyof typeof SIZES,
  colorScheme: 'light' | 'dark',
): Promise<Page> => {
  const { scale, ...viewport } = SIZES[size]
  const context = await browser.newContext({
    viewport,
    colorScheme,
    deviceScaleFactor: scale,
    reducedMotion: 'reduce',
  })
  return context.newPage()
}

const save = async (page: Page, name: string): Promise<void> => {
  // Names of users and connectors are loaded after the rest of a page.
  await page.waitForLoadState('networkidle')
  await page.evaluate('document.fonts.ready')
  const { size } = await sharp(await page.screenshot())
    .webp({ quality: QUALITY })
    .toFile(join(FOLDER, `${name}.webp`))
  console.log(`docs/pictures/${name}.webp  ${Math.round(size / 1000)} kB`)
}

mkdirSync(FOLDER, { recursive: true })
const { stop, ...stage } = await startService()
const browser = await startBrowser()
try {
  for (const { name, size, show } of PICTURES)
    for (const theme of ['light', 'dark'] as const) {
      const page = await openPage(browser, size, theme)
      await show(page, stage)
      await save(page, `${name}-${theme}`)
      await page.context().close()
    }
} finally {
  await browser.close()
  await stop()
}
