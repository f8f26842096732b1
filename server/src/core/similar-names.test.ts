import assert from 'node:assert/strict'
import { test } from 'node:test'
import { foldName, rankNames, similarNames } from './similar-names.ts'

test('similar names: a misspelled name finds its original first', () => {
  const tools = ['slack__send_message', 'slack__search_messages', 'slack__list_users', 'notion__search']
  assert.equal(similarNames('slack__sendmessage', tools, 3)[0], 'slack__send_message')
  assert.equal(similarNames('Slack__Serch_Messages', tools, 3)[0], 'slack__search_messages')
  assert.deepEqual(similarNames('weather', tools, 3), [])
  assert.deepEqual(rankNames('form', ['limit', 'from', 'format']), ['format', 'from', 'limit'])
})

test('similar names: all names are kept, of which only a bounded part is compared', () => {
  const known = Array.from({ length: 5000 }, (_, n) => `${'name'.repeat(50)}${n}`)
  assert.equal(rankNames('other', known).length, 5000)
})

test('similar names: folding ignores case and separators', () => {
  assert.equal(foldName('sandbox-notes__List_Notes'), foldName('sandbox_notes__list_notes'))
})
