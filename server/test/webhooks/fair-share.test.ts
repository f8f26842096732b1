import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HOUR } from '../../src/core/duration.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { endpointStore } from '../../src/features/webhooks/endpoint-store.ts'
import { fanOutAll } from '../../src/features/webhooks/fan-out.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines)
  describe(`places of the webhook worker on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await startTestService(engine, {}, { webhookWorker: { idleMs: HOUR } })
    })
    after(() => t.stop())

    it('organizations with many due endpoints leave places to others', async () => {
      const { db } = t.service.features
      const names = new Map<string, string>()
      for (const [name, endpoints] of [
        ['first', 6],
        ['second', 6],
        ['third', 1],
      ] as const) {
        const { id, key } = await t.createOrganization(name)
        names.set(id, name)
        for (let n = 0; n < endpoints; n++) {
          const body = { url: `http://127.0.0.1:9/${name}/${n}` }
          assert.equal((await t.call('POST', '/api/v1/webhook-endpoints', { key, body })).status, 201)
        }
        await t.createUser({}, key)
      }
      // Events wait for older transactions, which may be those of other tests.
      await eventually(async () => {
        while (await fanOutAll(db));
        const [{ due }] = await t.query(
          'select count(distinct endpoint_id)::integer as due from webhook_deliveries',
        )
        assert.equal(due, 13)
      })
      const idOf = (name: string) => [...names].find(([, each]) => each === name)?.[0] as string
      const lease = async (limit: number, share: number, served: [string, number][] = []) => {
        const places = { limit, share, served: new Map(served.map(([name, n]) => [idOf(name), n])) }
        const leased = await endpointStore.leaseDue(db, { leaseId: newUuid(), leaseMs: 60_000 }, places)
        await t.query('update webhook_endpoints set leased_by = null, leased_until = null')
        return [...names.values()].map(
          name => leased.filter(({ organizationId }) => names.get(organizationId) === name).length,
        )
      }
      assert.ok(
        (await lease(3, 3)).every(count => count === 1),
        'the first of each comes first',
      )
      assert.deepEqual(await lease(20, 3), [3, 3, 1], 'no organization has more than its share')
      assert.deepEqual(
        await lease(20, 3, [
          ['first', 2],
          ['second', 3],
        ]),
        [1, 0, 1],
        'served ones count',
      )
      assert.deepEqual(
        await lease(1, 3, [
          ['first', 1],
          ['second', 2],
        ]),
        [0, 0, 1],
        'fewer served, first in line',
      )
    })
  })
