import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { raceAccounts } from '../support/account-races.ts'
import { flowEngines } from '../support/databases.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines)
  describe(`races of two accounts on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    it('calls, re-links and deletions at once: no call uses an account that it did not name', async () => {
      const { wrong, reached, answers } = await raceAccounts(t, { rounds: 8, callers: 6 })
      assert.deepEqual(wrong, [])
      assert.ok(reached > 20, `${reached} calls reached a provider: ${JSON.stringify(answers)}`)
      assert.ok((answers.account_required ?? 0) > 0, JSON.stringify(answers))
      assert.ok((answers.account_not_found ?? 0) > 0, JSON.stringify(answers))
      const expected = [
        'success',
        'account_required',
        'account_not_found',
        // A provider may reject a token that was replaced or revoked while its call was in flight.
        'expired',
        'revoked',
      ]
      assert.deepEqual(
        Object.keys(answers).filter(answer => !expected.includes(answer)),
        [],
        JSON.stringify(answers),
      )
    })
  })
