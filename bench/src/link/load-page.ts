import type { Browser } from 'playwright-core'

/** One load of a page with an empty cache. Times are milliseconds since the start of the navigation; bytes include headers. */
export type Load = {
  interactive: number
  firstPaint: number
  /** CPU time of the page's main thread until it was interactive. It hardly depends on other load on the machine. */
  work: number
  bytes: { script: number; style: number; total: number }
  requests: string[]
}

/** Emulated CPU slowdown, and emulated network (null: unthrottled). */
export type Conditions = { cpu: number; network: { latency: number; downKilobits: number } | null }

/**
 * The page is interactive in the first frame in which typing into the search box has reduced the list to one row, and that row
 * can be clicked. The same script checks this on both pages in every frame, from before the first byte.
 */
const watch = (searchTerm: string): string => `window.interactive = new Promise(resolve => {
  // These checks do not force a layout while the page is still loading.
  const rows = document.getElementsByClassName('rows')
  const listed = () => [...(rows[0]?.children ?? [])].filter(row => !row.hidden)
  const isClickable = row => {
    const { left, top, width, height } = row.getBoundingClientRect()
    return row.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  }
  const type = (box, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, text)
    box.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  const check = () => {
    const box = document.querySelector('input[type=search]')
    const shown = box ? listed() : []
    if (shown.length === 1 && isClickable(shown[0])) {
      resolve(performance.now())
      return
    }
    if (shown.length > 1) type(box, ${JSON.stringify(searchTerm)})
    requestAnimationFrame(check)
  }
  requestAnimationFrame(check)
})`

/** Browsers report the first paint with a delay. */
const FIRST_PAINT = `new Promise(resolve => new PerformanceObserver(list => {
  const [entry] = list.getEntriesByName('first-contentful-paint')
  if (entry) resolve(entry.startTime)
}).observe({ type: 'paint', buffered: true }))`

export const loadPage = async (
  browser: Browser,
  url: string,
  searchTerm: string,
  { cpu, network }: Conditions,
): Promise<Load> => {
  const context = await browser.newContext({ locale: 'en-GB', viewport: { width: 390, height: 844 } })
  try {
    const page = await context.newPage()
    const debugging = await context.newCDPSession(page)
    const kinds = new Map<string, string>()
    const bytes = { script: 0, style: 0, total: 0 }
    const requests: string[] = []
    debugging.on('Network.requestWillBeSent', ({ requestId, type, request }) => {
      kinds.set(requestId, type ?? '')
      requests.push(request.url)
    })
    debugging.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => {
      const kind = kinds.get(requestId)
      bytes.total += encodedDataLength
      if (kind === 'Script') bytes.script += encodedDataLength
      if (kind === 'Stylesheet') bytes.style += encodedDataLength
    })
    await debugging.send('Network.enable')
    await debugging.send('Performance.enable', { timeDomain: 'threadTicks' })
    await debugging.send('Emulation.setCPUThrottlingRate', { rate: cpu })
    if (network) {
      const bytesPerSecond = (network.downKilobits * 1000) / 8
      await debugging.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: network.latency,
        downloadThroughput: bytesPerSecond,
        uploadThroughput: bytesPerSecond,
      })
    }
    await page.addInitScript(watch(searchTerm))
    await page.goto(url, { waitUntil: 'commit' })
    const interactive = await page.evaluate<number>('window.interactive')
    const { metrics } = await debugging.send('Performance.getMetrics')
    await page.waitForLoadState('load')
    return {
      interactive,
      work: 1000 * (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0),
      firstPaint: await page.evaluate<number>(FIRST_PAINT),
      bytes,
      requests,
    }
  } finally {
    await context.close()
  }
}
