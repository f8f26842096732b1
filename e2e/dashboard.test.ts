import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import {
  type Dashboard,
  type DashboardVisitor,
  loaded,
  PASSWORD,
  startDashboard,
  untilTrue,
} from './support/dashboard.ts'
import { until } from './support/world.ts'

const MAX_FIRST_LOAD = 150 * 1024

const IS_BUTTON_REACHABLE = `(() => {
  const button = document.querySelector('main button')
  const { x, y } = button.getBoundingClientRect()
  return button.contains(document.elementFromPoint(x + 8, y + 8))
})()`

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

describe('dashboard: the shell', () => {
  it('opens without a session on the sign-in page, and returns to the requested page afterwards', async test => {
    const { service } = dashboard
    const { page, email, browserErrors } = await dashboard.visit(test, { isSignedIn: false })
    const wanted = `/dashboard/o/${service.organization.id}/test/settings/api-keys`
    await page.goto(service.baseUrl + wanted)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('E-mail or password is wrong.').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    assert.equal(new URL(page.url()).pathname, wanted)
    assert.deepEqual(
      browserErrors.filter(error => !error.includes('401')),
      [],
    )
  })

  it('signs in with a one-time link after a click, and asks for the first password', async test => {
    const { page } = await dashboard.visit(test, { isSignedIn: false })
    const link = await dashboard.createSignInLink('jun@orbit.example')
    await page.goto(link)
    await page.getByRole('heading', { name: 'Sign in with this link' }).waitFor()
    assert.ok(!page.url().includes('#'), 'the token is not in the history')
    await page.getByRole('button', { name: 'Continue to the dashboard' }).click()
    await page.getByLabel('New password').fill('too short')
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByText('Use at least 12 characters.').waitFor()
    await page.getByLabel('New password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Save the password' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()

    const again = await dashboard.visit(test, { isSignedIn: false })
    await again.page.goto(link)
    await again.page.getByRole('button', { name: 'Continue to the dashboard' }).click()
    await again.page.getByRole('alert').waitFor()
  })

  it('signs out, after which the session does not work any more', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    await page.getByRole('button', { name: 'Account: Mia Olsen' }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    await page.goto(`${dashboard.service.baseUrl}/dashboard`)
    await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  })

  it('ignores a next page on another site', async test => {
    const { baseUrl } = dashboard.service
    const { page, email } = await dashboard.visit(test, { isSignedIn: false })
    await page.goto(`${baseUrl}/dashboard/sign-in?next=${encodeURIComponent('//evil.example/dashboard/')}`)
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.equal(new URL(page.url()).origin, baseUrl)
  })

  it('keeps a form when the session expires, and repeats the request after the sign-in', async test => {
    const { page, open, expireSession } = await dashboard.visit(test)
    await open('/settings/api-keys')
    await page.getByRole('button', { name: 'Create a test key' }).click()
    await page.getByLabel('Name').fill('Staging')
    await expireSession()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('dialog', { name: 'Copy the new key of Staging' }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  })

  const signInOnAnotherTab = async ({ context }: DashboardVisitor, email: string): Promise<void> => {
    const tab = await context.newPage()
    await tab.goto(`${dashboard.service.baseUrl}/dashboard/sign-in`)
    await tab.getByLabel('E-mail').fill(email)
    await tab.getByLabel('Password').fill(PASSWORD)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
    await tab.close()
  }
  const keyNames = async (): Promise<string[]> =>
    (await dashboard.service.call('GET', '/api/v1/api-keys')).body.data.map(
      ({ name }: { name: string }) => name,
    )

  for (const hasExpired of [true, false])
    it(`another person signs in, ${hasExpired ? 'session expired' : 'session replaced'}: nothing typed is saved or kept`, async test => {
      const first = await dashboard.visit(test)
      const second = await dashboard.visit(test, { isSignedIn: false })
      const { page } = first
      await first.open('/settings/api-keys')
      await page.getByRole('button', { name: 'Create a test key' }).click()
      await page.getByLabel('Name').fill('Typed by the first person')
      const dialog = page.getByRole('dialog', { name: 'Sign in again' })
      const submit = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Create key' }).click()
        await dialog.waitFor()
      }
      if (hasExpired) {
        await first.expireSession()
        await submit()
        assert.equal(await dialog.getByLabel('E-mail').getAttribute('readonly'), '')
      } else await first.context.clearCookies()
      await signInOnAnotherTab(first, second.email)
      if (!hasExpired) await submit()
      await page.evaluate(`window.dispatchEvent(new Event('focus'))`)
      await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor()
      await dialog.waitFor({ state: 'detached' })
      assert.ok(!(await keyNames()).includes('Typed by the first person'))
      assert.ok(!(await page.content()).includes('Typed by the first person'))
    })

  it('has a mode in the URL, and marks test mode', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    const stripe = page.getByRole('note', { name: 'Test mode' })
    assert.equal(await stripe.count(), 0)
    await page.getByRole('button', { name: 'Test', exact: true }).click()
    await stripe.waitFor()
    assert.match(page.url(), /\/test\/users$/)
  })

  it('is usable by keyboard: skip link, palette, shortcuts, and focus on the heading of a new page', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    await page.keyboard.press('Tab')
    assert.equal(await page.locator(':focus').textContent(), 'Skip to the content')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('keys')
    await page.getByRole('option', { name: /API keys/ }).waitFor()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    await untilTrue(page, 'document.activeElement?.tagName === "H1"')
    assert.equal(await page.title(), 'API keys · Carabiner')
    await page.keyboard.press('g')
    await page.keyboard.press('u')
    await page.getByRole('heading', { name: 'Registered Users' }).waitFor()
    await page.keyboard.press('?')
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor()
  })

  it('keeps the chosen theme without a flash', async test => {
    const { page, open } = await dashboard.visit(test, { colorScheme: 'light' })
    await open('/users')
    await page.getByRole('button', { name: 'Account: Mia Olsen' }).click()
    await page.getByRole('menuitemradio', { name: 'Dark' }).click()
    await page.locator('html[data-theme=dark]').waitFor()
    await page.route('**/assets/*.js', route => route.abort())
    await page.reload({ waitUntil: 'domcontentloaded' })
    assert.equal(await page.locator('html').getAttribute('data-theme'), 'dark')
  })

  it('answers unknown pages and organizations in place', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    for (const path of [
      '/dashboard/nothing',
      '/dashboard/o/0/test/users',
      `/dashboard/o/${service.organization.id}/staging/users`,
    ]) {
      await page.goto(service.baseUrl + path)
      await page.getByText('This page does not exist').waitFor()
    }
    await open('/users')
  })

  it('shows the sign-in page before its script, sends nothing early, and keeps what was typed', async test => {
    const { service } = dashboard
    const { page, email, browserErrors } = await dashboard.visit(test, { isSignedIn: false })
    const script = Promise.withResolvers<void>()
    await page.route('**/assets/core-*.js', async route => {
      await script.promise
      await route.continue()
    })
    await page.goto(`${service.baseUrl}/dashboard/sign-in`, { waitUntil: 'commit' })
    await page.getByText('Forgot your password?').waitFor()
    await page.getByLabel('E-mail').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByLabel('Password').press('Enter')
    await page.getByRole('button', { name: 'Sign in' }).click()
    assert.equal(page.url(), `${service.baseUrl}/dashboard/sign-in`)
    script.resolve()
    await page.locator('button[type=submit]', { hasText: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('does not show the sign-in form under a one-time link, not even before the script', async test => {
    const { page } = await dashboard.visit(test, { isSignedIn: false })
    const script = Promise.withResolvers<void>()
    await page.route('**/assets/core-*.js', async route => {
      await script.promise
      await route.continue()
    })
    await page.goto(await dashboard.createSignInLink('early@orbit.example'), { waitUntil: 'commit' })
    await page.getByText('Forgot your password?').waitFor({ state: 'attached' })
    assert.equal(await page.getByText('Forgot your password?').isVisible(), false)
    script.resolve()
    await page.getByRole('heading', { name: 'Sign in with this link' }).waitFor()
  })

  it('requests the code of a page without waiting for the main script', async test => {
    const { service } = dashboard
    const { page } = await dashboard.visit(test)
    const script = Promise.withResolvers<void>()
    await page.route('**/assets/core-*.js', async route => {
      await script.promise
      await route.continue()
    })
    const requests = ['/assets/users-page-', '/dashboard/session'].map(part =>
      page.waitForRequest(request => request.url().includes(part)),
    )
    await page.goto(`${service.baseUrl}/dashboard/o/${service.organization.id}/production/users`, {
      waitUntil: 'commit',
    })
    await Promise.all(requests)
    script.resolve()
    await page.getByRole('heading', { name: 'Registered Users' }).waitFor()
  })

  it('shows Home before the script has run, and requests none of its data again', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    const script = Promise.withResolvers<void>()
    await page.route('**/assets/core-*.js', async route => {
      await script.promise
      await route.continue()
    })
    const requests: string[] = []
    page.on('request', request => requests.push(new URL(request.url()).pathname))
    // On a busy machine, the service may leave the page to the browser.
    await until('Home is rendered by the service', async () => {
      requests.length = 0
      await page.goto(`${dashboard.service.baseUrl}/dashboard`, { waitUntil: 'domcontentloaded' })
      return (await page.locator('#root[inert]').count()) === 1
    })
    await page.getByText('First steps').waitFor()
    assert.equal(await page.title(), 'Home · Carabiner')
    // Nothing can be pressed before it works.
    assert.equal(await page.evaluate(IS_BUTTON_REACHABLE), false)
    script.resolve()
    await untilTrue(page, IS_BUTTON_REACHABLE)
    assert.deepEqual(
      requests.filter(path => path.startsWith('/api/')),
      [],
    )
    assert.match(page.url(), /\/o\/[^/]+\/test$/)
    await open('')
    assert.deepEqual(browserErrors, [])
  })

  it('loads at most 150 kB of compressed script, nothing from other hosts, and violates no policy', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    const scripts: Promise<number>[] = []
    const hosts = new Set<string>()
    page.on('response', response => {
      hosts.add(new URL(response.url()).host)
      if (response.url().endsWith('.js'))
        scripts.push(response.body().then(body => gzipSync(body, { level: 9 }).length))
    })
    await open('/users')
    await loaded(page)
    const total = (await Promise.all(scripts)).reduce((sum, size) => sum + size, 0)
    assert.ok(total > 50_000 && total <= MAX_FIRST_LOAD, `${total} bytes`)
    assert.deepEqual([...hosts], [new URL(dashboard.service.baseUrl).host])
    assert.deepEqual(browserErrors, [])
  })
})

describe('dashboard: Registered Users', () => {
  it('loads page after page, finds a user by either ID, and opens the details from a shared URL', async test => {
    const { service } = dashboard
    for (let n = 0; n < 60; n++)
      await service.createUser({ origin_user_id: `paged-${n}`, origin_user_name: `Paged ${n}` })
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    const table = page.getByRole('table', { name: 'Registered Users' })
    await untilTrue(
      page,
      `Number(document.querySelector('table')?.getAttribute('aria-rowcount')) > 60 || (window.scrollTo(0, document.body.scrollHeight), false)`,
    )
    assert.ok((await table.locator('tbody tr[data-index]').count()) < 60, 'only visible rows are rendered')

    await page.getByRole('searchbox', { name: 'Find a user' }).fill('paged-42')
    await untilTrue(page, `document.querySelectorAll('tbody tr[data-index]').length === 1`)
    await page.getByRole('link', { name: 'Paged 42' }).click()
    const drawer = page.getByRole('dialog', { name: 'Paged 42' })
    await drawer.getByText('Nothing is connected.').waitFor()
    const shared = page.url()
    assert.match(shared, /q=paged-42&user=/)

    const colleague = await dashboard.visit(test)
    await colleague.page.goto(shared)
    await colleague.page.getByRole('dialog', { name: 'Paged 42' }).waitFor()

    const id = new URL(shared).searchParams.get('user') as string
    await open(`/users?q=${id}`)
    await page.getByRole('link', { name: 'Paged 42' }).waitFor()
    await open('/users?q=paged-none')
    await page.getByText('No user found').waitFor()
  })

  it('moves between rows with the arrow keys', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    await page.getByRole('table').getByRole('link').first().focus()
    await page.keyboard.press('ArrowDown')
    await untilTrue(page, `document.activeElement?.closest('tr')?.dataset.index === '1'`)
    await page.keyboard.press('Home')
    await untilTrue(page, `document.activeElement?.closest('tr')?.dataset.index === '0'`)
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  })

  it('deletes a user only after the ID was typed', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'to-delete', origin_user_name: 'Lea Brandt' })
    const { page, open } = await dashboard.visit(test)
    await open(`/users?q=to-delete&user=${user.id}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const confirm = page.getByRole('button', { name: 'Delete user' })
    assert.ok(await confirm.isDisabled())
    await page.getByLabel('Type “to-delete” to confirm').fill('to-delete')
    await confirm.click()
    await page.getByText('No user found').waitFor()
    assert.equal((await service.call('GET', `/api/v1/registered-users/${user.id}`)).status, 404)
  })

  it('shows an error with its request ID, and loads the list after a retry', async test => {
    const { page, context, open } = await dashboard.visit(test)
    let isBroken = true
    await context.route('**/api/v1/registered-users**', route =>
      isBroken
        ? route.fulfill({
            status: 400,
            json: {
              error: { type: 'x', code: 'x', message: 'Rejected for a test.', request_id: 'req_quoted' },
            },
          })
        : route.fallback(),
    )
    await open('/users')
    await page.getByText('Rejected for a test.').waitFor()
    await page.getByText('req_quoted').waitFor()
    isBroken = false
    await page.getByRole('button', { name: 'Try again' }).click()
    await page.getByRole('table').waitFor()
  })

  it('offers no changes to people who may only read', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'read-only' })
    const { page, open } = await dashboard.visit(test, { role: 'read_only' })
    await open(`/users?user=${user.id}`)
    await page.getByRole('dialog').getByText('read-only').first().waitFor()
    assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0)
    await open('/settings/api-keys')
    await loaded(page)
    assert.equal(await page.getByRole('button', { name: /^(Create|Regenerate)\b/ }).count(), 0)
  })
})

describe('dashboard: API keys', () => {
  it('regenerates the production key after its name was typed, and shows the new key once', async test => {
    const { service } = dashboard
    const old = service.organization.key
    assert.equal((await service.call('GET', '/api/v1/organization')).status, 200)
    await service.service.features.keyUses.flush()
    const { page, open } = await dashboard.visit(test)
    await open('/settings/api-keys', 'test')
    await loaded(page)
    const row = page.getByRole('row').filter({ hasText: 'Production' }).filter({ hasText: 'cb_sk_live' })
    const name = (await row.getByRole('cell').first().textContent()) as string
    await row.getByText('just now').filter({ visible: true }).waitFor()
    await page
      .getByRole('row')
      .filter({ hasText: 'cb_sk_test' })
      .getByText('Never')
      .filter({ visible: true })
      .first()
      .waitFor()
    await row.getByRole('button', { name: /Regenerate/ }).click()
    await page
      .getByText(/^Last used .*Requests with the key cb_sk_live_.* fail as soon as you confirm/)
      .waitFor()
    await page.getByText('Every request of your application fails until it uses the new key.').waitFor()
    await page.getByLabel(/to confirm/).fill(name)
    await page.getByRole('button', { name: 'Regenerate key' }).click()
    const shown = page.getByRole('dialog', { name: /Copy the new key/ })
    const created = (await shown.locator('code').textContent()) as string
    service.organization.key = created
    assert.equal((await service.call('GET', '/api/v1/organization', { key: old })).status, 401)
    assert.equal((await service.call('GET', '/api/v1/organization', { key: created })).status, 200)
    await page.keyboard.press('Escape')
    assert.ok(await shown.isVisible(), 'the key cannot be closed by accident')
    await page.getByRole('checkbox', { name: 'I have stored the key' }).click()
    await page.getByRole('button', { name: 'Done' }).click()
    await shown.waitFor({ state: 'detached' })
    assert.ok(!(await page.content()).includes(created))
  })
})
