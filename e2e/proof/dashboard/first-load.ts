import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import fastify from 'fastify'
import type { BrowserContext } from 'playwright-core'
import { build } from 'vite'
import { dashboardPages } from '../../../server/src/features/dashboard/dashboard-pages.ts'
import { type Dashboard, loaded } from '../../support/dashboard.ts'
import type { Scope } from './scope.ts'

export type FirstLoad = {
  name: string
  /** Compressed script of the page and of everything that it loads, without charts. */
  scriptBytes: number
  /** The first contentful paint, and its relation to that of the bare page. */
  firstMs: number
  ratio: number
  /** The largest contentful paint of the complete page. */
  largestMs: number
  /** The element that was the largest, with the start of its text. */
  element: string
}

const CPU_SLOWDOWN = 4

/** Builds the bare page with the same Vite, and serves it with the same code as the dashboard. */
const serveBarePage = async (scope: Scope): Promise<string> => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bare-'))
  scope.after(async () => rmSync(folder, { recursive: true, force: true }))
  await build({
    configFile: false,
    root: join(import.meta.dirname, 'bare-page'),
    base: '/dashboard/',
    logLevel: 'error',
    plugins: [react()],
    build: {
      outDir: folder,
      emptyOutDir: true,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
    },
  })
  const app = fastify()
  dashboardPages(app, { linkUrl: 'http://localhost' }, { folder })
  await app.listen({ port: 0, host: '127.0.0.1' })
  scope.after(() => app.close())
  return `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/dashboard`
}

type Paint = { firstMs: number; largestMs: number; element: string }

/**
 * Runs before the document, so that no entry is missed. Only a visible page has entries, and the browser reports them with the next
 * frame, so the reader waits for two frames.
 */
const OBSERVE_PAINTS = `
  globalThis.__largestPaint = null
  new PerformanceObserver(list => {
    for (const { startTime, element } of list.getEntries())
      globalThis.__largestPaint = { largestMs: startTime, element: element ? element.localName + ': ' + element.textContent.slice(0, 40) : 'removed element' }
  }).observe({ type: 'largest-contentful-paint', buffered: true })`
const READ_PAINT = `new Promise(resolve =>
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => resolve(globalThis.__largestPaint && {
    ...globalThis.__largestPaint,
    firstMs: performance.getEntriesByName('first-contentful-paint')[0].startTime,
  }), 200))))`

/** Loads an address without a cache, on a slow processor, and returns the first and the largest contentful paint. */
const measurePaint = async (context: BrowserContext, url: string): Promise<Paint> => {
  const page = await context.newPage()
  await page.bringToFront()
  const devtools = await context.newCDPSession(page)
  await devtools.send('Network.setCacheDisabled', { cacheDisabled: true })
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
  await page.addInitScript(OBSERVE_PAINTS)
  await page.goto(url, { waitUntil: 'networkidle' })
  await loaded(page)
  const paint = await page.evaluate<Paint | null>(READ_PAINT)
  await page.close()
  if (!paint) throw new Error(`The browser reported no largest contentful paint of ${url}.`)
  return paint
}

const measureScript = async (context: BrowserContext, url: string): Promise<number> => {
  const page = await context.newPage()
  const sizes: Promise<number>[] = []
  page.on('response', response => {
    if (response.url().endsWith('.js'))
      sizes.push(response.body().then(body => gzipSync(body, { level: 9 }).length))
  })
  await page.goto(url, { waitUntil: 'networkidle' })
  await page.close()
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
}

const medianOf = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

/** The sign-in page and the first page of a signed-in person, in turn with the bare page. */
export const measureFirstLoad = async (
  dashboard: Dashboard,
  scope: Scope,
  { loads, onProgress }: { loads: number; onProgress: (text: string) => void },
): Promise<{ bareMs: number; pages: FirstLoad[] }> => {
  const bareUrl = await serveBarePage(scope)
  const stranger = await dashboard.visit(scope, { isSignedIn: false })
  const person = await dashboard.visit(scope)
  await person.open('')
  await loaded(person.page)
  await person.page.close()
  const { baseUrl, organization } = dashboard.service
  const measured = [
    { name: 'sign-in page', context: stranger.context, url: `${baseUrl}/dashboard/sign-in` },
    {
      name: 'first page',
      context: person.context,
      url: `${baseUrl}/dashboard/o/${organization.id}/production`,
    },
  ]
  const bare: number[] = []
  const paints = measured.map((): Paint[] => [])
  for (let load = 0; load < loads; load++) {
    bare.push((await measurePaint(stranger.context, bareUrl)).firstMs)
    for (const [n, { context, url }] of measured.entries()) paints[n]?.push(await measurePaint(context, url))
    onProgress(`load ${load + 1} of ${loads}`)
  }
  const bareMs = medianOf(bare)
  const pages: FirstLoad[] = []
  for (const [n, { name, context, url }] of measured.entries()) {
    const samples = paints[n] as Paint[]
    const firstMs = medianOf(samples.map(paint => paint.firstMs))
    pages.push({
      name,
      scriptBytes: await measureScript(context, url),
      firstMs,
      ratio: firstMs / bareMs,
      largestMs: medianOf(samples.map(paint => paint.largestMs)),
      element: samples.at(-1)?.element ?? '',
    })
  }
  return { bareMs, pages }
}
