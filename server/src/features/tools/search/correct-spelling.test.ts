import assert from 'node:assert/strict'
import { it } from 'node:test'
import { correctSpelling } from './correct-spelling.ts'

const KNOWN = ['calendar', 'configuration', 'invoice', 'message', 'slack']

it('spelling: corrects a missing, superfluous, different or swapped letter', () => {
  for (const [typo, word] of [
    ['mesage', 'message'],
    ['invoicce', 'invoice'],
    ['calender', 'calendar'],
    ['invioce', 'invoice'],
    ['slak', 'slack'],
  ] as const)
    assert.equal(correctSpelling(typo, KNOWN, 4), word)
})

it('spelling: completes the beginning of a word', () => {
  assert.equal(correctSpelling('config', KNOWN, 4), 'configuration')
})

it('spelling: leaves other words alone', () => {
  for (const word of ['mail', 'conf', 'b7', 'slacks2', 'calendxrs', 'größe', ''])
    assert.equal(correctSpelling(word, KNOWN, 4), null, word)
  assert.equal(correctSpelling('slak', KNOWN, 6), null)
})
