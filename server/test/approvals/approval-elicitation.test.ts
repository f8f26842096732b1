import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Bank, openBank, serveBank } from '../support/approvals/bank.ts'
import { type HostileServer, startHostileMcp } from '../support/hostile-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const SEND = { to: 'ana@example.com', amount: 10 }
const OPENS_URLS = { capabilities: { elicitation: { url: {} } } }
const ELICIT = '?elicitation=url'

describe('approvals through elicitation by URL', () => {
  let t: TestService
  let server: HostileServer
  let bank: Bank
  before(async () => {
    t = await joinTestService()
    server = await startHostileMcp()
  })
  after(async () => {
    await t.stop()
    await server.close()
  })
  const open = () => {
    bank = serveBank(server)
    return openBank(t, server)
  }
  const answered = (action: string, requestState: string) => ({
    ...OPENS_URLS,
    with: { requestState, inputResponses: { approve: { action } } },
  })

  it('sends the URL through a capable client, and the same call succeeds after the decision [approval.elicitation]', async () => {
    const { pay, decide, pending } = await open()
    const { result } = await pay(SEND, OPENS_URLS, ELICIT)
    const { method, params } = result.inputRequests.approve
    const [id] = (await pending()) as [string]
    assert.deepEqual(
      [result.resultType, method, params.mode],
      ['input_required', 'elicitation/create', 'url'],
    )
    assert.ok(params.url.includes(id), params.url)
    const waiting = pay(SEND, answered('accept', result.requestState), ELICIT)
    await decide(id, 'approve')
    assert.equal((await waiting).result.content[0].text, 'paid')
    assert.deepEqual(bank.received, [SEND])
  })

  it('an answer of the client decides nothing, whether it accepts, declines or says more [approval.elicitation]', async () => {
    const { pay, send, answerTo, read, decide, pending } = await open()
    const { requestState } = (await pay(SEND, OPENS_URLS, ELICIT)).result
    const [id] = (await pending()) as [string]
    const declined = await pay(SEND, answered('decline', requestState), ELICIT)
    assert.equal(declined.result.structuredContent.type, 'approval_meta')
    const inputResponses = { approve: { action: 'accept', content: { approved: true, decision: 'approve' } } }
    const params = { name: 'bank__pay', arguments: SEND, requestState, inputResponses }
    // Its headers arrive when it waits.
    const waiting = await send('tools/call', params, OPENS_URLS, ELICIT)
    assert.deepEqual([(await read(id)).status, waiting.messages, bank.received], ['pending', [], []])
    const changed = { ...SEND, amount: 1000 }
    assert.equal((await pay(changed, answered('accept', requestState), ELICIT)).error.code, -32602)
    assert.deepEqual(await pending(), [id])
    await decide(id, 'deny')
    const { result } = await answerTo(Promise.resolve(waiting))
    assert.deepEqual([result.structuredContent.error.code, bank.received], ['approval_denied', []])
  })
})
