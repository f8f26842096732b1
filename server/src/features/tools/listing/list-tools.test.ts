import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal } from '../../../core/refusal.ts'
import { type ListedTool, pageTools } from './list-tools.ts'

const named = (names: string[]): ListedTool[] =>
  names.map(name => ({ name, description: '', inputSchema: {}, annotations: {} }))
const names = (tools: ListedTool[]): string[] => tools.map(({ name }) => name)

describe('a page of tools', () => {
  it('follows another without overlap or gap, and the last one says so', () => {
    const all = named(['a', 'b', 'c', 'd', 'e'])
    const first = pageTools(all, undefined, 2)
    const second = pageTools(all, first.nextCursor, 2)
    const third = pageTools(all, second.nextCursor, 2)
    assert.deepEqual(
      [first, second, third].map(({ tools }) => names(tools)),
      [['a', 'b'], ['c', 'd'], ['e']],
    )
    assert.ok(!('nextCursor' in third))
    assert.ok(!('nextCursor' in pageTools(all, undefined, 5)))
    assert.deepEqual(pageTools([], undefined), { tools: [] })
  })

  it('goes on behind the last tool shown, whatever came or went meanwhile', () => {
    const { nextCursor } = pageTools(named(['a', 'c', 'e']), undefined, 2)
    assert.deepEqual(names(pageTools(named(['a', 'b', 'd', 'e']), nextCursor, 2).tools), ['d', 'e'])
    assert.deepEqual(pageTools(named(['a']), nextCursor, 2), { tools: [] })
  })

  it('holds 200 tools unless told', () => {
    const all = named(Array.from({ length: 201 }, (_, index) => `t${String(index).padStart(3, '0')}`))
    assert.equal(pageTools(all, undefined).tools.length, 200)
  })

  it('is not found by a cursor that no list returned', () => {
    for (const cursor of ['', ' ', '!', 'YQ==', 'YR', 1, null, {}, [], 'A'.repeat(1000), 'AAAA', 'w7w'])
      assert.throws(
        () => pageTools(named(['a']), cursor),
        error => isRefusal(error, 'invalid_cursor'),
        JSON.stringify(cursor),
      )
  })
})
