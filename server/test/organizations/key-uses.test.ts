import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HOUR } from '../../src/core/duration.ts'
import { hashToken, type Token } from '../../src/core/token.ts'
import { apiKeyStore } from '../../src/features/organizations/api-key-store.ts'
import { flowEngines, openTestDatabase, type TestDatabase } from '../support/databases.ts'
import { runSql } from '../support/run-sql.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines)
  describe(`last use of keys on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await startTestService(engine)
    })
    after(() => t.stop())

    const flush = () => t.service.features.keyUses.flush()
    const lastUse = async (name: string): Promise<string | null> =>
      (await t.call('GET', '/api/v1/api-keys')).body.data.find((key: { name: string }) => key.name === name)
        .last_used_at
    const databaseNow = async (): Promise<number> =>
      (await t.query('select app_now() as now'))[0].now.getTime()
    const newKey = async (name: string): Promise<{ id: string; key: string }> =>
      (await t.call('POST', '/api/v1/api-keys', { body: { name } })).body

    it('an API key shows its last request, by the clock of the database', async () => {
      const { key } = await newKey('Nightly')
      await flush()
      assert.equal(await lastUse('Nightly'), null, 'a key that was created but not used')
      await t.moveClock(3 * HOUR)
      assert.equal((await t.call('GET', '/api/v1/organization', { key })).status, 200)
      assert.equal(await lastUse('Nightly'), null, 'the request itself does not write')
      await flush()
      const first = Date.parse((await lastUse('Nightly')) as string)
      assert.ok(Math.abs(first - (await databaseNow())) < HOUR)
      await t.moveClock(3 * HOUR)
      await flush()
      assert.equal(Date.parse((await lastUse('Nightly')) as string), first, 'no use, no change')
    })

    it('requests with an unknown or a revoked key change nothing', async () => {
      const { id, key } = await newKey('Revoked')
      assert.equal((await t.call('DELETE', `/api/v1/api-keys/${id}`)).status, 204)
      assert.equal((await t.call('GET', '/api/v1/organization', { key })).status, 401)
      await flush()
      const [row] = await t.query('select last_used_at from api_keys where id = $1', [id])
      assert.equal(row.last_used_at, null)
    })

    it('the MCP endpoint counts as a use of MCP keys and API keys, also when the call is denied', async () => {
      const user = await t.createUser()
      const path = `/api/v1/registered-users/${user.id}/mcp-keys`
      const created = await t.call('POST', path, { body: { name: 'Laptop' } })
      assert.equal(created.body.last_used_at, null)
      const shown = async () => (await t.call('GET', path)).body.data[0].last_used_at
      const { key } = created.body
      const other = await t.createUser()
      assert.equal((await t.mcp(other.id, 'tools/list', {}, { key })).status, 404)
      await flush()
      assert.equal(await shown(), null, 'a request for another user')
      assert.equal((await t.mcp(user.id, 'tools/call', { name: 'none__such' }, { key })).status, 200)
      await flush()
      assert.ok(Math.abs(Date.parse(await shown()) - (await databaseNow())) < HOUR)
      const { key: apiKey } = await newKey('Agent')
      const tested = await t.createUser({}, apiKey)
      await flush()
      const earlier = await lastUse('Agent')
      await t.moveClock(3 * HOUR)
      assert.equal((await t.mcp(tested.id, 'tools/list', {}, { key: apiKey })).status, 200)
      await flush()
      assert.ok(((await lastUse('Agent')) as string) > (earlier as string))
    })

    it('an older use that is written late does not replace a newer one', async () => {
      const { key } = await newKey('Two processes')
      const hash = hashToken(key as Token)
      const { db } = t.service.features
      await apiKeyStore.markUsed(db, [{ hash, msAgo: 1_000 }])
      const newer = await lastUse('Two processes')
      assert.notEqual(newer, null)
      await apiKeyStore.markUsed(db, [{ hash, msAgo: HOUR }])
      assert.equal(await lastUse('Two processes'), newer)
    })

    it('processes that write the same keys at once, in opposite order, do not fail each other', async () => {
      const keys = await Promise.all(Array.from({ length: 20 }, (_, n) => newKey(`Many ${n}`)))
      const uses = keys.map(({ key }) => ({ hash: hashToken(key as Token), msAgo: 0 }))
      const { db } = t.service.features
      await Promise.all(
        Array.from({ length: 30 }, (_, n) =>
          apiKeyStore.markUsed(db, n % 2 === 0 ? uses : uses.toReversed()),
        ),
      )
      for (const n of keys.keys()) assert.notEqual(await lastUse(`Many ${n}`), null)
    })

    it('keys of an organization that is not served here are left alone', async () => {
      const moved = await t.createOrganization('Moved')
      assert.equal((await t.call('GET', '/api/v1/organization', { key: moved.key })).status, 200)
      await t.query(`select set_organization_state($1, array['active'], 'leaving')`, [moved.id])
      await flush()
      const rows = await t.query('select last_used_at from api_keys where organization_id = $1', [moved.id])
      assert.deepEqual(
        rows.map(row => row.last_used_at),
        [null, null],
      )
    })
  })

describe('last use of keys, when the service stops', () => {
  it('a clean stop stores the uses that were not written yet', async () => {
    const t = await startTestService()
    const db = await openTestDatabase({ url: t.databaseUrl } as TestDatabase)
    try {
      assert.equal((await t.call('GET', '/api/v1/organization')).status, 200)
      await t.service.stop()
      const [row] = await runSql<{ last_used_at: Date | null }>(
        db,
        `select last_used_at from api_keys where mode = 'production' and organization_id = $1`,
        [t.organization.id],
      )
      assert.notEqual(row?.last_used_at ?? null, null)
    } finally {
      await db.close()
      await t.stop()
    }
  })
})
