import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import { gunzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { deleteRequested } from '../server/src/features/operator/delete-requested.ts'
import { type Dashboard, loaded, PASSWORD, startDashboard } from './support/dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

const press = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()
const statusOf = async (key: string): Promise<unknown[]> => {
  const { status, body } = await dashboard.service.call('GET', '/api/v1/registered-users', { key })
  return [status, body.error?.code]
}

describe('dashboard: operators', () => {
  it('find their pages with the search box, and nobody else does', async test => {
    for (const isOperator of [true, false]) {
      const { page, open } = await dashboard.visit(test, { isOperator })
      await open('/users')
      await page.keyboard.press('Control+k')
      await page.getByRole('combobox').fill('installation')
      const options = page.getByRole('option')
      if (isOperator) {
        await options.filter({ hasText: 'Health' }).click()
        await page.getByRole('heading', { name: 'Health' }).waitFor()
      } else {
        // The documentation has pages about the installation.
        await options.filter({ hasText: 'Documentation' }).first().waitFor()
        assert.equal(await options.filter({ hasText: 'Health' }).count(), 0)
      }
    }
  })

  it('create, plan, suspend, activate and delete an organization', async test => {
    const { service } = dashboard
    const { page, openInstallation } = await dashboard.visit(test, { isOperator: true })
    await openInstallation('/organizations')
    await press(page, 'Create organization')
    await page.getByLabel('Name').fill('Kepler')
    await press(page, 'Create')
    await page.getByText('Kepler created').waitFor()
    const [key = ''] = await page.locator('code').filter({ hasText: 'cb_sk_live_' }).allTextContents()
    await page.keyboard.press('Escape')
    assert.equal(await page.getByRole('button', { name: 'Done' }).isDisabled(), true)
    await page.getByRole('checkbox', { name: 'I have stored the keys' }).click()
    await press(page, 'Done')
    assert.deepEqual(await statusOf(key), [200, undefined])
    const user = await service.createUser({}, key)
    const link = (await service.mint(user.id, { Connector: 'sandbox-notes' }, key)).magic_link_url

    await page.getByRole('table').getByRole('link', { name: 'Kepler' }).click()
    await press(page, 'Change plan')
    await page.getByLabel('Calls per cycle').fill('many')
    await page.getByText('Enter a whole number').waitFor()
    await page.getByLabel('Calls per cycle').fill('2,500')
    await press(page, 'Save')
    await page.getByText('Plan of Kepler saved').waitFor()
    await page.getByText('0 of 2,500').first().waitFor()

    await press(page, 'Suspend')
    await page.getByText('Nothing is deleted.').waitFor()
    await page.getByRole('dialog').last().getByRole('button', { name: 'Suspend' }).click()
    await page.getByText('Kepler suspended').waitFor()
    assert.deepEqual(await statusOf(key), [403, 'organization_suspended'])
    const linkPage = await page.context().newPage()
    await linkPage.goto(link)
    await linkPage.getByRole('heading', { name: 'Connections are paused' }).waitFor()

    await press(page, 'Activate')
    await page.getByRole('dialog').last().getByRole('button', { name: 'Activate' }).click()
    await page.getByText('Kepler activated').waitFor()
    assert.deepEqual(await statusOf(key), [200, undefined])
    await linkPage.goto(link)
    await linkPage.getByRole('heading', { name: /Notes/ }).first().waitFor()
    await linkPage.close()

    await press(page, 'Delete')
    const confirm = page.getByRole('button', { name: 'Delete organization' })
    await page.getByLabel(/to confirm/).fill('kepler')
    assert.equal(await confirm.isDisabled(), true)
    await page.getByLabel(/to confirm/).fill('Kepler')
    await confirm.click()
    await page.getByText('Kepler is being deleted').waitFor()
    await page.getByRole('table').getByText('Being deleted').waitFor()
    assert.deepEqual(await statusOf(key), [401, 'invalid_api_key'])
    await deleteRequested(service.service.features)
    await openInstallation('/organizations')
    await loaded(page)
    assert.equal(await page.getByRole('table').getByText('Kepler').count(), 0)
  })

  it('find the installation in the menu, and search organizations and people', async test => {
    const { page, open, email } = await dashboard.visit(test, { isOperator: true })
    await open('/users')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Manage the installation' }).click()
    await page.getByRole('heading', { level: 1, name: 'Organizations' }).waitFor()
    await page.getByLabel('Find an organization').fill('no such name')
    await page.getByText('No organization found').waitFor()
    await page.getByRole('link', { name: 'People' }).click()
    await page.getByLabel('Find a person').fill(email)
    await page.getByText('(you)').waitFor()
    await page.getByRole('link', { name: 'Health' }).click()
    await page.getByRole('heading', { level: 1, name: 'Health' }).waitFor()
    await page.getByText('Largest tables').waitFor()
    await page.getByRole('link', { name: 'Back to the dashboard' }).click()
    await page.waitForURL(new RegExp(`/o/${dashboard.service.organization.id}/`))
  })

  it('switch between several organizations with the picker', async test => {
    const { service } = dashboard
    // Other test files of the shared service have organizations of the same name.
    const rename = (name: string) =>
      service.query('update organizations set name = $1 where id = $2', [name, service.organization.id])
    await rename('Pulsar')
    test.after(() => rename('Orbit'))
    const other = await service.createOrganization('Quasar')
    await service.createUser({ origin_user_name: 'Only in Quasar' }, other.key)
    const { page, open } = await dashboard.visit(test, { isOperator: true })
    await open('/users')
    await page.getByRole('button', { name: /^Organization: Pulsar/ }).click()
    await page.getByRole('menuitemradio', { name: 'Quasar' }).click()
    await page.waitForURL(new RegExp(other.id))
    await page.getByRole('button', { name: /^Organization: Quasar/ }).waitFor()
    await page.getByRole('link', { name: 'Registered Users' }).click()
    await page.getByText('Only in Quasar').waitFor()
    await page.getByRole('button', { name: /^Organization: Quasar/ }).press('Enter')
    await page.getByRole('menuitemradio', { name: 'Pulsar' }).press('Enter')
    await page.waitForURL(new RegExp(service.organization.id))
  })

  it('make and remove operators, and the last one stays', async test => {
    const { service } = dashboard
    await service.query('delete from operators')
    const { page, openInstallation, email } = await dashboard.visit(test, { isOperator: true })
    await openInstallation(`/people?q=${encodeURIComponent(email)}`)
    await page.getByRole('button', { name: /^Actions for/ }).click()
    await page.getByRole('menuitem', { name: 'Remove as operator' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Remove as operator' }).click()
    await page.getByText(/at least one operator/).waitFor()
  })

  it('are the only ones who see these pages', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/users')
    await page.getByRole('button', { name: /^Account/ }).click()
    await page.getByRole('menuitem', { name: 'Sign out' }).waitFor()
    assert.equal(await page.getByRole('menuitem', { name: 'Manage the installation' }).count(), 0)
    await page.goto(`${dashboard.service.baseUrl}/dashboard/operator/organizations`)
    await page.getByText('Page not found').waitFor()
  })
})

describe('dashboard: a suspended organization', () => {
  it('shows a banner, hides changes, and can be read', async test => {
    const { service } = dashboard
    await service.createUser({ origin_user_name: 'Still Here' })
    const { page, open } = await dashboard.visit(test)
    await service.query("update organizations set state = 'suspended' where id = $1", [
      service.organization.id,
    ])
    try {
      await open('/users')
      await page.getByText('Orbit is suspended.').waitFor()
      await page.getByText('Still Here').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Create user' }).count(), 0)
    } finally {
      await service.query("update organizations set state = 'active' where id = $1", [
        service.organization.id,
      ])
    }
  })
})

describe('dashboard: export and deletion by an administrator', () => {
  it('export: saves the data without credentials, and asks for a recent sign-in', async test => {
    const { page, open } = await dashboard.visit(test)
    await dashboard.service.query("update people_sessions set created_at = created_at - interval '1 hour'")
    await open('/settings/organization')
    await press(page, 'Export')
    const saved = page.waitForEvent('download')
    await page.getByRole('dialog').getByRole('button', { name: 'Export', exact: true }).click()
    await page.getByText('within the last ten minutes').waitFor()
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('Orbit exported').waitFor()
    const file = await saved
    assert.equal(file.suggestedFilename(), 'orbit.jsonl.gz')
    const [header] = gunzipSync(readFileSync(await file.path()))
      .toString()
      .split('\n')
    assert.equal(JSON.parse(header ?? '').organization.name, 'Orbit')
  })

  it('deletion: the person ends on a page that says what happens', async test => {
    const { page, open } = await dashboard.visit(test)
    await open('/settings/organization')
    await press(page, 'Delete organization')
    await page.getByLabel(/to confirm/).fill('Orbit')
    await page.getByRole('dialog').getByRole('button', { name: 'Delete organization' }).click()
    await page.getByRole('heading', { name: 'Orbit is being deleted' }).waitFor()
    await page.getByRole('link', { name: 'Go to Orbit' }).waitFor({ state: 'detached' })
    assert.deepEqual(await statusOf(dashboard.service.organization.key), [401, 'invalid_api_key'])
    await page.goto(`${dashboard.service.baseUrl}/dashboard`)
    await page.getByRole('heading', { name: 'You’re not in an organization yet' }).waitFor()
  })
})
