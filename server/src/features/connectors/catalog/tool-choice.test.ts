import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { choiceOf, findMisfit, presumedInput, publishInputs, withFixed } from './tool-choice.ts'

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
  it('offers all tools of a connector that it does not mention, and of one that it does only those it names', () => {
    const choices = { notes: { list: { description: 'x' } }, empty: {} }
    assert.deepEqual(choiceOf(choices, 'mail', 'send'), {})
    assert.deepEqual(choiceOf(choices, 'notes', 'list'), { description: 'x' })
    assert.equal(choiceOf(choices, 'notes', 'create'), null)
    assert.equal(choiceOf(choices, 'empty', 'any'), null)
  })

  it('takes no tool or connector for chosen because every object has something of that name', () => {
    assert.equal(choiceOf({ notes: {} }, 'notes', 'constructor'), null)
    assert.deepEqual(choiceOf({}, 'constructor', 'toString'), {})
    assert.equal(presumedInput({ inputs: { text: { hidden: true } } }, { constructor: 1 }), null)
  })

  it('takes what it sets out of what the model sees, and leaves the tool’s own schema alone', () => {
    const before = structuredClone(schema)
    const shown = publishInputs(schema, { inputs: { folder: { fixed: 'inbox' }, limit: { hidden: true } } })
    assert.deepEqual(Object.keys(shown.properties as object), ['twin', 'filter', 'text'])
    assert.deepEqual(shown.required, ['text'])
    assert.deepEqual(schema, before)
    const none = publishInputs(schema, { inputs: { folder: { fixed: 'inbox' }, text: { fixed: '' } } })
    assert.ok(!('required' in none))
    assert.equal(publishInputs(schema, { description: 'other words' }), schema)
  })

  it('puts fixed values in, over anything that stands there', () => {
    const choice = { inputs: { folder: { fixed: null }, limit: { hidden: true as const } } }
    assert.deepEqual(withFixed(choice, { text: 'a', folder: 'theirs' }), { text: 'a', folder: null })
    assert.equal(presumedInput(choice, { text: 'a', limit: 1 }), 'limit')
  })

  it('fits a tool that has its inputs and takes its values, also through references', () => {
    assert.equal(findMisfit(schema, { inputs: { folder: { fixed: 'inbox' }, limit: { fixed: 3 } } }), null)
    assert.equal(findMisfit(schema, { inputs: { twin: { fixed: 'archive' } } }), null)
    assert.equal(findMisfit(schema, { inputs: { limit: { hidden: true } } }), null)
    assert.equal(findMisfit({ type: 'object' }, {}), null)
  })

  it('does not fit otherwise, and says which input and why', () => {
    for (const [inputs, input, why] of [
      [{ foldr: { fixed: 'inbox' } }, 'foldr', /did you mean "folder"/],
      [{ constructor: { fixed: 1 } }, 'constructor', /no input "constructor"/],
      [{ folder: { fixed: 'outbox' } }, 'folder', /fixed value of "folder" must be equal/],
      [{ twin: { fixed: 'outbox' } }, 'twin', /must be equal/],
      [{ limit: { fixed: 11 } }, 'limit', /<= 10/],
      [{ limit: { fixed: null } }, 'limit', /must be integer/],
      [{ filter: { fixed: { 'a/b': 1 } } }, 'filter', /"filter" at a\/b must be string/],
      [{ text: { hidden: true } }, 'text', /is required/],
    ] as const) {
      const misfit = findMisfit(schema, { inputs: inputs })
      assert.equal(misfit?.input, input)
      assert.match(misfit.why, why)
    }
  })
})
