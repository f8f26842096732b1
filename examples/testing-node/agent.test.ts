import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Carabiner, openTape, startCarabiner } from '@carabiner/testing'
import { answerWithNotes } from './agent.ts'

describe('answerWithNotes', () => {
  let carabiner: Carabiner
  before(async () => {
    carabiner = await startCarabiner()
  })
  after(() => carabiner?.stop())

  it('a user without an account: returns a link, and the notes after it was followed', async () => {
    const user = await carabiner.user()
    const address = { url: user.mcpUrl, headers: user.headers }
    const first = await answerWithNotes(address, 'Lisbon')
    assert.ok('connect' in first && first.reason === 'never_linked')
    await carabiner.followLink(first.connect, { account: 'ana' })
    assert.deepEqual(await answerWithNotes(address, 'Lisbon'), { titles: ['Lisbon in April'] })
  })

  it('an expired connection: returns a link with the reason', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
    await carabiner.faults.expireConnection(user)
    const answer = await answerWithNotes({ url: user.mcpUrl, headers: user.headers }, 'Lisbon')
    assert.equal('reason' in answer && answer.reason, 'expired')
  })

  it('a provider that limits requests: asks to try again', async () => {
    const user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
    await carabiner.faults.rateLimit({ retryAfterSeconds: 30 })
    assert.ok('tryAgain' in (await answerWithNotes({ url: user.mcpUrl, headers: user.headers }, 'Lisbon')))
  })

  it('a link that is older than 30 minutes: no longer works', async () => {
    const user = await carabiner.user()
    const { magic_link_url } = await carabiner.client.linkTokens.mint(user.id, { connector: 'sandbox-notes' })
    await carabiner.clock.advance('31 minutes')
    await assert.rejects(carabiner.followLink(magic_link_url))
  })
})

it('recorded notes: are the same in every run, without a service', async () => {
  await using tape = await openTape({ file: `${import.meta.dirname}/notes.tape.json`, mode: 'replay' })
  const answer = await answerWithNotes({ url: tape.url }, 'Lisbon')
  assert.deepEqual(answer, { titles: ['Lisbon in April'] })
})
