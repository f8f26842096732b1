import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { readQuery } from './read-query.ts'
import { stem, wordsOfText } from './tokenize.ts'

const read = (query: string) => readQuery(query, wordsOfText(query))
/** What a query may mean, heaviest first. */
const weightOf = (query: string, word: string): number =>
  Math.max(0, ...read(query).terms.map(term => term.get(stem(word)) ?? 0))

describe('the meaning of a query', () => {
  it('recognizes phrases, also with words inside of them', () => {
    assert.ok(weightOf('tick off the task', 'complete') > 0)
    assert.ok(weightOf('tick the last one off', 'complete') > 0)
    assert.equal(
      weightOf('tick the box in the form that she sent me off', 'complete'),
      weightOf('tick', 'complete'),
    )
    assert.ok(weightOf('push it back', 'reschedule') > 0)
    assert.equal(weightOf('push it back', 'commit'), 0, 'the parts of a phrase do not count on their own')
  })

  it('reads a verb only where an instruction has one', () => {
    for (const query of ['text Ann the code', 'please text Ann', 'I want to text Ann'])
      assert.ok(weightOf(query, 'send') > 0, query)
    assert.equal(weightOf('replace the text', 'send'), 0)
  })

  it('counts an action and its object separately', () => {
    const { terms } = read('bill Ann')
    assert.ok(terms.some(term => term.has('creat') && !term.has('invoic')))
    assert.ok(terms.some(term => term.has('invoic') && !term.has('creat')))
  })

  it('recognizes addresses, channels, keys of issues and cells', () => {
    assert.ok(weightOf('ann@example.com', 'email') > 0)
    assert.ok(weightOf('see #general', 'channel') > 0)
    assert.ok(weightOf('ABC-12', 'issue') > 0)
    assert.ok(weightOf('B7', 'cell') > 0)
    assert.deepEqual(read('it is').terms, [])
  })

  it('discounts what a user does not want', () => {
    assert.ok(weightOf("draft a mail but don't send it", 'send') < weightOf('send it', 'send'))
    assert.equal(weightOf("who hasn't signed", 'sign'), 1)
  })

  it('tells questions from instructions', () => {
    assert.equal(read('which mails did I delete').effect, 'read')
    assert.equal(read('look up the policy').effect, 'read')
    assert.equal(read('delete the mail').effect, 'write')
    assert.equal(read('dentist').effect, null)
  })
})
