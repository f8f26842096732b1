import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { AuditedChange } from '../../src/core/audited-change.ts'
import { MINUTE } from '../../src/core/duration.ts'
import { linkEntry, sealHead } from '../../src/features/events/audit-chain.ts'
import { appendEntries, endAbandoned } from '../../src/features/events/audit-trail.ts'
import { listChains, type Verdict, verifyChain } from '../../src/features/events/audit-verify.ts'
import type { Queryable } from '../../src/platform/database/database.ts'
import { flowEngines } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const run = (db: Queryable, text: string, parameters: unknown[] = []) =>
  runSql<any>(db, text, parameters as never)

/** Thrown to roll back the changes of a test. */
class Rollback extends Error {}

for (const engine of flowEngines) {
  describe(`the audit chain on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
      for (let n = 0; n < 6; n++) await t.allowOrigin(`https://${n}.example.com`)
    })
    after(() => t.stop())

    const verify = async (
      db: Queryable = t.service.features.db,
      options: Parameters<typeof verifyChain>[2] & { unsealed?: boolean } = {},
    ): Promise<Verdict> => {
      const [chain] = await listChains(db, t.organization.id)
      assert.ok(chain)
      const signer = options.unsealed ? null : t.service.features.signer
      return verifyChain({ db, signer }, chain, options)
    }
    /** Applies the tampering of an attacker with full access to the database, inspects the result, and rolls back. */
    const afterTampering = async <T>(
      tamper: (tx: Queryable) => Promise<unknown>,
      inspect: (tx: Queryable) => Promise<T>,
    ): Promise<T> => {
      let result: T | undefined
      const work = t.service.features.db.transaction(async tx => {
        await run(tx, 'alter table audit_entries disable trigger user')
        await tamper(tx)
        result = await inspect(tx)
        throw new Rollback()
      })
      await assert.rejects(work, Rollback)
      return result as T
    }
    const breakOf = ({ problem }: Verdict) => problem && [problem.kind, problem.sequence]
    const entries = () =>
      run(t.service.features.db, 'select * from audit_entries where organization_id = $1 order by sequence', [
        t.organization.id,
      ])

    it('starts with the organization, has no gaps, and is valid [audit.chain]', async () => {
      const rows = await entries()
      assert.deepEqual(
        [rows[0].action, rows[0].actor_type, rows[0].previous.equals(Buffer.alloc(32))],
        ['organization.created', 'system', true],
      )
      assert.deepEqual(
        rows.map(row => row.sequence),
        rows.map((_, index) => index + 1),
      )
      const verdict = await verify()
      assert.deepEqual([verdict.problem, verdict.entries, verdict.isSealChecked], [null, 7, true])
      assert.deepEqual(verdict.head, { sequence: 7, hash: rows.at(-1).hash.toString('hex') })
      const partial = await verify(undefined, { from: 5 })
      assert.deepEqual([partial.problem, partial.entries], [null, 3])
    })

    const where = 'where organization_id = $1 and sequence'
    const tampering: [label: string, sql: string[], found: [string, number]][] = [
      ['a target is changed', [`update audit_entries set target_id = 'x' ${where} = 3`], ['changed', 3]],
      ['an actor is changed', [`update audit_entries set actor_hint = 'x' ${where} = 1`], ['changed', 1]],
      ['an address is changed', [`update audit_entries set address = null ${where} = 7`], ['changed', 7]],
      [
        'a time is changed',
        [`update audit_entries set at = at + interval '1 ms' ${where} = 4`],
        ['changed', 4],
      ],
      [
        'a field change is added to an entry',
        [`update audit_entries set changes = '[{"field":"plan","to":"free"}]' ${where} = 2`],
        ['changed', 2],
      ],
      ['an entry is removed', [`delete from audit_entries ${where} = 4`], ['missing', 4]],
      ['the first entry is removed', [`delete from audit_entries ${where} = 1`], ['missing', 1]],
      [
        'an entry is removed and the others are renumbered',
        [
          `delete from audit_entries ${where} = 4`,
          `update audit_entries set sequence = sequence - 100 ${where} > 4`,
          `update audit_entries set sequence = sequence + 99 ${where} < 0`,
        ],
        ['changed', 4],
      ],
      [
        'two entries are swapped',
        [
          `update audit_entries set sequence = -3 ${where} = 3`,
          `update audit_entries set sequence = 3 ${where} = 4`,
          `update audit_entries set sequence = 4 ${where} = -3`,
        ],
        ['changed', 3],
      ],
      ['the last entries are removed', [`delete from audit_entries ${where} > 5`], ['cut', 6]],
      [
        'the last entries are removed and the head is adjusted',
        [
          `delete from audit_entries ${where} > 5`,
          `update audit_heads h set sequence = 5, hash = e.hash from audit_entries e
           where h.organization_id = $1 and e.organization_id = $1 and e.sequence = 5`,
        ],
        ['forged', 5],
      ],
      [
        'everything is deleted',
        [
          'delete from audit_entries where organization_id = $1',
          'delete from audit_heads where organization_id = $1',
        ],
        ['cut', 1],
      ],
      ['the seal is removed', [`update audit_heads set seal = '' where organization_id = $1`], ['forged', 7]],
      [
        'the head names another entry',
        [`update audit_heads set hash = decode(repeat('ab', 32), 'hex') where organization_id = $1`],
        ['forked', 7],
      ],
    ]
    for (const [label, statements, found] of tampering)
      it(`is reported as broken when ${label}`, async () => {
        const verdict = await afterTampering(async tx => {
          for (const sql of statements) await run(tx, sql, [t.organization.id])
        }, verify)
        assert.deepEqual(breakOf(verdict), found)
      })

    /** Rewrites entries as an attacker could who knows the hash function but not the vault key. */
    const rewrite = async (tx: Queryable, from: number, edit: (change: AuditedChange) => AuditedChange) => {
      const rows = await run(tx, `select * from audit_entries ${where} >= $2 order by sequence`, [
        t.organization.id,
        from,
      ])
      let head = {
        organizationId: t.organization.id,
        sequence: from - 1,
        hash: rows[0].previous,
        at: new Date(0),
      }
      for (const [index, row] of rows.entries()) {
        const change: AuditedChange = {
          organizationId: row.organization_id,
          action: row.action,
          target: { type: row.target_type, id: row.target_id },
          registeredUserId: row.registered_user_id,
          actor: { type: row.actor_type, id: row.actor_id, hint: row.actor_hint },
          sender: { address: row.address, userAgent: row.user_agent },
          requestId: row.request_id,
          changes: row.changes,
        }
        const entry = linkEntry({ ...head, at: row.at }, index === 0 ? edit(change) : change, row.outcome)
        await run(tx, `update audit_entries set target_id = $3, previous = $4, hash = $5 ${where} = $2`, [
          t.organization.id,
          row.sequence,
          entry.target.id,
          entry.previous,
          entry.hash,
        ])
        head = { ...head, sequence: entry.sequence, hash: entry.hash }
      }
      return head
    }
    const forge = (change: AuditedChange) => ({ ...change, target: { ...change.target, id: 'forged' } })

    it('rewritten from an entry on: the hash of the head does not match', async () => {
      assert.deepEqual(breakOf(await afterTampering(tx => rewrite(tx, 4, forge), verify)), ['forked', 7])
    })

    it('rewritten including the head: only the seal reveals it, which needs the vault key', async () => {
      const tamper = async (tx: Queryable) => {
        const { hash } = await rewrite(tx, 4, forge)
        await run(tx, 'update audit_heads set hash = $2 where organization_id = $1', [
          t.organization.id,
          hash,
        ])
      }
      assert.deepEqual(breakOf(await afterTampering(tamper, verify)), ['forged', 7])
      const without = await afterTampering(tamper, tx => verify(tx, { unsealed: true }))
      assert.deepEqual([without.problem, without.isSealChecked], [null, false])
    })

    /** Appends a regular entry, which also seals the head. */
    const appendTo = async (tx: Queryable, organizationId = t.organization.id): Promise<unknown[]> => {
      const breaks: unknown[] = []
      const change: AuditedChange = {
        organizationId,
        action: 'origin.added',
        target: { type: 'origin', id: null },
        registeredUserId: null,
        actor: { type: 'system', id: 'service', hint: null },
        sender: { address: null, userAgent: null },
        requestId: 'regular',
        changes: [],
      }
      const { signer } = t.service.features
      const onBreak = (...found: unknown[]) => void breaks.push(found)
      await appendEntries(tx, { signer, onBreak }, [{ change, outcome: 'done' }])
      return breaks
    }

    it('a rewritten chain stays forged after regular entries are appended, and is reported once', async () => {
      const id = t.organization.id
      const reports: unknown[] = []
      const launder = async (tx: Queryable) => {
        await run(tx, `delete from audit_entries ${where} = 7`, [id])
        const { hash } = await rewrite(tx, 4, forge)
        await run(tx, 'update audit_heads set sequence = 6, hash = $2 where organization_id = $1', [id, hash])
        for (let n = 0; n < 2; n++) reports.push(await appendTo(tx))
      }
      assert.deepEqual(breakOf(await afterTampering(launder, verify)), ['forged', 7])
      assert.deepEqual(reports, [[[id, 7]], []])
      const unmark = async (tx: Queryable) => {
        await launder(tx)
        await run(tx, 'update audit_heads set broken_at = null where organization_id = $1', [id])
      }
      assert.deepEqual(breakOf(await afterTampering(unmark, verify)), ['forged', 8], 'the seal reveals it')
      const unmarkAndExtend = (tx: Queryable) => unmark(tx).then(() => appendTo(tx))
      assert.deepEqual(breakOf(await afterTampering(unmarkAndExtend, verify)), ['forged', 9])
    })

    it('deleted completely: a new entry does not start a valid chain', async () => {
      const remove = async (tx: Queryable) => {
        await run(tx, 'delete from audit_entries where organization_id = $1', [t.organization.id])
        await run(tx, 'delete from audit_heads where organization_id = $1', [t.organization.id])
        await appendTo(tx)
      }
      assert.deepEqual(breakOf(await afterTampering(remove, verify)), ['forged', 1])
    })

    it('one rehashed entry does not match the next one', async () => {
      const tamper = async (tx: Queryable) => {
        const later = await run(tx, `select sequence, previous, hash from audit_entries ${where} > 4`, [
          t.organization.id,
        ])
        await rewrite(tx, 4, forge)
        for (const { sequence, previous, hash } of later)
          await run(tx, `update audit_entries set previous = $3, hash = $4 ${where} = $2`, [
            t.organization.id,
            sequence,
            previous,
            hash,
          ])
      }
      assert.deepEqual(breakOf(await afterTampering(tamper, verify)), ['forked', 5])
    })

    it('an entry inserted by hand is detected, even with valid hashes', async () => {
      const last = (await entries()).at(-1)
      const add = async (tx: Queryable) => {
        await run(
          tx,
          `insert into audit_entries select organization_id, sequence + 1, at, action, outcome, target_type, target_id,
             registered_user_id, actor_type, actor_id, actor_hint, address, user_agent, request_id, changes, hash, hash
           from audit_entries ${where} = $2`,
          [t.organization.id, last.sequence],
        )
        return rewrite(tx, last.sequence + 1, change => change)
      }
      assert.deepEqual(breakOf(await afterTampering(add, verify)), ['added', 8])
      const addWithEnd = async (tx: Queryable) => {
        const { hash, sequence } = await add(tx)
        await run(tx, 'update audit_heads set sequence = $2, hash = $3 where organization_id = $1', [
          t.organization.id,
          sequence,
          hash,
        ])
      }
      assert.deepEqual(breakOf(await afterTampering(addWithEnd, verify)), ['forged', 8])
    })

    it('truncated to an earlier sealed head: detected by comparison with a head stored elsewhere', async () => {
      const old = await run(t.service.features.db, 'select * from audit_heads where organization_id = $1', [
        t.organization.id,
      ])
      await t.allowOrigin('https://late.example.com')
      const { head } = await verify()
      const tamper = async (tx: Queryable) => {
        await run(tx, `delete from audit_entries ${where} > $2`, [t.organization.id, old[0].sequence])
        await run(
          tx,
          'update audit_heads set sequence = $2, hash = $3, seal = $4 where organization_id = $1',
          [t.organization.id, old[0].sequence, old[0].hash, old[0].seal],
        )
      }
      assert.equal((await afterTampering(tamper, verify)).problem, null, 'a seal cannot reveal this')
      const expecting = (tx: Queryable) => verify(tx, { expected: head })
      assert.deepEqual(breakOf(await afterTampering(tamper, expecting)), ['cut', 8])
      assert.equal((await verify(undefined, { expected: head })).problem, null)
      const other = { ...head, hash: 'ab'.repeat(32) }
      assert.deepEqual(breakOf(await verify(undefined, { expected: other })), ['changed', 8])
    })

    it('a seal of one organization is not valid for another', () => {
      const { signer } = t.service.features
      const head = {
        organizationId: t.organization.id,
        sequence: 1,
        hash: Buffer.alloc(32),
        unverifiedUntil: null,
      }
      assert.notDeepEqual(
        sealHead(signer, head),
        sealHead(signer, { ...head, organizationId: crypto.randomUUID() }),
      )
    })

    it('is append-only: updates, deletions and truncation are rejected', async () => {
      const { db } = t.service.features
      for (const sql of [
        `update audit_entries set action = 'x'`,
        'delete from audit_entries',
        'truncate audit_entries',
      ])
        await assert.rejects(run(db, sql), /append-only/)
    })

    it('an intent that was not completed becomes an entry with an unknown outcome', async () => {
      const { db, signer, audit } = t.service.features
      const [existing] = await entries()
      const change: AuditedChange = {
        organizationId: t.organization.id,
        action: 'tool_pack.deleted',
        target: { type: 'tool_pack', id: t.organization.toolPackId },
        registeredUserId: null,
        actor: { type: 'api_key', id: existing.actor_id, hint: null },
        sender: { address: '192.0.2.1', userAgent: 'x' },
        requestId: 'req_lost',
        changes: [],
      }
      await audit.begin(change)
      assert.equal(
        await endAbandoned({ db, signer, onBreak: assert.fail }),
        0,
        'the change may still be in flight',
      )
      await t.moveClock(11 * MINUTE)
      assert.equal(await endAbandoned({ db, signer, onBreak: assert.fail }), 1)
      assert.equal(await endAbandoned({ db, signer, onBreak: assert.fail }), 0)
      const last = (await entries()).at(-1)
      assert.deepEqual([last.request_id, last.outcome, last.address], ['req_lost', 'unknown', '192.0.2.1'])
      assert.equal((await verify()).problem, null)
    })

    it('an entry that cannot be written: the intent stays, and the response says what is known', async () => {
      const { db } = t.service.features
      await db.script(
        `create trigger broken before insert on audit_entries execute function reject_audit_change()`,
      )
      const origin = 'https://unsure.example.com'
      const headers = { 'idempotency-key': 'unsure' }
      const answer = await t.call('POST', '/api/v1/callback-origins', { body: { origin }, headers })
      await db.script('drop trigger broken on audit_entries')
      assert.deepEqual([answer.status, answer.body.error.code], [500, 'internal_error'])
      assert.match(answer.body.error.message, /change was made.*Check the result before you repeat/)
      assert.equal((await run(db, 'select 1 from callback_origins where origin = $1', [origin])).length, 1)
      const intents = await run(db, 'select change from audit_intents')
      assert.deepEqual([intents.length, intents[0].change.requestId], [1, answer.headers.get('x-request-id')])
      const again = await t.call('POST', '/api/v1/callback-origins', { body: { origin }, headers })
      assert.deepEqual(
        [again.status, again.headers.get('idempotency-replayed')],
        [201, null],
        'a response that was never sent is not stored',
      )
      await run(db, 'delete from audit_intents')
    })

    it('an intent that cannot be written: nothing is changed', async () => {
      const { db } = t.service.features
      await db.script('alter table audit_intents rename to audit_intents_gone')
      const origin = 'https://never.example.com'
      const answer = await t.call('POST', '/api/v1/callback-origins', { body: { origin } })
      await db.script('alter table audit_intents_gone rename to audit_intents')
      assert.equal(answer.status, 500)
      assert.deepEqual(await run(db, 'select 1 from callback_origins where origin = $1', [origin]), [])
    })
  })
}

describe('the list of audit entries', () => {
  let t: TestService
  let other: Awaited<ReturnType<TestService['createOrganization']>>
  before(async () => {
    t = await joinTestService()
    other = await t.createOrganization('Other')
    for (let n = 0; n < 5; n++) await t.call('POST', '/api/v1/tool-packs', { body: { name: `Pack ${n}` } })
    await t.createUser()
  })
  after(() => t.stop())
  const list = (query = '', key = t.organization.key) =>
    t.call('GET', `/api/v1/audit-entries${query}`, { key })
  const sequences = async (query: string) =>
    (await list(query)).body.data.map(({ sequence }: { sequence: number }) => sequence)

  it('is newest first, paged, and limited to the organization', async () => {
    assert.deepEqual(await sequences(''), [7, 6, 5, 4, 3, 2, 1])
    const first = (await list('?limit=3')).body
    const second = (await list(`?limit=3&cursor=${first.next_cursor}`)).body
    const third = (await list(`?limit=3&cursor=${second.next_cursor}`)).body
    assert.deepEqual(
      [...first.data, ...second.data, ...third.data].map(({ sequence }) => sequence),
      [7, 6, 5, 4, 3, 2, 1],
    )
    assert.equal(third.next_cursor, null)
    assert.equal((await list('', other.key)).body.data.length, 1)
  })

  it('can be verified with the code in the documentation', async () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/security/audit.md'), 'utf8')
    const [, code = ''] = /```js\n(.*?)```/s.exec(page) ?? []
    const { isWhole } = await import(`data:text/javascript,${encodeURIComponent(code)}`)
    const entries = (await list()).body.data.toReversed()
    assert.equal(isWhole(t.organization.id, entries), true)
    assert.equal(isWhole(other.id, entries), false)
    assert.equal(isWhole(t.organization.id, entries.toSpliced(3, 1)), false)
    assert.equal(
      isWhole(t.organization.id, entries.with(2, { ...entries[2], at: entries[1].at + 'x' })),
      false,
    )
  })

  it('is filtered by action, actor, target, user and time', async () => {
    const { data } = (await list()).body
    const pack = data.find(({ sequence }: any) => sequence === 4)
    const user = data.find(({ action }: any) => action === 'registered_user.created')
    assert.deepEqual(await sequences('?action=tool_pack.created'), [6, 5, 4, 3, 2])
    assert.deepEqual(await sequences(`?target=${pack.target.id}`), [4])
    assert.deepEqual(await sequences(`?actor=${pack.actor.id}&action=registered_user.created`), [7])
    assert.deepEqual(await sequences(`?registered_user_id=${user.target.id}`), [7])
    assert.deepEqual(await sequences(`?actor=unknown`), [])
    const at = encodeURIComponent(pack.at)
    assert.deepEqual(await sequences(`?since=${at}&until=${at}`), [])
    assert.ok((await sequences(`?since=${at}`)).includes(4))
    assert.ok(!(await sequences(`?until=${at}`)).includes(4))
  })

  it('entries name targets and actors that still exist, and never one that was deleted', async () => {
    const owner = await t.createOrganization('Named')
    const call = (method: string, path: string, body?: object) =>
      t.call(method, `/api/v1${path}`, { key: owner.key, ...(body && { body }) })
    const pack = (await call('POST', '/tool-packs', { name: 'Support', connectors: [] })).body
    await call('PATCH', `/tool-packs/${pack.id}`, { name: 'Support desk' })
    const user = await t.createUser({ origin_user_name: 'Ana Ruiz' }, owner.key)
    const url = 'http://127.0.0.1:9/private-path?token=1'
    await call('POST', '/webhook-endpoints', { url })
    const names = async () =>
      (await call('GET', '/audit-entries?limit=4')).body.data.map(
        ({ target, actor, registered_user_name }: any) => [target.name, actor.name, registered_user_name],
      )
    const [{ name: keyName }] = (await call('GET', '/api-keys')).body.data.filter(
      ({ mode }: { mode: string }) => mode === 'production',
    )
    assert.deepEqual(await names(), [
      ['127.0.0.1:9', keyName, null],
      ['Ana Ruiz', keyName, 'Ana Ruiz'],
      ['Support desk', keyName, null],
      ['Support desk', keyName, null],
    ])
    await call('DELETE', `/registered-users/${user.id}`)
    await call('DELETE', `/tool-packs/${pack.id}`)
    assert.deepEqual(
      (await names()).flat().filter((name: string | null) => name !== keyName && name !== null),
      ['127.0.0.1:9'],
    )
  })

  it('rejects invalid cursors, limits, times, IDs and fields, and test keys', async () => {
    for (const [query, code] of [
      ['?cursor=zzz', 'invalid_cursor'],
      ['?cursor=LTE', 'invalid_cursor'],
      ['?limit=0', 'invalid_request'],
      ['?limit=101', 'invalid_request'],
      ['?since=yesterday', 'invalid_request'],
      ['?since=0000-01-01T00:00:00Z', 'invalid_request'],
      ['?until=2026-06-30T23:59:60Z', 'invalid_request'],
      ['?registered_user_id=x', 'invalid_request'],
      ['?actor=%00', 'invalid_request'],
      ['?color=red', 'unknown_field'],
    ] as const) {
      const answer = await list(query)
      assert.deepEqual([query, answer.status, answer.body.error.code], [query, 400, code])
    }
    assert.equal((await list('', t.organization.testKey)).body.error.code, 'production_key_required')
  })

  it('auditing adds a few milliseconds to a change', async context => {
    const { audit } = t.service.features
    const { data } = (await list('?limit=1')).body
    const change: AuditedChange = {
      organizationId: t.organization.id,
      action: 'organization.updated',
      target: data[0].target,
      registeredUserId: null,
      actor: data[0].actor,
      sender: { address: null, userAgent: null },
      requestId: 'req_timed',
      changes: [],
    }
    const write = async () => audit.end(change, 'done', await audit.begin(change))
    const timed = async (work: () => Promise<unknown>) => {
      const started = performance.now()
      await work()
      return performance.now() - started
    }
    const alone = await timed(async () => {
      for (let n = 0; n < 50; n++) await write()
    })
    const together = await timed(() => Promise.all(Array.from({ length: 200 }, write)))
    context.diagnostic(
      `begin and end: ${(alone / 50).toFixed(2)} ms alone, ${(together / 200).toFixed(2)} ms of 200 at once`,
    )
  })
})
