import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { NIL_UUID } from '../../src/core/uuid.ts'
import type { CompiledRuleSet } from '../../src/features/rules/compile-rule-set.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { type StubMcp, startStubMcp, text } from '../support/stub-mcp.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'
import { caller } from '../support/tool-calls.ts'

const EMAIL = 'jane.roe@example.com'
const CARD = 4111111111111111
const MAIL_OUT = (action: string) => ({ entities: { EMAIL_ADDRESS: { outbound_action: action } } })
/** Uses CPU time of this thread, which is what the budget measures, so that a busy machine does not change the result. */
const burn = (milliseconds: number): void => {
  const { user } = process.threadCpuUsage()
  while (process.threadCpuUsage().user - user < milliseconds * 1000);
}
const MAIL_IN = (action: string) => ({ entities: { EMAIL_ADDRESS: { inbound_action: action } } })

for (const engine of flowEngines) {
  describe(`the Security Gateway on ${engine}`, () => {
    let t: TestService
    let crm: StubMcp
    let user: { id: string }

    before(async () => {
      t = await joinTestService(engine)
      crm = await startStubMcp()
      await add(t.organization)
    })
    after(async () => {
      await t.stop()
      await crm.stop()
    })
    beforeEach(async () => {
      await rules({})
      crm.answer = text('fine')
      crm.progress = []
      crm.received.length = 0
      user = await t.createUser()
    })

    const add = async ({ key }: TestOrganization) => {
      const body = { name: 'CRM', slug: 'crm', url: crm.url }
      assert.equal((await t.call('POST', '/api/v1/connectors', { key, body })).status, 201)
    }
    const rules = async (body: object, key = t.organization.key) => {
      const saved = await t.call('PUT', '/api/v1/security-rules', { body, key })
      assert.equal(saved.status, 200, saved.text)
      return saved.body
    }
    const lookUp = async (args: object = {}, options = {}, id = user.id) =>
      (await t.mcp(id, 'tools/call', { name: 'crm__lookup', arguments: args }, options)).body.result
    const records = () =>
      t.query(
        'select outcome, counted, error_code from tool_calls where registered_user_id = $1 order by id',
        [user.id],
      )
    const violations = async (query = `?registered_user_id=${user.id}`, key = t.organization.key) =>
      (await t.call('GET', `/api/v1/rule-violations${query}`, { key })).body.data
    /** Calls have no rows in `events`: their records are the source of their events. */
    const callEvents = async () =>
      (await t.events(user.id)).filter(({ type }) => /^(?:tool_call|rule)\./.test(type))
    const isBlocked = (result: any, entity: string) => {
      assert.equal(result.isError, true)
      assert.equal(result.structuredContent.error.code, 'security_rule_blocked')
      assert.match(result.structuredContent.error.message, new RegExp(`security rule fired \\(${entity}\\)`))
      assert.ok(!JSON.stringify(result).includes(EMAIL))
    }

    it('a blocked result: nothing reaches the agent, the error names the rule, and it is not counted [rules.block] [limit.counting]', async () => {
      await rules(MAIL_OUT('block'))
      crm.answer = text(`Write to ${EMAIL} about the harvest`)
      const result = await lookUp()
      isBlocked(result, 'EMAIL_ADDRESS')
      assert.doesNotMatch(JSON.stringify(result), /harvest/)
      assert.equal(crm.received.length, 1)
      assert.deepEqual(await records(), [
        { outcome: 'blocked', counted: false, error_code: 'security_rule_blocked' },
      ])
      assert.deepEqual(await callEvents(), [])
    })

    it('block of arguments: the provider is not called', async () => {
      await rules(MAIL_IN('block'))
      isBlocked(await lookUp({ to: [{ address: EMAIL }] }), 'EMAIL_ADDRESS')
      assert.deepEqual(crm.received, [])
      const [found] = await violations()
      assert.deepEqual([found.direction, found.action, found.count], ['inbound', 'block', 1])
    })

    it('redact: the provider and the model get placeholders, in texts, keys and numbers [rules.redact]', async () => {
      const both = { inbound_action: 'redact', outbound_action: 'redact' }
      await rules({ entities: { EMAIL_ADDRESS: both, CREDIT_CARD: both } })
      crm.answer = {
        content: [{ type: 'text', text: `{"card": ${CARD}, "to": "${EMAIL}"}` }],
        structuredContent: { card: CARD, [EMAIL]: { again: [EMAIL] } },
      }
      const result = await lookUp({ note: `for ${EMAIL}`, card: CARD })
      assert.deepEqual(crm.received, [
        { note: 'for [REDACTED:EMAIL_ADDRESS]', card: '[REDACTED:CREDIT_CARD]' },
      ])
      assert.deepEqual(result.structuredContent, {
        card: '[REDACTED:CREDIT_CARD]',
        '[REDACTED:EMAIL_ADDRESS]': { again: ['[REDACTED:EMAIL_ADDRESS]'] },
      })
      assert.deepEqual(JSON.parse(result.content[0].text), {
        card: '[REDACTED:CREDIT_CARD]',
        to: '[REDACTED:EMAIL_ADDRESS]',
      })
      assert.deepEqual(await records(), [{ outcome: 'success', counted: true, error_code: null }])
    })

    it('the result of an HTTP tool is redacted once, equally in content and structured content', async () => {
      await rules(MAIL_OUT('redact'))
      const run = (name: string, args: object) =>
        t.mcp(user.id, 'tools/call', { name: `sandbox-notes__${name}`, arguments: args })
      await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url)
      await run('create_note', { title: 'Harvest', text: `Ask ${EMAIL}` })
      const { result } = (await run('list_notes', { query: 'Harvest' })).body
      assert.equal(result.structuredContent.notes[0].text, 'Ask [REDACTED:EMAIL_ADDRESS]')
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
    })

    it('log passes and records, none does neither, and dry run records the action that would apply', async () => {
      crm.answer = text(EMAIL)
      await rules(MAIL_OUT('none'))
      assert.equal((await lookUp()).content[0].text, EMAIL)
      assert.deepEqual(await violations(), [])
      await rules(MAIL_OUT('log'))
      assert.equal((await lookUp()).content[0].text, EMAIL)
      await rules({ dry_run: true, entities: { EMAIL_ADDRESS: { outbound_action: 'block' } } })
      assert.equal((await lookUp()).content[0].text, EMAIL)
      assert.deepEqual(
        (await violations()).map(({ action, dry_run, entity }: any) => [action, dry_run, entity]),
        [
          ['block', true, 'EMAIL_ADDRESS'],
          ['log', false, 'EMAIL_ADDRESS'],
        ],
      )
      assert.deepEqual(
        (await records()).map(({ outcome, counted }) => [outcome, counted]),
        Array.from({ length: 3 }, () => ['success', true]),
      )
    })

    it('a change applies to the next call; PATCH keeps the rest, and {} resets an entity', async () => {
      crm.answer = text(`${EMAIL} 10.11.12.13`)
      await rules({
        entities: { EMAIL_ADDRESS: { outbound_action: 'redact' }, IP_ADDRESS: { outbound_action: 'redact' } },
      })
      assert.equal((await lookUp()).content[0].text, '[REDACTED:EMAIL_ADDRESS] [REDACTED:IP_ADDRESS]')
      const patch = (body: object) => t.call('PATCH', '/api/v1/security-rules', { body })
      const patched = await patch({ entities: { EMAIL_ADDRESS: {} } })
      assert.deepEqual(Object.keys(patched.body.entities), ['IP_ADDRESS'])
      assert.equal((await lookUp()).content[0].text, `${EMAIL} [REDACTED:IP_ADDRESS]`)
      await patch({ entities: { IP_ADDRESS: { outbound_action: 'none' } }, dry_run: false })
      assert.equal((await lookUp()).content[0].text, `${EMAIL} 10.11.12.13`)
    })

    it('a Tool Pack overrides single fields and adds custom rules, until it is deleted', async () => {
      const custom = (label: string, pattern: string) => ({ label, pattern, outbound_action: 'redact' })
      await rules({
        entities: {
          EMAIL_ADDRESS: { outbound_action: 'redact', inbound_action: 'block' },
          IP_ADDRESS: { outbound_action: 'redact' },
        },
        custom_rules: [custom('STAFF', 'EMP-\\d{4}'), custom('ORDER', 'ORD-\\d{4}')],
      })
      const packId = (await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Open' } })).body.id
      const path = `/api/v1/tool-packs/${packId}/security-rules`
      await lookUp({}, { packId })
      const put = await t.call('PUT', path, {
        body: {
          entities: { EMAIL_ADDRESS: { outbound_action: 'none' } },
          custom_rules: [custom('STAFF', 'STAFF-\\d{4}')],
        },
      })
      assert.equal(put.status, 200, put.text)
      assert.deepEqual(
        [
          put.body.effective.entities.EMAIL_ADDRESS.inbound_action,
          put.body.effective.entities.EMAIL_ADDRESS.outbound_action,
        ],
        ['block', 'none'],
      )
      crm.answer = text(`${EMAIL} 10.11.12.13 EMP-1111 STAFF-2222 ORD-3333`)
      assert.equal(
        (await lookUp({}, { packId })).content[0].text,
        `${EMAIL} [REDACTED:IP_ADDRESS] EMP-1111 [REDACTED:STAFF] [REDACTED:ORDER]`,
      )
      isBlocked(await lookUp({ to: EMAIL }, { packId }), 'EMAIL_ADDRESS')
      const own =
        '[REDACTED:EMAIL_ADDRESS] [REDACTED:IP_ADDRESS] [REDACTED:STAFF] STAFF-2222 [REDACTED:ORDER]'
      assert.equal((await lookUp()).content[0].text, own)
      assert.equal((await t.call('DELETE', path)).status, 204)
      assert.equal((await lookUp({}, { packId })).content[0].text, own)
      assert.equal((await t.call('GET', path)).body.updated_at, null)
      await t.call('PUT', path, { body: { dry_run: true } })
      assert.equal((await t.call('DELETE', `/api/v1/tool-packs/${packId}`)).status, 204)
      assert.equal((await t.call('GET', path)).body.error.code, 'tool_pack_not_found')
      const events = (await t.events()).filter(({ payload }) => payload.tool_pack_id === packId)
      assert.deepEqual(events.map(({ payload }) => String(payload.change)).toSorted(), [
        'created',
        'deleted',
        'updated',
        'updated',
        'updated',
      ])
    })

    it('every part of a result is scanned, and its structure stays valid', async () => {
      const redact = { outbound_action: 'redact' }
      await rules({
        entities: { EMAIL_ADDRESS: redact, CREDIT_CARD: redact, DATE_TIME: redact },
        custom_rules: [{ label: 'WORD', pattern: 'text|uri', outbound_action: 'redact' }],
      })
      const image = Buffer.from(`a picture of ${EMAIL}`).toString('base64')
      const csv = Buffer.from(`name,mail\njane,${EMAIL}\n`).toString('base64')
      crm.answer = {
        content: [
          {
            type: 'text',
            text: 'seen',
            annotations: { audience: ['user'], lastModified: '2026-01-31T09:00:00Z' },
          },
          { type: 'image', data: image, mimeType: 'image/png' },
          { type: 'resource', resource: { uri: `mailto:${EMAIL}`, text: `To ${EMAIL} now` } },
          { type: 'resource', resource: { uri: 'file:///a.csv', mimeType: 'text/csv', blob: csv } },
          { type: 'resource_link', uri: 'file:///b', name: EMAIL, size: CARD },
        ],
      }
      const { content } = await lookUp()
      assert.deepEqual(content[0], { type: 'text', text: 'seen', annotations: { audience: ['user'] } })
      assert.deepEqual(content[1], { type: 'image', data: image, mimeType: 'image/png' })
      assert.deepEqual(content[2], {
        type: 'resource',
        resource: { uri: 'mailto:[REDACTED:EMAIL_ADDRESS]', text: 'To [REDACTED:EMAIL_ADDRESS] now' },
      })
      assert.equal(content[3].resource.uri, 'file:///a.csv')
      assert.equal(
        Buffer.from(content[3].resource.blob, 'base64').toString(),
        'name,mail\njane,[REDACTED:EMAIL_ADDRESS]\n',
      )
      assert.deepEqual(content[4], {
        type: 'resource_link',
        uri: 'file:///b',
        name: '[REDACTED:EMAIL_ADDRESS]',
      })
    })

    it('redacted arguments that the tool does not accept are not sent', async () => {
      await rules({ entities: { CREDIT_CARD: { inbound_action: 'redact' } } })
      const call = { name: 'crm__count', arguments: { number: CARD } }
      const { result } = (await t.mcp(user.id, 'tools/call', call)).body
      assert.equal(result.structuredContent.error.code, 'security_rule_blocked')
      assert.match(result.structuredContent.error.message, /does not accept the redacted value/)
      assert.deepEqual(crm.received, [])
    })

    it('progress and errors of a provider are scanned as well', async () => {
      const run = caller(t, user.id)
      const received: unknown[] = []
      crm.progress = [
        { progress: 1, message: `mailing ${EMAIL}` },
        { progress: CARD },
        { progress: CARD + 1 },
      ]
      const listen = () => run('crm__lookup', { onProgress: progress => void received.push(progress) })
      await rules({
        entities: {
          EMAIL_ADDRESS: { outbound_action: 'redact' },
          CREDIT_CARD: { outbound_action: 'redact' },
        },
      })
      await listen()
      assert.deepEqual(received, [
        { progress: 1, message: 'mailing [REDACTED:EMAIL_ADDRESS]' },
        { progress: CARD + 1 },
      ])
      received.length = 0
      await rules(MAIL_OUT('block'))
      await listen()
      assert.deepEqual(received, [{ progress: CARD }, { progress: CARD + 1 }])
      crm.answer = new Error(`no mailbox ${EMAIL}`)
      isBlocked(await lookUp(), 'EMAIL_ADDRESS')
      await rules(MAIL_OUT('redact'))
      const { error } = (await lookUp()).structuredContent
      assert.equal(error.code, 'third_party_error')
      assert.match(error.message, /no mailbox \[REDACTED:EMAIL_ADDRESS\]/)
    })

    it('rules that cannot be applied block the call', async () => {
      const { ruleCache } = t.service.features
      const { rulesFor } = ruleCache
      const plain = await ruleCache.currentRules({
        organizationId: t.organization.id,
        toolPackId: NIL_UUID,
      })
      const broken = { rules: null, actions: new Map() } as unknown as CompiledRuleSet['inbound']
      crm.answer = text('the harvest is in')
      try {
        ruleCache.rulesFor = async () => ({ ...plain, dryRun: true, inbound: broken, outbound: null })
        const inbound = (await lookUp()).structuredContent.error
        assert.equal(inbound.code, 'security_rule_blocked')
        assert.match(inbound.message, /could not be applied to the arguments/)
        assert.equal(crm.received.length, 0)
        ruleCache.rulesFor = async () => ({ ...plain, dryRun: true, inbound: null, outbound: broken })
        const outbound = await lookUp()
        assert.match(outbound.structuredContent.error.message, /could not be applied to the result/)
        assert.doesNotMatch(JSON.stringify(outbound), /harvest/)
        ruleCache.rulesFor = async () => {
          throw new Error('no rules')
        }
        assert.equal((await lookUp()).structuredContent.error.code, 'internal_error')
      } finally {
        ruleCache.rulesFor = rulesFor
      }
      assert.equal(crm.received.length, 1)
      assert.deepEqual(
        (await records()).map(({ outcome, counted }) => [outcome, counted]),
        [
          ['blocked', false],
          ['blocked', false],
          ['error', false],
        ],
      )
      assert.ok(t.logLines.some(line => line.includes('the security rules could not be applied')))
    })

    it('rules that exceed their time budget block the call', async () => {
      const { ruleCache } = t.service.features
      const { rulesFor } = ruleCache
      const { inbound, outbound, settings } = await ruleCache.currentRules({
        organizationId: t.organization.id,
        toolPackId: NIL_UUID,
      })
      assert.ok(outbound)
      // A pattern that was not checked for safety and is slow for every text.
      const slow = { [Symbol.matchAll]: () => (burn(50), [][Symbol.iterator]()) } as unknown as RegExp
      const custom = [{ label: 'SLOW', expression: slow, topic: 200 }]
      ruleCache.rulesFor = async () => ({
        dryRun: false,
        settings,
        inbound,
        outbound: { ...outbound, rules: { ...outbound.rules, custom } },
      })
      crm.answer = {
        content: Array.from({ length: 40 }, () => ({ type: 'text', text: 'the harvest is in' })),
      }
      try {
        const result = await lookUp()
        assert.match(result.structuredContent.error.message, /could not be applied to the result/)
        assert.doesNotMatch(JSON.stringify(result), /harvest/)
      } finally {
        ruleCache.rulesFor = rulesFor
      }
      assert.deepEqual(await records(), [
        { outcome: 'blocked', counted: false, error_code: 'security_rule_blocked' },
      ])
      assert.ok(t.logLines.some(line => line.includes('The scan exceeded its limit')))
    })

    it('authenticate_meta is not scanned', async () => {
      const block = { outbound_action: 'block' }
      await rules({ entities: { URL: block, CARABINER_TOKEN: block, DATE_TIME: block } })
      const call = { name: 'sandbox-notes__list_notes', arguments: {} }
      const { result } = (await t.mcp(user.id, 'tools/call', call)).body
      assert.equal(result.structuredContent.type, 'authenticate_meta')
      assert.match(result.structuredContent.magic_link_url, /^http/)
    })

    it('a stored result is redacted, and later rules apply when it is read', async () => {
      await rules(MAIL_OUT('redact'))
      const body = { name: 'Kept', result_limit: 1000, result_handles: true }
      const packId = (await t.call('POST', '/api/v1/tool-packs', { body })).body.id
      crm.answer = text(`${EMAIL} 10.11.12.13 ${'words '.repeat(400)}`)
      const truncated = JSON.stringify(await lookUp({}, { packId }))
      const handle = /fetch_result [^0-9a-f]+handle[^0-9a-f]+([0-9a-f-]{36})/.exec(truncated)?.[1]
      const fetch = async () =>
        (
          await t.mcp(
            user.id,
            'tools/call',
            { name: 'fetch_result', arguments: { handle, limit: 60 } },
            { packId },
          )
        ).body.result
      assert.match((await fetch()).content[0].text, /^\[REDACTED:EMAIL_ADDRESS\] 10\.11\.12\.13 words/)
      await rules({ entities: { IP_ADDRESS: { outbound_action: 'redact' } } })
      assert.match(
        (await fetch()).content[0].text,
        /^\[REDACTED:EMAIL_ADDRESS\] \[REDACTED:IP_ADDRESS\] words/,
      )
      await rules({ entities: { IP_ADDRESS: { outbound_action: 'block' } } })
      isBlocked(await fetch(), 'IP_ADDRESS')
      const fetched = (await t.call('GET', `/api/v1/tool-calls?tool_pack_id=${packId}`)).body.data.filter(
        ({ tool }: { tool: string }) => tool === 'fetch_result',
      )
      assert.deepEqual(
        fetched.map(({ outcome, error_code, matches }: Record<string, unknown>) => [
          outcome,
          error_code,
          matches,
        ]),
        [
          ['blocked', 'security_rule_blocked', [{ entity: 'IP_ADDRESS', count: 1 }]],
          ['success', null, [{ entity: 'IP_ADDRESS', count: 1 }]],
          ['success', null, []],
        ],
      )
    })

    it('by default private keys are redacted, and ordinary results pass unchanged', async () => {
      const pem = [
        '-----BEGIN PRIVATE KEY-----',
        'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC',
        '-----END PRIVATE KEY-----',
      ].join('\n')
      const ordinary = `${EMAIL}, +49 30 901820, 4111 1111 1111 1111, https://example.com, 2026-01-31`
      crm.answer = text(`${ordinary}\n${pem}`)
      assert.equal((await lookUp()).content[0].text, `${ordinary}\n[REDACTED:PRIVATE_KEY]`)
      const { data } = (await t.call('GET', '/api/v1/security-rules/entities')).body
      assert.equal(data.length, 42)
      assert.deepEqual(
        data.filter((entity: any) => entity.detection === 'guess').map(({ name }: any) => name),
        ['PERSON', 'LOCATION'],
      )
    })

    it('violations contain no value, are paged, filtered and separated by mode, and deleted with the user', async () => {
      const [mail, number] = ['unseen.user@example.org', '5555 5555 5555 4444']
      const redact = { inbound_action: 'redact', outbound_action: 'redact' }
      await rules({ entities: { EMAIL_ADDRESS: redact, CREDIT_CARD: redact } })
      crm.answer = text(`${number}, ${number}`)
      await lookUp({ to: mail })
      const found = await violations()
      assert.deepEqual(
        found.map(({ entity, direction, count }: any) => [entity, direction, count]).toSorted(),
        [
          ['CREDIT_CARD', 'outbound', 2],
          ['EMAIL_ADDRESS', 'inbound', 1],
        ],
      )
      const [call] = await t.query('select id from tool_calls where registered_user_id = $1', [user.id])
      assert.ok(found.every(({ tool_call_id }: any) => tool_call_id === call.id))
      const { body: record } = await t.call('GET', `/api/v1/tool-calls/${call.id}`)
      assert.ok(
        found.every(({ connector, tool }: any) => connector === record.connector && tool === record.tool),
      )
      assert.deepEqual(await callEvents(), [])

      const tables = await t.query(
        `select quote_ident(table_schema) || '.' || quote_ident(table_name) as name from information_schema.tables
         where table_type = 'BASE TABLE' and table_schema not in ('pg_catalog', 'information_schema')`,
      )
      assert.ok(tables.length > 20)
      for (const { name } of tables) {
        const rows = await t.query(`select t::text as row from ${name} t`)
        for (const { row } of rows) assert.ok(!row.includes(mail) && !row.includes(number), name)
      }
      assert.ok(!t.logLines.some(line => line.includes(mail) || line.includes(number)))

      const base = `?registered_user_id=${user.id}`
      assert.equal((await violations(`${base}&entity=CREDIT_CARD`)).length, 1)
      assert.equal((await violations(`${base}&since=2999-01-01`)).length, 0)
      const first = (await t.call('GET', `/api/v1/rule-violations${base}&limit=1`)).body
      const second = (
        await t.call('GET', `/api/v1/rule-violations${base}&limit=1&cursor=${first.next_cursor}`)
      ).body
      assert.deepEqual(
        [...first.data, ...second.data].map(({ id }) => id),
        found.map(({ id }: any) => id),
      )
      assert.equal(second.next_cursor, null)
      const { testKey } = t.organization
      assert.deepEqual(await violations(base, testKey), [])
      const tester = await t.createUser({}, testKey)
      await lookUp({ to: mail }, { key: testKey }, tester.id)
      assert.equal((await violations(`?registered_user_id=${tester.id}`, testKey)).length, 2)
      assert.deepEqual(await violations(`?registered_user_id=${tester.id}`), [])
      await t.call('DELETE', `/api/v1/registered-users/${user.id}`)
      const left = await t.query('select id from rule_violations where registered_user_id = $1', [user.id])
      assert.deepEqual(left, [])
    })

    it('another organization has its own rules and sees no violations of others', async () => {
      await rules(MAIL_OUT('block'))
      const other = await t.createOrganization('Other')
      await add(other)
      const foreignUser = await t.createUser({}, other.key)
      crm.answer = text(EMAIL)
      const call = { key: other.key, packId: other.toolPackId }
      assert.equal((await lookUp({}, call, foreignUser.id)).content[0].text, EMAIL)
      isBlocked(await lookUp(), 'EMAIL_ADDRESS')
      assert.deepEqual(await violations('', other.key), [])
      assert.deepEqual((await t.call('GET', '/api/v1/security-rules', { key: other.key })).body.entities, {})
      const path = `/api/v1/tool-packs/${t.organization.toolPackId}/security-rules`
      assert.equal(
        (await t.call('PUT', path, { key: other.key, body: {} })).body.error.code,
        'tool_pack_not_found',
      )
    })
  })
}
