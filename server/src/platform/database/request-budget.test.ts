import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { coalesce } from './coalesce.ts'
import { createRequestBudget, leaveBudget, runWithBudget, spendBudget } from './request-budget.ts'

const TIMEOUT = { name: 'DatabaseTimeout' }
const never = () => new Promise<never>(() => undefined)
const answers = async () => 'answered'

describe('the database budget of a request', () => {
  it('ends a statement that is not answered, and those after it without sending them', async () => {
    let sent = 0
    await runWithBudget(createRequestBudget(20), async () => {
      await assert.rejects(spendBudget(never), TIMEOUT)
      // As long as a timer may be early.
      await assert.rejects(spendBudget(never), TIMEOUT)
      await assert.rejects(
        spendBudget(async () => sent++),
        TIMEOUT,
      )
    })
    assert.equal(sent, 0)
  })

  it('is restored by an answer, also if the answer is an error of the statement', async () => {
    const budget = createRequestBudget(60_000)
    const lost = async () => {
      throw Object.assign(new Error('lost'), { code: 'ECONNRESET' })
    }
    const rejected = async () => {
      throw Object.assign(new Error('duplicate'), { code: '23505' })
    }
    await runWithBudget(budget, async () => {
      for (const answer of [answers, rejected]) {
        await assert.rejects(spendBudget(lost))
        assert.ok(budget.spentMs > 0)
        await spendBudget<unknown>(answer).catch(() => undefined)
        assert.equal(budget.spentMs, 0)
      }
    })
  })

  it('does not limit shared work, work after the response, and work outside of requests', async () => {
    const budget = createRequestBudget(0)
    await runWithBudget(budget, async () => {
      await assert.rejects(spendBudget(answers), TIMEOUT)
      assert.equal(await leaveBudget(() => spendBudget(answers)), 'answered')
      budget.isOver = true
      assert.equal(await spendBudget(answers), 'answered')
    })
    assert.equal(await spendBudget(answers), 'answered')
  })

  it('of one caller does not end the batch of the others', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const enqueue = coalesce<string, string>(async inputs => {
      await promise
      return Promise.all(inputs.map(input => spendBudget(async () => input)))
    })
    const impatient = runWithBudget(createRequestBudget(10), () => enqueue('first'))
    const patient = runWithBudget(createRequestBudget(60_000), () => enqueue('second'))
    await assert.rejects(impatient, TIMEOUT)
    resolve()
    assert.equal(await patient, 'second')
  })
})
