import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { engines } from '../../../test/support/databases.ts'
import { type PlainMcp, startPlainMcp } from '../../../test/support/plain-mcp.ts'
import { startTestService, type TestService } from '../../../test/support/test-service.ts'
import { hashToken, issueToken, parseToken, type Token } from '../../core/token.ts'
import { newUuid } from '../../core/uuid.ts'
import { type AskedMcpCall, admissionStore } from './admission-store.ts'
import { type SettledCall, settlementStore } from './settlement-store.ts'

const SLUG = 'theirs'

for (const engine of engines) {
  describe(`calls that come together, on ${engine}`, () => {
    let t: TestService
    let plain: PlainMcp
    before(async () => {
      t = await startTestService(engine)
      plain = await startPlainMcp()
      await t.call('POST', '/api/v1/connectors', { body: { name: 'Theirs', slug: SLUG, url: plain.url } })
    })
    after(async () => {
      await t.stop()
      await plain.stop()
    })

    const asked = (userId: string, changed: Partial<AskedMcpCall> = {}): AskedMcpCall => ({
      keyHash: hashToken(parseToken('productionKey', t.organization.key) as Token),
      registeredUserId: userId,
      toolPackId: t.organization.toolPackId,
      callId: newUuid(),
      connectorSlug: SLUG,
      tool: 'look',
      requestId: 'req_together',
      asks: false,
      inCatalogue: false,
      ...changed,
    })
    const admit = (calls: AskedMcpCall[]) => admissionStore.admitMcp(t.service.features.db, calls)
    const settle = async (calls: SettledCall[]) => {
      const settled = await settlementStore.settle(t.service.features.db, calls)
      return Promise.all(settled.map(async one => one))
    }
    const success = ({ callId }: AskedMcpCall): SettledCall => ({
      organizationId: t.organization.id,
      callId,
      outcome: 'success',
      errorCode: null,
      thirdPartyMs: 3,
    })

    it('are judged each by itself, and answered in the order in which they came', async () => {
      const [ana, ben] = [await t.createUser(), await t.createUser()]
      const other = await t.createOrganization('Other')
      const idle = await t.createUser()
      await t.call('PATCH', `/api/v1/registered-users/${idle.id}`, { body: { is_active: false } })
      const calls = [
        asked(ana.id),
        asked(ana.id, { keyHash: hashToken(issueToken('productionKey')) }),
        asked(newUuid()),
        asked(ben.id, { tool: 'nothing' }),
        asked(ben.id),
        asked(ana.id, { keyHash: hashToken(parseToken('productionKey', other.key) as Token) }),
        asked(idle.id),
        asked(ana.id),
      ]
      const rows = await admit(calls)
      assert.deepEqual(
        rows.map(({ call_id, user_id }) => [call_id, user_id]),
        [
          [calls[0]?.callId, ana.id],
          [null, null],
          [null, null],
          [null, ben.id],
          [calls[4]?.callId, ben.id],
          [null, null],
          [null, idle.id],
          [calls[7]?.callId, ana.id],
        ],
      )
    })

    it('are settled once each, and told of in order with a number of their own', async () => {
      const [ana, ben] = [await t.createUser(), await t.createUser()]
      const calls = [asked(ana.id), asked(ben.id), asked(ana.id), asked(ana.id)]
      await admit(calls)
      const earlier = (await t.events(ana.id)).length
      const [first, second, third, fourth] = calls.map(success) as [
        SettledCall,
        SettledCall,
        SettledCall,
        SettledCall,
      ]
      const failed: SettledCall = { ...third, outcome: 'error', errorCode: 'third_party_error' }
      const quiet: SettledCall = { ...fourth, outcome: 'needs_auth' }
      const unknown = { ...first, callId: newUuid() }
      assert.deepEqual(
        (await settle([first, second, unknown, failed, quiet])).map(row => row?.user_active ?? null),
        [true, true, null, true, true],
      )
      assert.deepEqual(await settle([first, second]), [null, null], 'a call is settled once')
      const told = (await t.events(ana.id)).slice(earlier)
      assert.deepEqual(
        told.map(({ type, sequence, payload }) => [type, sequence - earlier, payload.tool_call_id]),
        [
          ['tool_call.completed', 1, first.callId],
          ['tool_call.failed', 2, failed.callId],
        ],
      )
      assert.deepEqual(
        [told[0]?.payload.error_code, told[1]?.payload.error_code],
        [undefined, 'third_party_error'],
      )
      const records = await t.query(
        `select outcome, counted, finished_at is not null as finished from tool_calls where id = any($1) order by outcome`,
        [[first, failed, quiet].map(({ callId }) => callId)],
      )
      assert.deepEqual(
        records.map(({ outcome, counted, finished }) => [outcome, counted, finished]),
        [
          ['error', false, true],
          ['needs_auth', false, true],
          ['success', true, true],
        ],
      )
    })

    it('of a user who was deactivated meanwhile say so, and hold nothing back of the others', async () => {
      const [ana, ben] = [await t.createUser(), await t.createUser()]
      const calls = [asked(ana.id), asked(ben.id)]
      await admit(calls)
      await t.call('PATCH', `/api/v1/registered-users/${ana.id}`, { body: { is_active: false } })
      assert.deepEqual(
        (await settle(calls.map(success))).map(row => row?.user_active),
        [false, true],
      )
    })

    // The embedded engine has one connection: nobody holds a row while another statement runs.
    if (engine === 'postgres')
      it('wait for a user whose row somebody holds, alone', async () => {
        const [ana, ben] = [await t.createUser(), await t.createUser()]
        const calls = [asked(ana.id), asked(ben.id), asked(ana.id)]
        await admit(calls)
        const { db, ledger } = t.service.features
        const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
        const holding = db.transaction(async tx => {
          await tx.query({ name: '', text: 'select from registered_users where id = $1 for update' }, [
            ana.id,
          ])
          held.resolve()
          await released.promise
        })
        await held.promise
        const settling = calls.map(call => ledger.settle(success(call)))
        let anaSettled = false
        void settling[0]?.then(() => (anaSettled = true))
        assert.deepEqual(await settling[1], { user_active: true })
        const late = asked(ben.id)
        await admit([late])
        assert.deepEqual(
          await ledger.settle(success(late)),
          { user_active: true },
          'nor do those who come later',
        )
        assert.equal(anaSettled, false)
        released.resolve()
        await holding
        const all = await Promise.all(settling)
        assert.deepEqual(
          all.map(row => row?.user_active),
          [true, true, true],
        )
      })
  })
}
