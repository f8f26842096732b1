import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { isRefusal } from '../../../core/refusal.ts'
import { type ListedTool, pageTools } from './list-tools.ts'

const named = (names: string[]): ListedTool[] =>
  names.map(name => ({ name, description: '', inputSchema: {}, annotations: {} }))
const names = (tools: ListedTool[]): string[] => tools.map(({ name }) => name)

describe('a page of tools', () => {
  it('starts where the previous one ended, and the last one has no cursor', () => {
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

  it('continues after the last returned tool if tools were added or removed', () => {
    const { nextCursor } = pageTools(named(['a', 'c', 'e']), undefined, 2)
    assert.deepEqual(names(pageTools(named(['a', 'b', 'd', 'e']), nextCursor, 2).tools), ['d', 'e'])
    assert.deepEqual(pageTools(named(['a']), nextCursor, 2), { tools: [] })
  })

  it('has 200 tools by default', () => {
    const all = named(Array.from({ length: 201 }, (_, index) => `t${String(index).padStart(3, '0')}`))
    assert.equal(pageTools(all, undefined).tools.length, 200)
  })

  it('rejects an invalid cursor', () => {
    for (const cursor of ['', ' ', '!', 'YQ==', 'YR', 1, null, {}, [], 'A'.repeat(1000), 'AAAA', 'w7w'])
      assert.throws(
        () => pageTools(named(['a']), cursor),
        error => isRefusal(error, 'invalid_cursor'),
        JSON.stringify(cursor),
      )
  })
})
