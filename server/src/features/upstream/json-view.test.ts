import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findFieldProblem, parseView, selectFields } from './json-view.ts'

const select = (value: unknown, ...pointers: string[]) => selectFields(value, parseView(pointers))

describe('a view of a JSON value', () => {
  it('keeps the selected fields in their place and order', () => {
    const value = {
      id: 1,
      user: { name: 'Ana', mail: 'a@b.c' },
      items: [{ id: 2, x: 3 }, { id: 4 }],
      next: null,
    }
    assert.deepEqual(select(value, '/items/*/id', '/user/name'), {
      user: { name: 'Ana' },
      items: [{ id: 2 }, { id: 4 }],
    })
    assert.deepEqual(select(value, '/next', '/id'), { id: 1, next: null })
    assert.deepEqual(select(value, '/user', '/user/name'), { user: value.user })
    assert.deepEqual(select(value, '/user/name', '/user'), { user: value.user })
    assert.equal(JSON.stringify(select(value, '/next', '/id')), '{"id":1,"next":null}')
  })

  it('leaves out missing fields, and returns undefined if there is none of them', () => {
    assert.deepEqual(select({ items: [{ a: 1 }, { b: 2 }, 3, null] }, '/items/*/a', '/none'), {
      items: [{ a: 1 }, {}],
    })
    assert.equal(select({ text: 'hello' }, '/items/*/id'), undefined)
    assert.equal(select('text', '/a'), undefined)
    assert.equal(select(null, '/a'), undefined)
    assert.deepEqual(select({ items: { a: 1 }, b: 2 }, '/items/*/a', '/b'), { items: {}, b: 2 })
  })

  it('reads arrays at the top, arrays in arrays, and escaped names', () => {
    assert.deepEqual(select([{ a: 1, b: 2 }], '/*/a'), [{ a: 1 }])
    assert.deepEqual(select({ m: [[{ a: 1, b: 2 }]] }, '/m/*/*/a'), { m: [[{ a: 1 }]] })
    assert.deepEqual(select({ 'a/b': 1, 'c~d': 2, e: 3 }, '/a~1b', '/c~0d'), { 'a/b': 1, 'c~d': 2 })
    assert.deepEqual(select({ '*': 1, a: 2 }, '/*'), { '*': 1 })
  })

  it('never reads or writes a prototype', () => {
    const value = JSON.parse('{"__proto__": {"polluted": 1}, "a": 1}')
    const selected = select(value, '/__proto__/polluted') as object
    assert.deepEqual(Object.keys(selected), ['__proto__'])
    assert.equal(Object.getPrototypeOf(selected), Object.prototype)
    assert.equal(select({ a: 1 }, '/constructor/name', '/toString'), undefined)
  })

  it('rejects fields that are not JSON Pointers', () => {
    for (const pointer of ['', 'a', '/', '/a/', '//a', '/a~2', '/a~', `/${Array(21).fill('a').join('/')}`])
      assert.notEqual(findFieldProblem(pointer), null, pointer)
    for (const pointer of ['/a', '/*', '/a/*/b', '/a~1b', '/a b', '/ü'])
      assert.equal(findFieldProblem(pointer), null, pointer)
  })

  it('traverses a value once, however many fields are selected', () => {
    const deep = (levels: number): unknown => (levels === 0 ? 'x' : Array(10).fill(deep(levels - 1)))
    const pointers = Array.from({ length: 100 }, (_, index) => `/*/*/*/*/field${index}`)
    const startedAt = process.cpuUsage()
    assert.deepEqual(select(deep(4), ...pointers), undefined)
    assert.ok(process.cpuUsage(startedAt).user < 2_000_000)
  })
})
