import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type ApprovalStage, CREATE_NOTE, HOSTILE, PAY, startApprovals } from './support/approvals.ts'
import { type Dashboard, PASSWORD, startDashboard } from './support/dashboard.ts'
import { tabTo } from './support/keyboard.ts'
import { until } from './support/world.ts'

let dashboard: Dashboard
let stage: ApprovalStage
before(async () => {
  dashboard = await startDashboard()
  stage = await startApprovals(dashboard.service)
})
after(async () => {
  await stage.server.stop()
  await dashboard.stop()
})

const statusOf = async (id: string): Promise<string> =>
  (await dashboard.service.call('GET', `/api/v1/approvals/${id}`)).body.status

describe('dashboard: approvals', () => {
  it('approves a call after a recent sign-in, and shows that it ran and its record', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test, { role: 'security' })
    await open('/approvals')
    await page.getByText('No calls are waiting').waitFor()
    const note = { title: 'Launch', text: 'We ship on Friday.' }
    const id = await stage.ask(CREATE_NOTE, note)
    // The list refreshes itself.
    const row = page.getByRole('row').filter({ hasText: 'create_note' })
    await row.getByText('Ana Ruiz').waitFor()
    await row.getByText(/minutes? left$/).waitFor()
    await row.getByText('API key').waitFor()
    await row.getByRole('link').click()
    assert.match(page.url(), new RegExp(`approval=${id}`))
    const drawer = page.getByRole('dialog', { name: 'Approve this call?' })
    await drawer
      .getByRole('heading', { name: /^Notes: .+, with ana@example\.com.*, for Ana Ruiz$/ })
      .waitFor()
    await drawer.getByText('Rule “Writes”').waitFor()
    assert.equal(await drawer.getByRole('group', { name: 'text', exact: true }).textContent(), note.text)
    assert.equal(await drawer.getByText('Text', { exact: true }).count(), 2, 'the roles of both arguments')
    await drawer.getByRole('button', { name: 'Request as it will be sent' }).click()
    await drawer
      .getByRole('group', { name: 'Method and URL' })
      .getByText(/^POST http/)
      .waitFor()

    await dashboard.service.query("update people_sessions set created_at = created_at - interval '1 hour'")
    await drawer.getByRole('button', { name: 'Approve once' }).click()
    await page.getByText('within the last ten minutes').waitFor()
    assert.equal(await statusOf(id), 'pending')
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    const decided = page.getByRole('dialog', { name: 'Approval' })
    await decided.getByText('The call runs when its caller repeats it.').waitFor()
    assert.equal((await stage.call(CREATE_NOTE, note)).title, note.title)
    await decided.getByText('carried out once').waitFor()
    await decided.getByRole('link', { name: 'Open the record of the call' }).click()
    await page.getByRole('heading', { level: 1, name: 'Logs' }).waitFor()
    await page.getByRole('complementary', { name: 'Tool call' }).getByText(CREATE_NOTE).waitFor()

    const other = await stage.ask(CREATE_NOTE, { ...note, title: 'Second' })
    await open('/logs?outcome=approval_required')
    await page.getByRole('table', { name: 'Tool calls' }).getByRole('link').first().click()
    await page.getByRole('link', { name: 'Open the approval' }).click()
    const second = page.getByRole('dialog', { name: 'Approve this call?' })
    await second.getByText('Second').waitFor()
    await second.getByText('Last time: Launch').waitFor()
    await second.getByRole('link', { name: 'Differences from the last approved call' }).waitFor()
    assert.match(page.url(), new RegExp(`approval=${other}`))
    assert.deepEqual(
      browserErrors.filter(error => !/status of 4\d\d/.test(error)),
      [],
    )
  })

  it('denies a call with a reason that its caller gets, and says when somebody else was faster', async test => {
    const { page, open } = await dashboard.visit(test)
    const args = { title: 'Wrong', text: 'Not this one.' }
    const id = await stage.ask(CREATE_NOTE, args)
    await open(`/approvals?approval=${id}`)
    const reason = page.getByLabel('Reason for denying (optional)')
    await reason.fill('Use the team notebook')
    await page.reload()
    assert.equal(await reason.inputValue(), 'Use the team notebook', 'it is kept as a draft')
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText('Denied. The call was not made.').waitFor()
    assert.match((await stage.call(CREATE_NOTE, args)).error?.message ?? '', /Use the team notebook/)

    const late = await stage.ask(CREATE_NOTE, { ...args, title: 'Late' })
    await open(`/approvals?approval=${late}`)
    const approve = page.getByRole('button', { name: 'Approve once' })
    await approve.waitFor()
    // Until the page has sent its decision, it shows the earlier state.
    await page.route('**/api/v1/approvals/*', route =>
      route.request().method() === 'GET' ? undefined : route.continue(),
    )
    await dashboard.service.call('POST', `/api/v1/approvals/${late}/withdraw`)
    await approve.click()
    await page.unrouteAll()
    await page.getByText('Your decision has no effect').waitFor()
    await page.getByText('The request was withdrawn. The call was not made.').waitFor()
    assert.equal(await approve.count(), 0)
  })

  it('shows what the arguments refer to, with marks, and that a part of it could not be loaded', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    const id = await stage.ask(CREATE_NOTE, { title: 'C04T2K9QX', text: 'Hello' })
    const field = (label: string, text: string) => ({ label, text, display_only: false })
    await page.route(`**/api/v1/approvals/${id}/call`, async route => {
      const response = await route.fetch()
      const preview = [
        { is_loaded: true, fields: [field('Channel', 'general'), field('Owner', 'p\u0430ypal\u202E')] },
        { is_loaded: false, fields: [] },
      ]
      await route.fulfill({ response, json: { ...(await response.json()), preview } })
    })
    await open(`/approvals?approval=${id}`)
    const drawer = page.getByRole('dialog', { name: 'Approve this call?' })
    await drawer.getByRole('heading', { name: 'Details from Notes' }).waitFor()
    assert.equal(await drawer.getByRole('definition').first().textContent(), 'general')
    await drawer.getByText('⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩').waitFor()
    await drawer.getByText(/^Mixes letters of different alphabets/).waitFor()
    await drawer.getByText('Some details could not be loaded').waitFor()
    await page.getByRole('button', { name: 'Approve once' }).click()
    await until('the call is approved', async () => (await statusOf(id)) === 'approved')
    assert.deepEqual(browserErrors, [])
  })

  it('shows a hostile call as text only, and cannot approve it before every folded value was opened', async test => {
    const { page, open, browserErrors } = await dashboard.visit(test)
    const long = '🙂\u202E<img src=x onerror=alert(1)>'.repeat(6000)
    const id = await stage.ask(PAY, { ...HOSTILE, long, 'a\u200Bb': 1, file: 'iVBORw0KGgo'.repeat(50) })
    await open(`/approvals?approval=${id}`)
    const drawer = page.getByRole('dialog', { name: 'Approve this call?' })
    await drawer.getByText('The server calls this tool “Send money”.').waitFor()
    await drawer.getByText(/^Destructive/).waitFor()
    assert.equal(
      await drawer.getByRole('group', { name: 'to', exact: true }).textContent(),
      'invoice⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩fdp.exe⟨U+200B ZERO WIDTH SPACE⟩',
    )
    assert.equal(await drawer.getByRole('group', { name: 'text', exact: true }).textContent(), HOSTILE.text)
    await drawer.getByText(/^Mixes letters of different alphabets/).waitFor()
    const approve = page.getByRole('button', { name: 'Approve once' })
    assert.equal(await approve.count(), 1, 'the imitation is no button')
    await drawer.getByText('2 arguments are folded. Open them to approve the call.').waitFor()
    assert.ok(await approve.isDisabled())
    await drawer.getByRole('button', { name: 'Show all of file' }).click()
    await drawer.getByText('One argument is folded. Open it to approve the call.').waitFor()
    assert.ok(await approve.isDisabled())
    await drawer.getByRole('button', { name: 'Show all of long' }).click()
    const shown = drawer.getByRole('group', { name: 'long', exact: true })
    await shown.waitFor()
    assert.equal(await shown.locator('img').count(), 0)
    assert.ok(((await shown.textContent()) ?? '').startsWith('🙂⟨U+202E RIGHT-TO-LEFT OVERRIDE⟩<img src=x'))
    await approve.click()
    await drawer.waitFor({ state: 'detached' })
    assert.equal(await statusOf(id), 'approved')
    await page.getByRole('button', { name: 'Deny after all' }).click()
    await page.getByText('Denied. The call was not made.').waitFor()
    assert.deepEqual(browserErrors, [])
    assert.deepEqual(stage.server.calls, [])
  })

  it('decides with the keyboard alone, and denies everything that waits, of one caller or of all', async test => {
    const { page, open } = await dashboard.visit(test)
    const args = { title: 'By keyboard', text: 'x'.repeat(300) }
    const id = await stage.ask(CREATE_NOTE, args)
    await open('')
    await page.keyboard.press('g')
    await page.keyboard.press('v')
    await page.getByRole('heading', { level: 1, name: 'Approvals' }).waitFor()
    const link = page.getByRole('table', { name: 'Approvals' }).getByRole('link').first()
    await link.waitFor()
    await tabTo(page, 'create_note')
    await page.keyboard.press('Enter')
    await page.getByRole('dialog').getByText('By keyboard').waitFor()
    await tabTo(page, 'Show all of text')
    await page.keyboard.press('Enter')
    await tabTo(page, 'Approve once')
    await page.keyboard.press('Enter')
    await until('the call is approved', async () => (await statusOf(id)) === 'approved')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })

    const waiting = [await stage.ask(PAY, { amount: 1 }), await stage.ask(PAY, { amount: 2 })]
    const { key } = (
      await dashboard.service.call('POST', '/api/v1/api-keys', { body: { mode: 'production' } })
    ).body
    const ofOther = await stage.ask(PAY, { amount: 1 }, key)
    await open(`/approvals?approval=${ofOther}`)
    await page.getByRole('button', { name: 'Deny all calls of this caller…' }).click()
    await page.getByRole('button', { name: 'Deny all', exact: true }).click()
    await page.getByText('1 call denied').waitFor()
    assert.equal(await statusOf(ofOther), 'denied')
    for (const each of waiting) assert.equal(await statusOf(each), 'pending')
    await page.keyboard.press('Escape')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page
      .getByRole('navigation', { name: 'Pages' })
      .getByTitle(/waiting for a decision/)
      .waitFor()
    await page.getByRole('button', { name: 'Deny all…' }).click()
    await page.getByLabel('Reason (optional)').fill('Too many')
    await page.getByRole('button', { name: 'Deny all', exact: true }).click()
    await page.getByText(/calls denied/).waitFor()
    for (const each of waiting) assert.equal(await statusOf(each), 'denied')
    await page.getByText('No calls are waiting').waitFor()
  })

  it('shows the state but not the call to members without the permission', async test => {
    const { page, open } = await dashboard.visit(test, { role: 'developer' })
    const id = await stage.ask(CREATE_NOTE, { title: 'Confidential', text: 'Salaries' })
    await open('/approvals')
    await page.getByRole('row').filter({ hasText: 'create_note' }).getByRole('link').click()
    const drawer = page.getByRole('dialog', { name: 'Approval' })
    await drawer.getByText('Only administrators and security members see and decide calls.').waitFor()
    await drawer.getByText('Rule “Writes”').waitFor()
    assert.match(page.url(), new RegExp(id))
    assert.ok(!(await page.content()).includes('Salaries'))
    assert.equal(await page.getByRole('button', { name: /Approve|Deny/ }).count(), 0)
  })
})
