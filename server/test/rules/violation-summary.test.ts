import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { ruleViolationStore } from '../../src/features/rules/rule-violation-store.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('GET /rule-violations/summary', () => {
  let t: TestService
  let userId: string
  before(async () => {
    t = await joinTestService()
    userId = (await t.createUser()).id
    await violate('EMAIL_ADDRESS', 0, 3)
    await violate('EMAIL_ADDRESS', 0, 2, true)
    await violate('IBAN_CODE', 0, 1)
    await violate('EMAIL_ADDRESS', 3, 1)
    await violate('EMAIL_ADDRESS', 40, 1)
  })
  after(() => t.stop())

  const violate = (entity: string, daysAgo: number, count: number, isDryRun = false) =>
    t.query(
      `insert into rule_violations (organization_id, id, registered_user_id, mode, tool_call_id, connector_slug, tool, at, direction, entity, rule, action,
         count, score, dry_run)
       values ($1, $2, $3, 'production', $2, 'github', 'list_issues', app_now() - $4 * interval '1 day', 'outbound', $5, 'x', 'redact', $6, 1, $7)`,
      [t.organization.id, newUuid(), userId, daysAgo, entity, count, isDryRun],
    )
  const summary = async (query = '', key = t.organization.key) =>
    (await t.call('GET', `/api/v1/rule-violations/summary${query}`, { key })).body

  it('counts by day and entity within the period', async () => {
    const { data, first_day, last_day, is_partial } = await summary()
    assert.equal(Date.parse(last_day) - Date.parse(first_day), 29 * 86_400_000)
    assert.equal(is_partial, false)
    assert.deepEqual(
      data.map(({ entity, violations, matches, dry_run }: Record<string, unknown>) => [
        entity,
        violations,
        matches,
        dry_run,
      ]),
      [
        ['EMAIL_ADDRESS', 1, 1, 0],
        ['EMAIL_ADDRESS', 2, 5, 1],
        ['IBAN_CODE', 1, 1, 0],
      ],
    )
    assert.equal((await summary('?days=2')).data.length, 2)
    assert.equal((await summary('?days=90')).data.length, 4)
  })

  it('has a period and no entries without violations in the mode of the key', async () => {
    const { data, first_day } = await summary('', t.organization.testKey)
    assert.deepEqual(data, [])
    assert.match(first_day, /^\d{4}-\d{2}-\d{2}$/)
  })

  it('counts the latest violations if there are too many', async () => {
    const owner = { organizationId: t.organization.id, mode: 'production' } as const
    const result = await ruleViolationStore.summarize(t.service.features.lists, owner, 30, 3)
    assert.equal(result.is_partial, true)
  })

  it('rejects other periods', async () => {
    for (const days of ['0', '91', 'x', '1.5'])
      assert.equal((await t.call('GET', `/api/v1/rule-violations/summary?days=${days}`)).status, 400)
  })
})
