import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Dashboard, startDashboard } from './support/dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

/** Pages with much text. Of the others, the appearance tests check the width. */
const PAGES = [
  'picker',
  'consent',
  'consent-ways',
  'consent-server',
  'key-rejected',
  'choose-account',
  'choose-site',
  'connected',
  'cancelled',
  'failed-exchange_failed',
  'expired',
  'used',
  'client-sign-in',
  'connections',
  'connections-none',
  'connection',
  'connection-paused',
  'connection-rejected',
]
/** The second is a window of 1440 × 900 at a zoom of 200 %. */
const SIZES = [
  { width: 390, height: 844 },
  { width: 720, height: 450 },
]

/** Texts that are wider or higher than what shows them. Text for screen readers only is one pixel in size. */
const CUT = `(() => {
  const { scrollWidth, clientWidth } = document.documentElement
  const cut = scrollWidth > clientWidth ? [scrollWidth + ' px wide'] : []
  for (const element of document.querySelectorAll('body *')) {
    const { overflowX, overflowY } = getComputedStyle(element)
    const hides = [overflowX, overflowY].some(value => value === 'hidden' || value === 'clip')
    const isSeen = element.clientWidth > 1 && element.clientHeight > 1
    const isCut = element.scrollWidth > element.clientWidth + 1 || element.scrollHeight > element.clientHeight + 1
    if (hides && isSeen && isCut && element.textContent.trim() !== '') cut.push(element.textContent.trim().slice(0, 60))
  }
  return cut
})()`

describe('Link and My connections in German', () => {
  it('cut no text on a phone, nor at a zoom of 200 %', async test => {
    const { page } = await dashboard.visit(test, { isSignedIn: false, viewport: SIZES[0] ?? null })
    const { body } = await dashboard.service.call('POST', '/api/v1/link-customization/preview', { body: {} })
    const cut: string[] = []
    for (const name of PAGES) {
      await page.goto(`${body.preview_url}/${name}?lang=de`)
      assert.equal(await page.locator('html').getAttribute('lang'), 'de')
      for (const size of SIZES) {
        await page.setViewportSize(size)
        for (const text of await page.evaluate<string[]>(CUT))
          cut.push(`${name} at ${size.width} px: ${text}`)
      }
    }
    assert.deepEqual(cut, [])
  })
})
