// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toolKind } from './tool-kind.ts'

describe('toolKind', () => {
  const cases: [kind: string, tool: Parameters<typeof toolKind>[0]][] = [
    ['read', { name: 'search_issues', readOnly: true, method: 'POST' }],
    ['read', { name: 'delete_later', readOnly: true }],
    ['create', { name: 'create_issue', readOnly: false, method: 'POST' }],
    ['create', { name: 'reply_to_message', readOnly: false, method: 'PUT' }],
    ['change', { name: 'update_issue', readOnly: false, method: 'POST' }],
    ['change', { name: 'transition_issue', readOnly: false, method: 'POST' }],
    ['change', { name: 'issue', readOnly: false, method: 'PATCH' }],
    ['delete', { name: 'delete_message', readOnly: false, method: 'POST' }],
    ['delete', { name: 'messages', readOnly: false, method: 'DELETE' }],
    ['create', { name: 'notion-create-pages', readOnly: false }],
    ['delete', { name: 'pagesDelete', readOnly: false }],
    ['change', { name: 'do_something', readOnly: false }],
  ]
  for (const [kind, tool] of cases)
    test(`${tool.name} (${tool.method ?? 'no method'}, ${tool.readOnly ? 'read-only' : 'writing'}): ${kind}`, () => {
      assert.equal(toolKind(tool), kind)
    })
})
