import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choiceOf, findChoiceProblem, findForbiddenInput, publishInputs, withFixed } from './tool-choice.ts'

const schema = {
  type: 'object',
  $defs: { folder: { enum: ['inbox', 'archive'] } },
  properties: {
    folder: { $ref: '#/$defs/folder' },
    twin: { $ref: '#/properties/folder' },
    limit: { type: 'integer', maximum: 10 },
    filter: { type: 'object', properties: { 'a/b': { type: 'string' } } },
    text: { type: 'string' },
  },
  required: ['folder', 'text'],
}

describe('a choice of tools', () => {
  it('offers all tools of an unmentioned connector, and only the named ones of another', () => {
    const choices = { notes: { list: { description: 'x' } }, empty: {} }
    assert.deepEqual(choiceOf(choices, 'mail', 'send'), {})
    assert.deepEqual(choiceOf(choices, 'notes', 'list'), { description: 'x' })
    assert.equal(choiceOf(choices, 'notes', 'create'), null)
    assert.equal(choiceOf(choices, 'empty', 'any'), null)
  })

  it('ignores prototype properties', () => {
    assert.equal(choiceOf({ notes: {} }, 'notes', 'constructor'), null)
    assert.deepEqual(choiceOf({}, 'constructor', 'toString'), {})
    assert.equal(findForbiddenInput({ inputs: { text: { hidden: true } } }, { constructor: 1 }), null)
  })

  it('removes fixed and hidden inputs from the published schema only', () => {
    const before = structuredClone(schema)
    const shown = publishInputs(schema, { inputs: { folder: { fixed: 'inbox' }, limit: { hidden: true } } })
    assert.deepEqual(Object.keys(shown.properties as object), ['twin', 'filter', 'text'])
    assert.deepEqual(shown.required, ['text'])
    assert.deepEqual(schema, before)
    const none = publishInputs(schema, { inputs: { folder: { fixed: 'inbox' }, text: { fixed: '' } } })
    assert.ok(!('required' in none))
    assert.equal(publishInputs(schema, { description: 'other words' }), schema)
  })

  it('sets fixed values, overriding given ones', () => {
    const choice = { inputs: { folder: { fixed: null }, limit: { hidden: true as const } } }
    assert.deepEqual(withFixed(choice, { text: 'a', folder: 'theirs' }), { text: 'a', folder: null })
    assert.equal(findForbiddenInput(choice, { text: 'a', limit: 1 }), 'limit')
  })

  it('accepts inputs and values that match the tool, also through references', () => {
    assert.equal(
      findChoiceProblem(schema, { inputs: { folder: { fixed: 'inbox' }, limit: { fixed: 3 } } }),
      null,
    )
    assert.equal(findChoiceProblem(schema, { inputs: { twin: { fixed: 'archive' } } }), null)
    assert.equal(findChoiceProblem(schema, { inputs: { limit: { hidden: true } } }), null)
    assert.equal(findChoiceProblem({ type: 'object' }, {}), null)
  })

  it('rejects others with the input and the reason', () => {
    for (const [inputs, input, why] of [
      [{ foldr: { fixed: 'inbox' } }, 'foldr', /did you mean "folder"/],
      [{ constructor: { fixed: 1 } }, 'constructor', /no input "constructor"/],
      [{ folder: { fixed: 'outbox' } }, 'folder', /fixed value of "folder" must be one of/],
      [{ twin: { fixed: 'outbox' } }, 'twin', /must be one of/],
      [{ limit: { fixed: 11 } }, 'limit', /<= 10/],
      [{ limit: { fixed: null } }, 'limit', /must be integer/],
      [{ filter: { fixed: { 'a/b': 1 } } }, 'filter', /"filter" at a\/b must be string/],
      [{ text: { hidden: true } }, 'text', /is required/],
    ] as const) {
      const problem = findChoiceProblem(schema, { inputs: inputs })
      assert.equal(problem?.input, input)
      assert.match(problem.why, why)
    }
  })
})
