import type { Browser } from 'playwright-core'

/** One load with an empty cache. Milliseconds since the start of the navigation; bytes include headers. */
export type Load = { largestPaint: number; bytes: number; requests: number }

/** A mid-range phone on a mobile network. */
const CPU_SLOWDOWN = 4
const LATENCY_MS = 40
const BYTES_PER_SECOND = 10_000_000 / 8

/** The entry is final once the page has loaded and nothing is painted any more. */
const LARGEST_PAINT = `new Promise(resolve => {
  let latest = 0
  new PerformanceObserver(list => { for (const entry of list.getEntries()) latest = entry.startTime })
    .observe({ type: 'largest-contentful-paint', buffered: true })
  setTimeout(() => resolve(latest), 1000)
})`

export const loadPage = async (browser: Browser, url: string): Promise<Load> => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 } })
  try {
    const page = await context.newPage()
    const debugging = await context.newCDPSession(page)
    let bytes = 0
    let requests = 0
    debugging.on('Network.requestWillBeSent', () => requests++)
    debugging.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength))
    await debugging.send('Network.enable')
    await debugging.send('Emulation.setCPUThrottlingRate', { rate: CPU_SLOWDOWN })
    await debugging.send('Network.emulateNetworkConditions', {
      offline: false,
      latency: LATENCY_MS,
      downloadThroughput: BYTES_PER_SECOND,
      uploadThroughput: BYTES_PER_SECOND,
    })
    await page.goto(url, { waitUntil: 'networkidle' })
    return { largestPaint: await page.evaluate<number>(LARGEST_PAINT), bytes, requests }
  } finally {
    await context.close()
  }
}
