import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type Browser, chromium } from 'playwright-core'
import { findChromium, findHeadlessChromium } from '../../scripts/machine.ts'

const ARGUMENTS = [
  '--headless=new',
  '--remote-debugging-port=0',
  '--no-sandbox',
  '--no-first-run',
  '--disable-gpu',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]
const START_TIMEOUT_MS = 300_000

export type PlainBrowser = { browser: Browser; stop: () => Promise<void> }

/** Chromium with its default settings. Playwright's default flags allow all popups and disable storage partitioning. */
export const startPlainBrowser = (): Promise<PlainBrowser> => launch(findChromium())

/**
 * Headless Chromium: it has no popup blocker, but otherwise the same rules for cookies, storage and openers. A page takes a
 * quarter of the time.
 */
export const startPlainHeadless = (): Promise<PlainBrowser> =>
  launch(findHeadlessChromium(), ['--test-third-party-cookie-phaseout'])

const launch = async (executable: string | null, extraArguments: string[] = []): Promise<PlainBrowser> => {
  if (!executable) throw new Error('no Chromium found')
  const profile = mkdtempSync(join(tmpdir(), 'carabiner-chromium-'))
  const child = spawn(
    executable,
    [...ARGUMENTS, `--user-data-dir=${profile}`, ...extraArguments, 'about:blank'],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
      // Debian's command is a shell script, so the browser is stopped with its process group.
      detached: true,
    },
  )
  const killGroup = (): void => {
    if (child.exitCode === null && child.signalCode === null && child.pid !== undefined)
      process.kill(-child.pid)
  }
  process.once('exit', killGroup)
  const stop = async (): Promise<void> => {
    if (child.exitCode === null && child.signalCode === null) {
      killGroup()
      await once(child, 'exit')
    }
    rmSync(profile, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const browser = await chromium.connectOverCDP(await findAddress(child.stderr))
    return {
      browser,
      stop: async () => {
        await browser.close()
        await stop()
      },
    }
  } catch (error) {
    await stop()
    throw error
  }
}

const findAddress = (stderr: NodeJS.ReadableStream): Promise<string> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('Chromium printed no DevTools URL')), START_TIMEOUT_MS)
    // The output is read continuously, because a full pipe would block the browser.
    createInterface(stderr).on('line', line => {
      const address = /DevTools listening on (ws:\S+)/.exec(line)?.[1]
      if (!address) return
      clearTimeout(timer)
      resolve(address)
    })
  })
