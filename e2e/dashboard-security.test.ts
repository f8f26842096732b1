import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newUuid } from '../server/src/core/uuid.ts'
import { type Dashboard, loaded, startDashboard } from './support/dashboard.ts'

let dashboard: Dashboard
before(async () => {
  dashboard = await startDashboard()
})
after(() => dashboard.stop())

describe('dashboard: Security Gateway', () => {
  it('saves rules as one change with a summary, and the tester applies them', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test, { role: 'security' })
    await open('/security')
    await page.getByLabel('E-mail address, results').selectOption('redact')
    await page.getByLabel('Credit card, arguments').selectOption('block')
    await page.getByRole('button', { name: 'Add a rule' }).click()
    await page.getByLabel('Label').fill('employee_id')
    await page.getByLabel('Pattern').fill('(a+)+$')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByText('3 changes, not saved yet').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save 3 changes?' })
    await dialog.getByRole('listitem').nth(2).waitFor()
    assert.equal(await dialog.getByRole('listitem').count(), 3)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Edit EMPLOYEE_ID' }).click()
    await page.getByLabel('Pattern').fill('EMP-\\d{6}')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('No changes').waitFor()
    const { body } = await service.call('GET', '/api/v1/security-rules')
    assert.deepEqual(body.entities, {
      EMAIL_ADDRESS: { outbound_action: 'redact' },
      CREDIT_CARD: { inbound_action: 'block' },
    })
    assert.equal(body.custom_rules[0].label, 'EMPLOYEE_ID')

    await page.getByRole('tab', { name: 'Test' }).click()
    await page.getByLabel('Text to test').fill('Mail ana@example.com about EMP-123456')
    await page.getByRole('button', { name: 'Test the text' }).click()
    await page.getByText('Passes redacted').waitFor()
    assert.deepEqual(await page.locator('mark').allTextContents(), [
      'ana@example.comEMAIL_ADDRESS',
      'EMP-123456EMPLOYEE_ID',
    ])
    await page.getByText('Mail [REDACTED:EMAIL_ADDRESS] about [REDACTED:EMPLOYEE_ID]').waitFor()
  })

  it('tunes an entity and a custom rule, and keeps what another person set', async test => {
    const { service } = dashboard
    await service.call('PUT', '/api/v1/security-rules', {
      body: {
        entities: { US_SSN: { outbound_action: 'block', threshold: 0.4, context_words: ['member'] } },
        custom_rules: [{ label: 'BADGE', pattern: 'B-\\d{4}', outbound_action: 'log' }],
      },
    })
    const { page, open } = await dashboard.visit(test, { role: 'security' })
    await open('/security')
    await page.getByText('Threshold 0.4 · Context: member').waitFor()
    await page.getByRole('button', { name: 'Tune E-mail address' }).click()
    const dialog = page.getByRole('dialog', { name: 'Tune E-mail address' })
    await dialog.getByLabel('Threshold').fill('1.5')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    assert.ok(await dialog.isVisible(), 'a threshold above 1 is not accepted')
    await dialog.getByLabel('Threshold').fill('0.85')
    await dialog.getByLabel('Context words').fill(`${'x'.repeat(41)}, mail`)
    await dialog.getByText(/more than 40 characters/).waitFor()
    await dialog.getByLabel('Context words').fill('mail, write to , mail')
    await dialog.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Tune US SSN' }).click()
    await page.getByLabel('Threshold').fill('')
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByRole('button', { name: 'Edit BADGE' }).click()
    await page.getByLabel('Context words').fill('badge')
    await page.getByRole('button', { name: 'Change', exact: true }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const review = page.getByRole('dialog', { name: 'Save 4 changes?' })
    assert.match((await review.textContent()) ?? '', /US SSN, threshold.*0\.4.*Default/)
    await review.getByRole('button', { name: 'Save' }).click()
    await page.getByText('No changes').waitFor()
    const { body } = await service.call('GET', '/api/v1/security-rules')
    assert.deepEqual(body.entities, {
      EMAIL_ADDRESS: { threshold: 0.85, context_words: ['mail', 'write to'] },
      US_SSN: { outbound_action: 'block', context_words: ['member'] },
    })
    assert.deepEqual(body.custom_rules[0].context_words, ['badge'])
  })

  it('the tester takes JSON, and marks matches in names, strings and numbers by their path', async test => {
    const { service } = dashboard
    await service.call('PUT', '/api/v1/security-rules', {
      body: {
        entities: {
          EMAIL_ADDRESS: { inbound_action: 'redact' },
          CREDIT_CARD: { inbound_action: 'redact' },
        },
      },
    })
    const { page, open } = await dashboard.visit(test, { role: 'read_only' })
    await open('/security?tab=test')
    await page.getByRole('button', { name: /^Format/ }).click()
    await page.getByRole('menuitemradio', { name: 'JSON' }).click()
    await page.getByRole('button', { name: /^As/ }).click()
    await page.getByRole('menuitemradio', { name: 'Arguments' }).click()
    const input = page.getByLabel('JSON to test')
    await input.fill('{"broken":')
    await page.getByRole('button', { name: 'Test the JSON' }).click()
    await page.getByText(/^This is not valid JSON/).waitFor()
    await input.fill(
      JSON.stringify({
        to: ['"Ana"\n<ana@example.com>'],
        'bo@example.com': { card: 4111111111111111, note: '' },
      }),
    )
    await page.getByRole('button', { name: 'Test the JSON' }).click()
    await page.getByText('Passes redacted').waitFor()
    assert.deepEqual(await page.locator('mark').allTextContents(), [
      'ana@example.comEMAIL_ADDRESS',
      'bo@example.comEMAIL_ADDRESS',
      '4111111111111111CREDIT_CARD',
    ])
    const shown = await page.getByRole('region', { name: 'The value with its matches' }).textContent()
    assert.match(shown ?? '', /"\\"Ana\\"\\n<ana@example\.com/)
    const matches = await page.getByRole('list', { name: 'Matches' }).getByRole('listitem').allTextContents()
    assert.match(matches.join('\n'), /to\[0\]/)
    assert.match(matches.join('\n'), /bo@example\.com\.card/)
    assert.match(matches.join('\n'), /bo@example\.com \(name\)/)
  })

  it('sets rules of a Tool Pack, and a dry run', async test => {
    const { service } = dashboard
    const { page, open } = await dashboard.visit(test)
    const { body: packs } = await service.call('GET', '/api/v1/tool-packs')
    const [pack] = packs.data
    await open(`/security?pack=${pack.id}`)
    await loaded(page)
    await page.getByRole('switch', { name: /Dry run/ }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
    await page.getByRole('button', { name: 'Remove the rules of this Tool Pack' }).waitFor()
    const own = await service.call('GET', `/api/v1/tool-packs/${pack.id}/security-rules`)
    assert.equal(own.body.dry_run, true)
    await page.getByRole('button', { name: 'Remove the rules of this Tool Pack' }).click()
    await page.getByText('The rules of the organization apply').waitFor()
  })

  it('shows violations by day and entity, filtered by a shared URL', async test => {
    const { service } = dashboard
    const user = await service.createUser({ origin_user_id: 'violator' })
    for (const [entity, days] of [
      ['EMAIL_ADDRESS', 0],
      ['EMAIL_ADDRESS', 2],
      ['US_SSN', 1],
    ])
      await service.query(
        `insert into rule_violations (organization_id, id, registered_user_id, mode, tool_call_id, at, direction, entity, rule, action,
           count, score, dry_run)
         values ($1, $2, $3, 'production', $2, app_now() - $4 * interval '1 day', 'outbound', $5, 'x', 'redact', 2, 1, true)`,
        [service.organization.id, newUuid(), user.id, days, entity],
      )
    const { page, open } = await dashboard.visit(test, { role: 'read_only' })
    await open('/security?tab=violations')
    await page.getByRole('img', { name: '3 violations in 30 days, at most 1 on one day' }).waitFor()
    await open('/security?tab=violations&entity=US_SSN')
    await loaded(page)
    assert.equal(
      await page.getByRole('table', { name: 'Violations' }).locator('tbody tr[data-index]').count(),
      1,
    )
    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.getByLabel('E-mail address, results').waitFor()
    assert.ok(await page.getByLabel('E-mail address, results').isDisabled())
    assert.equal(await page.getByRole('button', { name: 'Review and save' }).count(), 0)
  })
})
