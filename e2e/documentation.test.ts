import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import type { Browser } from 'playwright-core'
import { readPages } from '../docs/.vitepress/site/navigation.ts'
import { joinTestService, type TestService } from '../server/test/support/test-service.ts'
import { createVisitor, startBrowser, type Visitor } from './support/browser.ts'
import { checkAppearance } from './support/check-page.ts'

const root = join(import.meta.dirname, '..')
const pages = readPages(join(root, 'docs'))

/** Until Vue has hydrated the document. */
const UNTIL_INTERACTIVE = `new Promise(resolve => {
  const check = () => '__vue_app__' in document.querySelector('#app') ? resolve() : requestAnimationFrame(check)
  check()
})`

describe('documentation', () => {
  let service: TestService
  let browser: Browser
  before(async () => {
    ;[service, browser] = await Promise.all([joinTestService('postgres'), startBrowser()])
  })
  after(async () => {
    await browser.close()
    await service.stop()
  })

  /** A visitor whose requests to other hosts are errors. */
  const visit = async (test: TestContext, path: string): Promise<Visitor> => {
    const visitor = await createVisitor(browser, { after: close => test.after(close) })
    visitor.context.on('request', request => {
      if (new URL(request.url()).origin !== service.baseUrl)
        visitor.browserErrors.push(`request to ${request.url()}`)
    })
    await visitor.page.goto(`${service.baseUrl}/docs${path}`)
    return visitor
  }

  it('every page loads without an error, a policy violation or a request to another host', async test => {
    const remaining = [...pages]
    const openRemaining = async () => {
      const { page, browserErrors } = await visit(test, '/')
      for (let next = remaining.pop(); next !== undefined; next = remaining.pop()) {
        await page.goto(`${service.baseUrl}/docs${next.link}`)
        await page.locator('main h1').first().waitFor()
        await page.evaluate(UNTIL_INTERACTIVE)
        assert.deepEqual(browserErrors, [], next.file)
      }
    }
    await Promise.all([openRemaining(), openRemaining(), openRemaining()])
  })

  it('links open pages without loading a new document, and the theme persists', async test => {
    const { page, browserErrors } = await visit(test, '/')
    await page.evaluate('window.isSameDocument = true')
    await page.getByRole('link', { name: 'Your agent', exact: true }).click()
    await page.getByRole('heading', { level: 1, name: 'In an agent' }).waitFor()
    assert.equal(new URL(page.url()).pathname, '/docs/get-started/agent')
    assert.equal(await page.evaluate('window.isSameDocument'), true)
    await page
      .getByRole('switch', { name: /theme|appearance/i })
      .first()
      .click()
    await page.reload()
    await page.locator('html.dark').waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('search works with the keyboard alone', async test => {
    const { page, browserErrors } = await visit(test, '/')
    await page.evaluate(UNTIL_INTERACTIVE)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.type('unauthorized_origin')
    await page.getByRole('option').first().waitFor()
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/docs\/errors#unauthorized_origin$/)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('option').first().waitFor({ state: 'detached' })
    assert.deepEqual(browserErrors, [])
  })

  it('search results show the text around their matches, and axe finds nothing', async test => {
    const { page, browserErrors } = await visit(test, '/api/')
    await page.evaluate(UNTIL_INTERACTIVE)
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox').fill('why does my call fail')
    const first = page.getByRole('option').first()
    await first.locator('.search-snippet mark').first().waitFor()
    assert.match((await first.textContent()) ?? '', /Explain|Troubleshooting/)
    for (const theme of ['light', 'dark'] as const) {
      const appearance = { theme, size: 'phone', motion: 'reduce' } as const
      const picture = join(root, 'test-output', `documentation-search-${theme}.png`)
      assert.deepEqual(await checkAppearance(page, appearance, picture, { always: false }), [], picture)
    }
    assert.deepEqual(browserErrors, [])
  })

  it('an unknown page is the 404 page of the site', async test => {
    const { page } = await visit(test, '/no-such-page')
    await page.getByRole('heading', { name: /not found/i }).waitFor()
  })

  const CHECKED = [
    '/',
    '/concepts/',
    '/guides/webhooks',
    '/get-started/react',
    '/errors',
    '/comparison',
    '/api/',
    '/api/tool-packs',
    '/nowhere',
  ]
  for (const path of CHECKED)
    it(`axe finds nothing on ${path} in both themes and sizes`, async test => {
      const { page } = await visit(test, path)
      await page.locator('h1').first().waitFor()
      await page.evaluate(UNTIL_INTERACTIVE)
      for (const theme of ['light', 'dark'] as const)
        for (const size of ['desktop', 'phone'] as const) {
          const appearance = { theme, size, motion: 'reduce' } as const
          const picture = join(
            root,
            'test-output',
            `documentation${path.replaceAll('/', '-')}-${theme}-${size}.png`,
          )
          assert.deepEqual(await checkAppearance(page, appearance, picture, { always: false }), [], picture)
          assert.equal(await page.locator('html.dark').count(), theme === 'dark' ? 1 : 0)
        }
    })
})
