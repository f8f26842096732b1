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

const MAX_FIRST_LOAD = 150 * 1024

const IS_PAINTED = `performance.getEntriesByName('first-contentful-paint').length > 0`

/** Where the parts of the frame are, as text. The height of the content is not compared. */
const FRAME_RECTANGLES = `['aside', 'header', 'main'].map(name => {
  const { x, y, width, height } = document.querySelector(name).getBoundingClientRect()
  return [name, x, y, width, name === 'main' ? '' : height].join(' ')
}).join(', ')`

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
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill('wrong')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByText('Wrong email or password.').waitFor()
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'API keys' }).waitFor()
    assert.equal(new URL(page.url()).pathname, wanted)
    assert.deepEqual(
      browserErrors.filter(error => !error.includes('401')),
      [],
    )
  })

  it('signs in with a one-time link after a click, and asks for a password in the dashboard', async test => {
    const { page } = await dashboard.visit(test, { isSignedIn: false })
    const link = await dashboard.createSignInLink('jun@orbit.example')
    await page.goto(link)
    await page.getByRole('heading', { name: 'Sign in with this link' }).waitFor()
    assert.ok(!page.url().includes('#'), 'the token is not in the history')
    await page.getByRole('button', { name: 'Continue to the dashboard' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    const reminder = page.getByRole('region', { name: 'Choose a password' })
    await reminder.getByRole('button', { name: 'Later' }).click()
    await reminder.waitFor({ state: 'detached' })
    await page.reload()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.equal(await reminder.count(), 0)
    await page.evaluate('sessionStorage.clear()')
    await page.reload()
    await reminder.getByRole('link', { name: 'Choose a password' }).click()
    await page.getByRole('button', { name: 'Not now' }).click()
    await reminder.getByRole('link', { name: 'Choose a password' }).click()
    await page.getByLabel('New password').fill('too short')
    await page.getByRole('button', { name: 'Save password' }).click()
    await page.getByText('Use at least 12 characters.').waitFor()
    await page.getByLabel('New password').fill(PASSWORD)
    const answered = Promise.withResolvers<void>()
    await page.route('**/dashboard/password', async route => {
      if (route.request().method() !== 'POST') return route.fallback()
      await answered.promise
      await route.fallback()
    })
    await page.getByRole('button', { name: 'Save password' }).click()
    const saving = page.getByRole('button', { name: 'Saving…' })
    await saving.waitFor()
    assert.equal(await saving.getAttribute('aria-busy'), 'true')
    answered.resolve()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.equal(await reminder.count(), 0)

    const again = await dashboard.visit(test, { isSignedIn: false })
    await again.page.goto(link)
    await again.page.getByRole('alert').waitFor()
    await again.page.getByRole('button', { name: 'Sign in as usual' }).click()
    await again.page.getByLabel('Password').waitFor()
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
    await page.getByLabel('Email').fill(email)
    await page.getByLabel('Password').fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    assert.equal(new URL(page.url()).origin, baseUrl)
  })

  it('keeps a form when the session expires, and repeats the request after the sign-in', async test => {
    const { page, open, expireSession } = await dashboard.visit(test)
    await open('/settings/api-keys')
    await page.getByRole('button', { name: 'Create production key' }).click()
    await page.getByLabel('Name').fill('Staging')
    await expireSession()
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog', { name: 'Sign in again' })
    await dialog.getByLabel('Password').fill(PASSWORD)
    await dialog.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('dialog', { name: 'Copy your new key “Staging”' }).waitFor()
    await dialog.waitFor({ state: 'detached' })
  })

  const signInOnAnotherTab = async ({ context }: DashboardVisitor, email: string): Promise<void> => {
    const tab = await context.newPage()
    await tab.goto(`${dashboard.service.baseUrl}/dashboard/sign-in`)
    await tab.getByLabel('Email').fill(email)
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
      await page.getByRole('button', { name: 'Create production key' }).click()
      await page.getByLabel('Name').fill('Typed by the first person')
      const dialog = page.getByRole('dialog', { name: 'Sign in again' })
      const submit = async (): Promise<void> => {
        await page.getByRole('button', { name: 'Create key' }).click()
        await dialog.waitFor()
      }
      if (hasExpired) {
        await first.expireSession()
        await submit()
        assert.equal(await dialog.getByLabel('Email').getAttribute('readonly'), '')
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
    assert.equal(await page.locator(':focus').textContent(), 'Skip to content')
    await page.keyboard.press('Control+k')
    await page.getByRole('combobox', { name: 'Search or jump to' }).fill('keys')
    await page.getByRole('option', { name: 'API keys Pages', exact: true }).waitFor()
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
      await page.getByText('Page not found').waitFor()
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
    await page.getByLabel('Email').fill(email)
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
    const sessionRequests: string[] = []
    page.on('request', request => {
      if (request.url().endsWith('/dashboard/session')) sessionRequests.push(request.url())
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
    assert.equal(sessionRequests.length, 1, 'the script uses the response that the page preloaded')
  })

  for (const [name, viewport] of [
    ['a wide screen', { width: 1280, height: 800 }],
    ['a phone', { width: 390, height: 844 }],
  ] as const)
    it(`${name} shows an inert skeleton before the script, which the page replaces without a jump`, async test => {
      const { page, browserErrors } = await dashboard.visit(test, { viewport })
      const script = Promise.withResolvers<void>()
      await page.route('**/assets/core-*.js', async route => {
        await script.promise
        await route.continue()
      })
      await page.goto(`${dashboard.service.baseUrl}/dashboard`, { waitUntil: 'commit' })
      await untilTrue(page, IS_PAINTED)
      assert.equal(await page.locator('#root > [inert]').count(), 1)
      const frame = await page.evaluate<string>(FRAME_RECTANGLES)
      await page.keyboard.press('Tab')
      assert.equal(await page.evaluate('document.activeElement.localName'), 'body', 'nothing has the focus')
      assert.equal(await page.locator('#root :is(a, button, input):not([inert] *)').count(), 0)
      script.resolve()
      await loaded(page)
      assert.equal(await page.evaluate<string>(FRAME_RECTANGLES), frame)
      assert.equal(await page.locator('#root > [inert]').count(), 0)
      assert.equal(await page.title(), 'Home · Carabiner')
      assert.deepEqual(browserErrors, [])
    })

  it('opens Home in the organization and mode that were used last, and requests no data twice', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('', 'test')
    await loaded(page)
    const requests: string[] = []
    let openedAt = 0
    page.on('request', request => {
      if (request.isNavigationRequest()) {
        requests.length = 0
        openedAt = Date.now()
      }
      const { pathname, search } = new URL(request.url())
      // Some data is refreshed four seconds after it was shown.
      if (/^\/(api\/|dashboard\/session)/.test(pathname) && Date.now() - openedAt < 4000)
        requests.push(pathname + search)
    })
    await page.goto(`${dashboard.service.baseUrl}/dashboard`)
    await loaded(page)
    assert.match(page.url(), /\/o\/[^/]+\/test$/)
    assert.ok(requests.length > 0, 'requests were seen')
    assert.deepEqual(requests.toSorted(), [...new Set(requests)].toSorted())
  })

  it('loads at most 150 kB of compressed script, nothing from other hosts, and violates no policy', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test, { hasNewWindow: true })
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
    await drawer.getByText('Nothing connected yet.').waitFor()
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
    assert.equal(await page.getByRole('button', { name: /^(Create|Roll|More actions)\b/ }).count(), 0)
  })
})
