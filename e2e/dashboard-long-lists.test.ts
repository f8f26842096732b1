import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { type Dashboard, loaded, startDashboard, untilTrue } from './support/dashboard.ts'

const USERS = 1_000
/** Rows in memory: eight pages of 50. */
const MAX_LOADED = 400

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
  await dashboard.service.query(
    `insert into registered_users (organization_id, id, mode, origin_user_id, origin_user_name, data_key)
     select $1, lpad(to_hex(n), 32, '0')::uuid, 'production', 'listed-' || n, 'Listed user ' || n, sha256(n::text::bytea)
     from generate_series(1, ${USERS}) n`,
    [dashboard.service.organization.id],
  )
})
after(() => dashboard.stop())

const ROW_COUNT = `Number(document.querySelector('table').getAttribute('aria-rowcount')) - 1`
const FIRST_SHOWN = `document.querySelector('tbody tr[data-index]').dataset.index`
/** No row is a placeholder, and one of them has the text. */
const shows = (text: string): string =>
  `!document.querySelector('tbody .shimmer') && [...document.querySelectorAll('tbody tr[data-index]')].some(row => row.textContent.includes('${text}'))`

const scrollToEnd = async (page: Page): Promise<void> => {
  for (let rows = 0; rows < USERS; ) {
    await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
    await untilTrue(page, `${ROW_COUNT} > ${rows}`)
    rows = await page.evaluate<number>(ROW_COUNT)
  }
  await page.evaluate('window.scrollTo(0, document.documentElement.scrollHeight)')
}

/** The list is ordered by an ID that the test has chosen, in one direction or the other. */
const nameAt = async (page: Page, index: number): Promise<string> => {
  const first = await page.locator('tbody tr[data-index="0"]').textContent()
  const isAscending = first?.includes('Listed user 1listed-1') ?? false
  return `Listed user ${isAscending ? index + 1 : USERS - index}listed-`
}

describe('dashboard: long lists', () => {
  it('releases the pages far from the screen, and loads them again where the list is scrolled to', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    await open('/users')
    await loaded(page)
    const [top, middle] = [await nameAt(page, 0), await nameAt(page, 500)]
    await scrollToEnd(page)
    const height = await page.evaluate<number>('document.documentElement.scrollHeight')
    const requests: string[] = []
    page.on('request', request => void requests.push(request.url()))

    await page.evaluate(`window.scrollTo(0, ${height / 2})`)
    await untilTrue(page, shows(middle))
    await page.evaluate('window.scrollTo(0, 0)')
    await untilTrue(page, shows(top))

    assert.equal(await page.evaluate(FIRST_SHOWN), '0')
    const pages = requests.filter(url => url.includes('/registered-users')).length
    assert.ok(pages < (USERS - MAX_LOADED) / 50, `${pages} pages were loaded on the way back`)
    await scrollToEnd(page)
    assert.deepEqual(browserErrors, [])
  })

  it('moves the focus from the last row to the first, which was released', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    await loaded(page)
    const top = await nameAt(page, 0)
    await scrollToEnd(page)
    await page.locator(`tbody tr[data-index="${USERS - 1}"] a`).focus()
    await page.keyboard.press('Home')
    await untilTrue(page, `document.activeElement?.closest('tr')?.textContent.includes('${top}')`)
  })
})
