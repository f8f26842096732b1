import assert from 'node:assert/strict'
import { test } from 'node:test'
import { restoreName } from './restore-name.ts'

const NAMES = ['sandbox-notes__list_notes', 'authenticate_notion-mcp', 'a__x-y', 'a__x_y', 'search_tools']

test('restore name: case and replaced separators are understood', () => {
  assert.equal(restoreName('sandbox_notes__list_notes', NAMES), 'sandbox-notes__list_notes')
  assert.equal(restoreName('Sandbox-Notes.-List-Notes', NAMES), 'sandbox-notes__list_notes')
  assert.equal(restoreName('authenticate_notion_mcp', NAMES), 'authenticate_notion-mcp')
})

test('restore name: the exact name wins, and an ambiguous or shortened one means nothing', () => {
  assert.equal(restoreName('a__x-y', NAMES), 'a__x-y')
  assert.equal(restoreName('a__x_y', NAMES), 'a__x_y')
  assert.equal(restoreName('A__x.y', NAMES), null)
  assert.equal(restoreName('sandboxnotes__listnotes', NAMES), null)
  assert.equal(restoreName('Search-Tools', NAMES), null, 'a tool of the service itself')
})
