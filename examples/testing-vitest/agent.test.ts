import { type Carabiner, openTape, startCarabiner } from '@carabiner/testing'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerWithNotes } from './agent.ts'

let carabiner: Carabiner
beforeAll(async () => {
  carabiner = await startCarabiner()
})
afterAll(() => carabiner?.stop())

test('a user without an account: returns a link, and the notes after it was followed', async () => {
  const user = await carabiner.user()
  const address = { url: user.mcpUrl, headers: user.headers }
  const first = await answerWithNotes(address, 'Lisbon')
  expect(first).toMatchObject({ reason: 'never_linked' })
  await carabiner.followLink('connect' in first ? first.connect : '')
  expect(await answerWithNotes(address, 'Lisbon')).toEqual({ titles: ['Lisbon in April'] })
})

test('a provider that fails: asks to try again', async () => {
  const user = await carabiner.linkedUser({ connector: 'sandbox-notes' })
  await carabiner.faults.serverError({ status: 500 })
  const answer = await answerWithNotes({ url: user.mcpUrl, headers: user.headers }, 'Lisbon')
  expect(answer).toHaveProperty('tryAgain')
})

test('recorded notes: are the same in every run, without a service', async () => {
  await using tape = await openTape({ file: `${import.meta.dirname}/notes.tape.json`, mode: 'replay' })
  expect(await answerWithNotes({ url: tape.url }, 'Lisbon')).toEqual({ titles: ['Lisbon in April'] })
})
