import type { Browser } from 'playwright-core'

/** One load of a page, with nothing cached. Milliseconds since the navigation began; bytes as they came over the wire, with headers. */
export type Load = {
  interactive: number
  firstPaint: number
  /** What the page's own thread has worked until it was interactive, whatever else ran on the machine. */
  work: number
  bytes: { script: number; style: number; total: number }
  requests: string[]
}

/** How slow the visitor's machine and line are. */
export type Conditions = { cpu: number; line: { latency: number; downKilobits: number } | null }

/**
 * Interactive is the first frame in which a word that was put into the search box has left one row of the list, and that
 * row can be hit. It is tried anew in every frame, on either page with this same script, from before its first byte.
 */
const watch = (wanted: string): string => `window.interactive = new Promise(resolve => {
  // Nothing here makes the browser lay out a page that is still coming in.
  const rows = document.getElementsByClassName('rows')
  const listed = () => [...(rows[0]?.children ?? [])].filter(row => !row.hidden)
  const canBeHit = row => {
    const { left, top, width, height } = row.getBoundingClientRect()
    return row.contains(document.elementFromPoint(left + width / 2, top + height / 2))
  }
  const type = (box, text) => {
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(box, text)
    box.dispatchEvent(new InputEvent('input', { bubbles: true }))
  }
  const look = () => {
    const box = document.querySelector('input[type=search]')
    const shown = box ? listed() : []
    if (shown.length === 1 && canBeHit(shown[0])) {
      resolve(performance.now())
      return
    }
    if (shown.length > 1) type(box, ${JSON.stringify(wanted)})
    requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
})`

/** It is told a while after it has happened. */
const FIRST_PAINT = `new Promise(resolve => new PerformanceObserver(list => {
  const [entry] = list.getEntriesByName('first-contentful-paint')
  if (entry) resolve(entry.startTime)
}).observe({ type: 'paint', buffered: true }))`

export const loadPage = async (
  browser: Browser,
  url: string,
  wanted: string,
  { cpu, line }: Conditions,
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
    if (line) {
      const perSecond = (line.downKilobits * 1000) / 8
      await debugging.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: line.latency,
        downloadThroughput: perSecond,
        uploadThroughput: perSecond,
      })
    }
    await page.addInitScript(watch(wanted))
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
