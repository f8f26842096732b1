import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Dashboard, loaded, startDashboard } from './support/dashboard.ts'
import { recordViolation } from './support/violations.ts'
import { until } from './support/world.ts'

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
    await page.getByLabel('Email address, results').selectOption('redact')
    await page.getByLabel('Credit card, arguments').selectOption('block')
    await page.getByRole('button', { name: 'Add rule' }).click()
    await page.getByLabel('Label').fill('employee_id')
    await page.getByLabel('Pattern').fill('(a+)+$')
    await page.getByRole('dialog').getByRole('button', { name: 'Add rule' }).click()
    await page.getByText('3 unsaved changes').waitFor()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const dialog = page.getByRole('dialog', { name: 'Save 3 changes?' })
    await dialog.getByRole('listitem').nth(2).waitFor()
    assert.equal(await dialog.getByRole('listitem').count(), 3)
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('button', { name: 'Edit EMPLOYEE_ID' }).click()
    await page.getByLabel('Pattern').fill('EMP-\\d{6}')
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    const { body } = await service.call('GET', '/api/v1/security-rules')
    assert.deepEqual(body.entities, {
      EMAIL_ADDRESS: { outbound_action: 'redact' },
      CREDIT_CARD: { inbound_action: 'block' },
    })
    assert.equal(body.custom_rules[0].label, 'EMPLOYEE_ID')

    await page.getByRole('tab', { name: 'Test' }).click()
    await page.getByLabel('Text to test').fill('Mail ana@example.com about EMP-123456')
    await page.getByRole('button', { name: 'Test text' }).click()
    const asResult = page.getByRole('group', { name: 'As result' })
    await asResult.getByText('Passes redacted').waitFor()
    assert.deepEqual(await asResult.locator('mark').allTextContents(), [
      'ana@example.comEMAIL_ADDRESS',
      'EMP-123456EMPLOYEE_ID',
    ])
    await asResult.getByText('Mail [REDACTED:EMAIL_ADDRESS] about [REDACTED:EMPLOYEE_ID]').waitFor()
    const asArguments = page.getByRole('group', { name: 'As arguments' })
    await asArguments.getByText('Passes and is recorded').waitFor()
    assert.deepEqual(await asArguments.locator('mark').allTextContents(), ['EMP-123456EMPLOYEE_ID'])
  })

  it('groups and presets fill the draft, which the tester applies before it is saved', async test => {
    const { service } = dashboard
    await service.call('PUT', '/api/v1/security-rules', { body: {} })
    const { page, open } = await dashboard.visit(test, { role: 'security' })
    await open('/security')
    await page.getByText('Rules apply in test and production mode.').waitFor()
    await page.getByRole('rowheader', { name: 'Identity numbers: Germany 0 of 3 on' }).waitFor()
    await page.getByRole('button', { name: 'Turn on all: Contact data' }).click()
    await page.getByText('8 unsaved changes').waitFor()
    await page.getByRole('button', { name: 'Turn off all: Contact data' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
    await page.getByLabel('Credit card, results').selectOption('block')
    await page.getByRole('button', { name: 'Apply a preset' }).click()
    await page.getByRole('menuitem', { name: /^Payment data/ }).click()
    await page.getByRole('rowheader', { name: 'Finance 4 of 4 on' }).waitFor()
    assert.equal(await page.getByLabel('Credit card, arguments').inputValue(), 'block')
    assert.equal(await page.getByLabel('Credit card, results').inputValue(), 'block', 'not weakened')

    await page.getByRole('tab', { name: 'Test' }).click()
    await page.getByText('Your 8 unsaved changes apply.').waitFor()
    await page.getByLabel('Text to test').fill('IBAN DE89 3704 0044 0532 0130 00')
    await page.getByRole('button', { name: 'Test text' }).click()
    await page.getByRole('group', { name: 'As arguments' }).getByText('Passes and is recorded').waitFor()
    await page.getByRole('group', { name: 'As result' }).getByText('Passes redacted').waitFor()
    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.reload()
    await page.getByText('8 unsaved changes').waitFor()
    const { body } = await service.call('GET', '/api/v1/security-rules')
    assert.deepEqual(body.entities, {}, 'nothing is saved')
    await page.getByRole('button', { name: 'Discard', exact: true }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
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
    await page.getByRole('button', { name: 'Tune Email address' }).click()
    const dialog = page.getByRole('dialog', { name: 'Tune Email address' })
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
    await page.getByRole('button', { name: 'Apply', exact: true }).click()
    await page.getByRole('button', { name: 'Review and save' }).click()
    const review = page.getByRole('dialog', { name: 'Save 4 changes?' })
    assert.match((await review.textContent()) ?? '', /US SSN, threshold.*0\.4.*Default/)
    await review.getByRole('button', { name: 'Save' }).click()
    await page.getByText('unsaved change').waitFor({ state: 'detached' })
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
    const input = page.getByLabel('JSON to test')
    await input.fill('{"broken":')
    await page.getByRole('button', { name: 'Test JSON' }).click()
    await page.getByText(/^This is not valid JSON/).waitFor()
    await input.fill(
      JSON.stringify({
        to: ['"Ana"\n<ana@example.com>'],
        'bo@example.com': { card: 4111111111111111, note: '' },
      }),
    )
    await page.getByRole('button', { name: 'Test JSON' }).click()
    const tested = page.getByRole('group', { name: 'As arguments' })
    await tested.getByText('Passes redacted').waitFor()
    await page.getByRole('group', { name: 'As result' }).getByText('Passes unchanged').waitFor()
    assert.deepEqual(await tested.locator('mark').allTextContents(), [
      'ana@example.comEMAIL_ADDRESS',
      'bo@example.comEMAIL_ADDRESS',
      '4111111111111111CREDIT_CARD',
    ])
    const shown = await tested.getByRole('region', { name: /The value with its matches/i }).textContent()
    assert.match(shown ?? '', /"\\"Ana\\"\\n<ana@example\.com/)
    const matches = await tested
      .getByRole('list', { name: 'Matches' })
      .getByRole('listitem')
      .allTextContents()
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
    await page.getByRole('button', { name: 'Remove this pack’s rules' }).waitFor()
    const own = await service.call('GET', `/api/v1/tool-packs/${pack.id}/security-rules`)
    assert.equal(own.body.dry_run, true)
    await page.getByRole('button', { name: 'Remove this pack’s rules' }).click()
    await page.getByText('This Tool Pack now uses the organization’s rules').waitFor()
  })

  it('shows violations by day and entity, filtered by a shared URL', async test => {
    const { service } = dashboard
    const ana = await service.createUser({ origin_user_id: 'ana', origin_user_name: 'Ana Ruiz' })
    const ben = await service.createUser({ origin_user_id: 'ben', origin_user_name: 'Ben Adler' })
    for (const [entity, days, user] of [
      ['EMAIL_ADDRESS', 0, ana],
      ['EMAIL_ADDRESS', 2, ben],
      ['US_SSN', 1, ana],
    ] as const)
      await recordViolation(service, { entity, days, userId: user.id })
    const { page, open } = await dashboard.visit(test, { role: 'read_only' })
    await open('/security?tab=violations')
    await page.getByRole('img', { name: '3 violations in 30 days, at most 1 on one day' }).waitFor()
    const table = page.getByRole('table', { name: 'Violations' })
    await table.getByRole('link', { name: 'Ana Ruiz' }).first().waitFor()
    assert.match(
      (await table.getByRole('link', { name: 'sandbox-notes__list_notes' }).first().getAttribute('href')) ??
        '',
      /\/logs\?range=30d&call=/,
    )
    await page.getByRole('combobox', { name: 'Find a user' }).fill('Ben')
    await page.getByRole('option', { name: /Ben Adler/ }).click()
    await page.getByRole('button', { name: /Ben Adler/ }).waitFor()
    await until('only violations of Ben', async () => (await table.getByRole('link').count()) === 2)
    assert.match(page.url(), new RegExp(`user=${ben.id}`))
    await open('/security?tab=violations&entity=US_SSN')
    await loaded(page)
    assert.equal(
      await page.getByRole('table', { name: 'Violations' }).locator('tbody tr[data-index]').count(),
      1,
    )
    await page.getByRole('tab', { name: 'Rules' }).click()
    await page.getByLabel('Email address, results').waitFor()
    assert.ok(await page.getByLabel('Email address, results').isDisabled())
    assert.equal(await page.getByRole('button', { name: 'Review and save' }).count(), 0)
  })
})
