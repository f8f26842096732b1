import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { canonicalJson, findAmbiguity } from './canonical-json.ts'

describe('canonical JSON', () => {
  it('equal values give equal texts, whatever the order of fields and the spelling of numbers', () => {
    const spellings = ['{"b":[1,{"d":2,"c":10}],"a":null}', '{ "a": null, "b": [1.0, {"c": 1e1, "d": 2}] }']
    assert.deepEqual(
      [...new Set(spellings.map(text => canonicalJson(JSON.parse(text))))],
      ['{"a":null,"b":[1,{"c":10,"d":2}]}'],
    )
  })

  it('sorts names by code units, numeric names too, and keeps what differs apart', () => {
    assert.equal(
      canonicalJson({ 9: 1, 10: 2, é: 3, e: 4, '\u{1F600}': 5, '\uFB33': 6 }),
      '{"10":2,"9":1,"e":4,"é":3,"\u{1F600}":5,"\uFB33":6}',
    )
    const different = [
      { a: 'é' },
      { a: 'e\u0301' },
      { a: ['é'] },
      { a: 'é', b: null },
      {},
      { a: null },
      { a: 0 },
      { a: '0' },
    ]
    assert.equal(new Set(different.map(canonicalJson)).size, different.length)
  })

  it('leaves out what is undefined, as JSON does', () => {
    const value = { a: undefined, b: [undefined, 1], c: -0 }
    assert.equal(canonicalJson(value), '{"b":[null,1],"c":0}')
    assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)))
  })

  it('finds what readers of JSON understand differently, at any depth', () => {
    assert.equal(findAmbiguity({ a: [1, 'ok', { b: 2 ** 53 }] }), 'a number beyond 2^53')
    assert.equal(findAmbiguity({ '\ud800': 1 }), 'a text that is not valid Unicode')
    assert.equal(findAmbiguity([['\udc00']]), 'a text that is not valid Unicode')
    assert.equal(findAmbiguity({ a: 1.5, b: 2 ** 53 - 1, c: '\u{1F600}', d: null }), null)
  })
})
