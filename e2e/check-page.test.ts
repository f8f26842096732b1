import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { startBrowser } from './support/browser.ts'
import { checkLayout } from './support/check-page.ts'

let browser: Browser
before(async () => {
  browser = await startBrowser()
})
after(() => browser.close())

const HIDDEN = 'position:absolute;width:1px;height:1px;margin:-1px;clip-path:inset(50%);overflow:hidden'
const SEEN = 'width:48px;height:48px'
const CONTROL = '<span role="checkbox" tabindex="0">Agree</span>'

const check = async (html: string): Promise<string[]> => {
  const page = await browser.newPage()
  try {
    await page.route('http://check.example/', route =>
      route.fulfill({ contentType: 'text/html', body: `<!doctype html><main>${html}</main>` }),
    )
    await page.goto('http://check.example/')
    return (await checkLayout(page)).problems
  } finally {
    await page.close()
  }
}

test('layout check: skips the hidden form value beside its control, and nothing else', async () => {
  const value = (attributes: string, style: string) =>
    `<input name="agree" type="checkbox" ${attributes} style="${style}">`
  assert.deepEqual(await check(CONTROL + value('aria-hidden="true" tabindex="-1"', HIDDEN)), [])
  for (const [what, html] of [
    ['without a control', value('aria-hidden="true" tabindex="-1"', HIDDEN)],
    ['that can be focused', CONTROL + value('aria-hidden="true"', HIDDEN)],
    ['that is announced', CONTROL + value('tabindex="-1"', HIDDEN)],
    ['that can be seen', CONTROL + value('aria-hidden="true" tabindex="-1"', SEEN)],
  ] as const)
    assert.notDeepEqual(await check(html), [], `an input ${what}`)
})
