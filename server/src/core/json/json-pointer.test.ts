import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { escapeStep, readPointer, readReference, stepsOf } from './json-pointer.ts'

describe('a JSON Pointer', () => {
  // The document and the pointers of RFC 6901 section 5.
  const document = {
    foo: ['bar', 'baz'],
    '': 0,
    'a/b': 1,
    'c%d': 2,
    'e^f': 3,
    'g|h': 4,
    'i\\j': 5,
    'k"l': 6,
    ' ': 7,
    'm~n': 8,
  }
  it('reads what the examples of the RFC read', () => {
    assert.equal(readPointer(document, ''), document)
    assert.equal(readPointer(document, '/foo'), document.foo)
    assert.equal(readPointer(document, '/foo/0'), 'bar')
    const values = ['/', '/a~1b', '/c%d', '/e^f', '/g|h', '/i\\j', '/k"l', '/ ', '/m~0n'].map(pointer =>
      readPointer(document, pointer),
    )
    assert.deepEqual(values, [0, 1, 2, 3, 4, 5, 6, 7, 8])
  })

  it('is undefined where nothing is, also for what every object inherits', () => {
    for (const pointer of ['/nothing', '/foo/2', '/foo/bar', '/constructor', '/__proto__', '/foo/0/length'])
      assert.equal(readPointer(document, pointer), undefined, pointer)
  })

  it('unescapes ~01 to ~1, and reads what was escaped', () => {
    assert.deepEqual(stepsOf('/~01'), ['~1'])
    for (const name of ['~', '/', '~1', '~0/', 'plain'])
      assert.deepEqual(stepsOf(`/${escapeStep(name)}`), [name])
  })

  it('in a URI fragment, is percent-decoded before it is unescaped', () => {
    assert.equal(readReference(document, '#'), document)
    assert.equal(readReference(document, '#/a~1b'), 1)
    // Section 6 of the RFC, and an escape that is percent-encoded itself.
    const references = ['#/c%25d', '#/e%5Ef', '#/i%5Cj', '#/%20', '#/m~0n', '#/m%7E0n']
    assert.deepEqual(
      references.map(reference => readReference(document, reference)),
      [2, 3, 5, 7, 8, 8],
    )
    for (const reference of ['', '/foo', '#foo', 'other.json#/foo', '#/%E0%A4%A', '#/nothing'])
      assert.equal(readReference(document, reference), undefined, reference)
  })
})
