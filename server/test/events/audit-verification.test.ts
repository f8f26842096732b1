import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { listChains, verifyChain } from '../../src/features/events/audit-verify.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('GET /audit-entries/verification', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
    for (let n = 0; n < 12; n++)
      await t.call('PATCH', '/api/v1/organization', { body: { name: `Orbit ${n}` } })
  })
  after(() => t.stop())

  const verify = async (query = '') =>
    (await t.call('GET', `/api/v1/audit-entries/verification${query}`)).body

  it('reports an intact chain with its head', async () => {
    const { body } = await t.call('GET', '/api/v1/audit-entries?limit=1')
    const [latest] = body.data
    const answer = await verify()
    assert.deepEqual(answer, {
      verified: latest.sequence,
      head: { sequence: latest.sequence, hash: latest.hash },
      unverified_until: null,
      next_from: null,
      problem: null,
    })
    assert.equal((await verify('?from=5')).verified, latest.sequence - 4)
  })

  it('verifies a long chain in parts, and the seal with the last part only', async () => {
    const { db, signer } = t.service.features
    const [chain] = await listChains(db, t.organization.id)
    assert.ok(chain)
    const first = await verifyChain({ db, signer }, chain, { maxEntries: 5 })
    assert.deepEqual([first.entries, first.isComplete, first.isSealChecked], [5, false, false])
    const rest = await verifyChain({ db, signer }, chain, { from: 6, maxEntries: 1000 })
    assert.deepEqual([rest.entries, rest.isComplete, rest.problem], [chain.sequence - 5, true, null])
  })

  it('rejects a malformed start', async () => {
    for (const from of ['0', '-1', 'x', '1e3', '9'.repeat(30)])
      assert.equal((await t.call('GET', `/api/v1/audit-entries/verification?from=${from}`)).status, 400)
    assert.equal((await verify('?from=999999')).verified, 0)
  })

  it('reports the first changed entry', async () => {
    await t.query('alter table audit_entries disable trigger user')
    await t.query(`update audit_entries set action = 'nothing' where organization_id = $1 and sequence = 4`, [
      t.organization.id,
    ])
    await t.query('alter table audit_entries enable trigger user')
    const { problem, next_from, verified } = await verify()
    assert.deepEqual([problem.kind, problem.sequence, next_from, verified], ['changed', 4, null, 3])
  })

  it('is not allowed without the permission to read the trail', async () => {
    const { status } = await t.call('GET', '/api/v1/audit-entries/verification', {
      key: t.organization.testKey,
    })
    assert.equal(status, 403)
  })
})
