import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { runWords } from '../packages/cli/test/run-words.ts'
import { type ApprovalStage, CREATE_NOTE, startApprovals } from './support/approvals.ts'
import { type Dashboard, startDashboard } from './support/dashboard.ts'

let dashboard: Dashboard
let stage: ApprovalStage
let folder: string
before(async () => {
  dashboard = await startDashboard()
  stage = await startApprovals(dashboard.service)
  folder = mkdtempSync(join(tmpdir(), 'carabiner-receipts-'))
})
after(async () => {
  rmSync(folder, { recursive: true, force: true })
  await stage.server.stop()
  await dashboard.stop()
})

const statusOf = async (id: string): Promise<string> =>
  (await dashboard.service.call('GET', `/api/v1/approvals/${id}`)).body.status

/** A device with a fingerprint reader. */
const addAuthenticator = async (page: Page) => {
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('WebAuthn.enable')
  const { authenticatorId } = await devtools.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    recognizesPerson: (isUserVerified: boolean) =>
      devtools.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
  }
}

describe('dashboard: approvals with a passkey', () => {
  it('a rule asks for a passkey, a member adds one and approves with it, and the receipt is verified offline [approval.step-up] [approval.receipt-offline]', async test => {
    const { service } = dashboard
    const { page, email, open, browserErrors } = await dashboard.visit(test)
    const authenticator = await addAuthenticator(page)
    await open('/policies')
    await page.getByRole('link', { name: 'Writes' }).click()
    await page.getByRole('checkbox', { name: /^The user/ }).click()
    assert.equal(await page.getByRole('checkbox', { name: /^With a passkey/ }).count(), 0)
    await page.getByRole('checkbox', { name: /^The user/ }).click()
    await page.getByRole('checkbox', { name: /^With a passkey/ }).click()
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    await open('/policies')
    await page.getByRole('table', { name: 'Rules' }).getByText('Members, with a passkey').waitFor()

    const note = { title: 'Launch', text: 'We ship on Friday.' }
    const id = await stage.ask(CREATE_NOTE, note)
    await open(`/approvals?approval=${id}`)
    const drawer = page.getByRole('dialog', { name: 'Approve this call?' })
    await drawer.getByText('A member approves with a passkey.').waitFor()
    const approve = drawer.getByRole('button', { name: 'Approve with passkey' })
    await drawer.getByText('and you have none').waitFor()
    assert.ok(await approve.isDisabled())
    await drawer.getByRole('link', { name: 'Add a passkey' }).click()
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('button', { name: /^Remove Chrome/ }).waitFor()

    await open(`/approvals?approval=${id}`)
    await authenticator.recognizesPerson(false)
    await approve.click()
    await drawer.getByText(/^Nothing was approved\./).waitFor()
    assert.equal(await statusOf(id), 'pending')
    await authenticator.recognizesPerson(true)
    await approve.click()
    const decided = page.getByRole('dialog', { name: 'Approval' })
    await decided.getByText('The call runs when its caller repeats it.').waitFor()

    const save = async (button: string): Promise<string> => {
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        decided.getByRole('button', { name: button }).click(),
      ])
      const path = join(folder, file.suggestedFilename())
      await file.saveAs(path)
      return path
    }
    const receipt = await save('Download receipt')
    const call = await save('Download call')
    const keys = join(folder, 'keys.json')
    const published = await service.call('GET', '/.well-known/carabiner-receipts.json', { key: null })
    writeFileSync(keys, published.text)
    const verified = await runWords(['verify-receipt', receipt, '--key', keys, '--call', call], {})
    assert.match(verified.text, /^The receipt is valid\./)
    assert.match(verified.text, new RegExp(`Approved +${CREATE_NOTE}, once`))
    assert.match(verified.text, new RegExp(`By +Mia Olsen <${email}>`))

    assert.equal((await stage.call(CREATE_NOTE, note)).title, note.title)
    await decided.getByText('carried out once').waitFor()
    assert.deepEqual(browserErrors, [])
  })

  it('denies without a passkey, and members without the permission get the receipt only [approval.step-up]', async test => {
    const { service } = dashboard
    const { body } = await service.call('GET', '/api/v1/policy-rules')
    const rule = body.data.find(({ name }: { name: string }) => name === 'Writes')
    await service.call('PATCH', `/api/v1/policy-rules/${rule.id}`, { body: { step_up: true } })
    const denied = await stage.ask(CREATE_NOTE, { title: 'No', text: 'No.' })
    const { page, open } = await dashboard.visit(test, { role: 'security' })
    await open(`/approvals?approval=${denied}`)
    await page.getByRole('button', { name: 'Deny', exact: true }).click()
    await page.getByText('Denied. The call was not made.').waitFor()
    assert.equal(await page.getByRole('button', { name: 'Download receipt' }).count(), 0)

    const signed = await stage.ask(CREATE_NOTE, { title: 'Yes', text: 'Yes.' })
    await addAuthenticator(page)
    await open('/settings/account')
    await page.getByRole('button', { name: 'Add passkey' }).click()
    await page.getByRole('button', { name: /^Remove Chrome/ }).waitFor()
    await open(`/approvals?approval=${signed}`)
    await page.getByRole('button', { name: 'Approve with passkey' }).click()
    await page.getByText('The call runs when its caller repeats it.').waitFor()
    const reader = await dashboard.visit(test, { role: 'read_only' })
    await reader.open(`/approvals?approval=${signed}`)
    await reader.page.getByRole('button', { name: 'Download receipt' }).waitFor()
    assert.equal(await reader.page.getByRole('button', { name: 'Download call' }).count(), 0)
  })
})
