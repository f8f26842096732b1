import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ruleViolationStore } from '../../src/features/rules/rule-violation-store.ts'
import { violationsToRecord } from '../../src/features/rules/violations-to-record.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const RULES = '/api/v1/security-rules'

describe('security rules by API', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
  })
  after(() => t.stop())

  const put = (body: object, key = t.organization.key) => t.call('PUT', RULES, { body, key })
  const testRules = (body: object, key = t.organization.key) => t.call('POST', `${RULES}/test`, { body, key })
  const custom = (rule: object) => ({ custom_rules: [{ label: 'STAFF', pattern: 'EMP-\\d{4}', ...rule }] })

  it('invalid rules are rejected with the invalid field, and nothing is saved', async () => {
    const earlier = (await t.call('GET', RULES)).text
    const words = (count: number) => Array.from({ length: count }, (_, n) => `word${n}`)
    for (const [body, code, param] of [
      [{ entities: { EMAIL: {} } }, 'unknown_field', 'entities.EMAIL'],
      [{ entities: { constructor: {} } }, 'unknown_field', 'entities.constructor'],
      [{ entities: { URL: { outbound: 'block' } } }, 'unknown_field', 'entities.URL.outbound'],
      [{ entities: { URL: { outbound_action: 'drop' } } }, 'invalid_request', 'entities.URL.outbound_action'],
      [{ entities: { URL: { threshold: 1.1 } } }, 'invalid_request', 'entities.URL.threshold'],
      [
        { entities: { URL: { context_words: ['a', '12'] } } },
        'invalid_request',
        'entities.URL.context_words.1',
      ],
      [{ entities: { URL: { context_words: words(21) } } }, 'invalid_request', 'entities.URL.context_words'],
      [{ entities: { URL: null } }, 'invalid_request', 'entities.URL'],
      [custom({ label: 'staff' }), 'invalid_request', 'custom_rules.0.label'],
      [custom({ label: 'EMAIL_ADDRESS' }), 'invalid_request', 'custom_rules.0.label'],
      [custom({ label: 'CREDENTIAL' }), 'invalid_request', 'custom_rules.0.label'],
      [custom({ threshold: 1 }), 'unknown_field', 'custom_rules.0.threshold'],
      [
        { custom_rules: [...custom({}).custom_rules, ...custom({}).custom_rules] },
        'duplicate_choice',
        'custom_rules.1.label',
      ],
      [
        { custom_rules: Array.from({ length: 51 }, (_, n) => ({ label: `L${n}`, pattern: 'x' })) },
        'invalid_request',
        'custom_rules',
      ],
    ] as const) {
      const refused = await put(body)
      const { error } = refused.body
      assert.deepEqual([refused.status, error.code, error.param], [400, code, param], JSON.stringify(body))
    }
    assert.equal((await t.call('GET', RULES)).text, earlier)
  })

  it('patterns that could be slow are rejected, with advice', async () => {
    for (const [pattern, why] of [
      ['(a+)+$', /upper bound/],
      ['(.*)*x', /upper bound/],
      ['\\d+x', /upper bound/],
      ['(?<=a)b', /Lookaround/],
      ['(a)\\1', /Lookaround/],
      ['(', /not a regular expression/],
      ['a*', /at least one character/],
      ['a'.repeat(201), /longer than 200/],
    ] as const) {
      const { body, status } = await put(custom({ pattern }))
      assert.deepEqual([status, body.error.param], [400, 'custom_rules.0.pattern'], pattern)
      assert.match(body.error.message, why, pattern)
    }
  })

  it('a test key can read and test rules, but not change them', async () => {
    const { testKey } = t.organization
    const pack = `/api/v1/tool-packs/${t.organization.toolPackId}/security-rules`
    for (const [method, path] of [
      ['PUT', RULES],
      ['PATCH', RULES],
      ['PUT', pack],
      ['DELETE', pack],
    ] as const) {
      const body = method === 'DELETE' ? {} : { body: { dry_run: true } }
      assert.equal(
        (await t.call(method, path, { key: testKey, ...body })).body.error.code,
        'production_key_required',
      )
    }
    assert.equal((await t.call('GET', RULES, { key: testKey })).status, 200)
    assert.equal((await t.call('GET', pack, { key: testKey })).status, 200)
    assert.equal((await testRules({ text: 'x' }, testKey)).body.action, 'none')
  })

  it('violations have the retention period of the plan', async () => {
    const { db } = t.service.features
    const user = await t.createUser()
    const found = {
      entity: 'URL',
      rule: 'url',
      direction: 'outbound',
      action: 'log',
      count: 1,
      score: 1,
    } as const
    const ages = [800, 400, 100, 1]
    for (const days of ages) {
      const violations = violationsToRecord([{ ...found, count: days, dry_run: false }])
      await t.query(`select record_violations($1, $2, $2, 'github', 'list_issues', $3::jsonb)`, [
        t.organization.id,
        user.id,
        JSON.stringify(violations),
      ])
      await t.query(
        `update rule_violations set at = app_now() - interval '${days} days' where organization_id = $1 and count = $2`,
        [t.organization.id, days],
      )
    }
    for (const [plan, left] of [
      ['enterprise', [400, 100, 1]],
      ['business', [100, 1]],
      ['free', [1]],
    ] as const) {
      await t.query('update organizations set plan = $2 where id = $1', [t.organization.id, plan])
      await ruleViolationStore.deleteOld(db)
      const kept = await t.query(
        'select count from rule_violations where organization_id = $1 order by count desc',
        [t.organization.id],
      )
      assert.deepEqual(
        kept.map(({ count }) => count),
        left,
      )
    }
    await t.query('delete from rule_violations')
  })

  it('concurrent patches keep each other’s changes', async () => {
    await put({})
    const entities = ['URL', 'IP_ADDRESS', 'US_SSN', 'CRYPTO', 'IBAN_CODE']
    await Promise.all(
      entities.map(name =>
        t.call('PATCH', RULES, { body: { entities: { [name]: { outbound_action: 'log' } } } }),
      ),
    )
    const saved = (await t.call('GET', RULES)).body
    assert.deepEqual(Object.keys(saved.entities).toSorted(), entities.toSorted())
    assert.equal(saved.effective.entities.CRYPTO.outbound_action, 'log')
    await put({})
  })

  it('the tester reports the matches in a text: position, confidence, reason and action', async () => {
    await put({ entities: { EMAIL_ADDRESS: { outbound_action: 'redact', inbound_action: 'block' } } })
    const text = 'mail jane@example.com, key EMP-1234'
    const { body, status } = await testRules({ text })
    assert.equal(status, 200)
    const [match] = body.matches
    assert.deepEqual(
      [match.entity, text.slice(match.start, match.end), match.action],
      ['EMAIL_ADDRESS', 'jane@example.com', 'redact'],
    )
    assert.ok(match.score > 0.5 && typeof match.rule === 'string' && Array.isArray(match.context_words))
    assert.deepEqual([body.action, body.redacted], ['redact', 'mail [REDACTED:EMAIL_ADDRESS], key EMP-1234'])
    const inbound = (await testRules({ text, direction: 'inbound' })).body
    assert.deepEqual([inbound.action, inbound.redacted], ['block', null])
    const draft = (await testRules({ text, rules: custom({ outbound_action: 'redact' }) })).body
    assert.equal(draft.redacted, 'mail jane@example.com, key [REDACTED:STAFF]')
    const pack = { tool_pack_id: t.organization.toolPackId, rules: custom({ outbound_action: 'redact' }) }
    assert.equal(
      (await testRules({ text, ...pack })).body.redacted,
      'mail [REDACTED:EMAIL_ADDRESS], key [REDACTED:STAFF]',
    )
    const value = (await testRules({ value: { 'a@example.com': ['b@example.com'] } })).body
    assert.deepEqual(
      value.matches.map(({ places }: any) => places[0]),
      [
        { path: ['a@example.com'], in: 'key', start: 0, end: 13 },
        { path: ['a@example.com', 0], in: 'value', start: 0, end: 13 },
      ],
    )
    const context = {
      entities: { US_SSN: { outbound_action: 'redact', context_words: ['Mitgliedsnummer'] } },
    }
    const raised = (await testRules({ text: 'Mitgliedsnummer 123456780', rules: context })).body.matches[0]
    assert.deepEqual([raised?.entity, raised?.context_words], ['US_SSN', ['mitgliedsnummer']])
  })

  it('the tester accepts 1 MB, rejects invalid input, and stores nothing', async () => {
    const whole = await testRules({ text: 'x '.repeat(512 * 1024) })
    assert.equal(whole.status, 200)
    for (const [body, status, param] of [
      [{}, 400, 'text'],
      [{ text: 'a', value: 1 }, 400, 'text'],
      [{ text: 'a', direction: 'sideways' }, 400, 'direction'],
      [{ text: 'a', rules: { entities: { NOPE: {} } } }, 400, 'rules.entities.NOPE'],
      [{ text: 'a', rules: custom({ pattern: '(a+)+$' }) }, 400, 'rules.custom_rules.0.pattern'],
      [{ text: 'a', tool_pack_id: 'nobodys' }, 404, undefined],
    ] as const) {
      const refused = await testRules(body)
      assert.deepEqual([refused.status, refused.body.error.param], [status, param], JSON.stringify(body))
    }
    const canary = 'canary.in.the.tester@example.com'
    await t.call('POST', `${RULES}/test`, { body: { text: canary }, headers: { 'idempotency-key': 'a-key' } })
    assert.ok(!t.logLines.some(line => line.includes(canary)))
    for (const table of ['idempotency_keys', 'rule_violations'])
      assert.deepEqual(
        await t.query(`select from ${table} where organization_id = $1`, [t.organization.id]),
        [],
        table,
      )
  })
})
