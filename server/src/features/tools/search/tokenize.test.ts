import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stem, wordsOfName, wordsOfText } from './tokenize.ts'

describe('the words of names and texts', () => {
  it('names: splits snake_case, camelCase, kebab-case and acronyms', () => {
    assert.deepEqual(wordsOfName('list_open_files'), ['list', 'open', 'files'])
    assert.deepEqual(wordsOfName('createOrUpdateFile'), ['create', 'or', 'update', 'file'])
    assert.deepEqual(wordsOfName('google-calendar__listEvents'), ['google', 'calendar', 'list', 'events'])
    assert.deepEqual(wordsOfName('parseHTMLPage'), ['parse', 'html', 'page'])
  })

  it('texts: keeps the names of products in one piece', () => {
    assert.deepEqual(wordsOfText('Is it in SharePoint, OneDrive or DropBox?'), [
      'is',
      'it',
      'in',
      'sharepoint',
      'onedrive',
      'or',
      'dropbox',
    ])
  })

  it('joins words that mean something else together', () => {
    assert.deepEqual(wordsOfName('list_merge_requests'), ['list', 'mergerequest'])
    assert.deepEqual(wordsOfText('Who logged in, and is on call?'), ['who', 'login', 'and', 'is', 'oncall'])
    assert.deepEqual(wordsOfText('requests to merge, in a log'), [
      'requests',
      'to',
      'merge',
      'in',
      'a',
      'log',
    ])
  })

  it('texts: drops overlong words, joins compounds, and reads other scripts', () => {
    assert.deepEqual(wordsOfText(`${'x'.repeat(41)} ok`), ['ok'])
    assert.deepEqual(wordsOfText('E-mails and to-dos'), ['emails', 'and', 'todos'])
    assert.deepEqual(wordsOfText('Ordner für Größen, 予定'), ['ordner', 'für', 'größen', '予定'])
    assert.deepEqual(wordsOfText(''), [])
  })

  it('stems: reduces plurals and verb forms of a word to one form', () => {
    for (const group of [
      ['issue', 'issues'],
      ['company', 'companies'],
      ['branch', 'branches'],
      ['message', 'messages', 'messaging', 'messaged'],
      ['schedule', 'schedules', 'scheduled', 'scheduling'],
      ['cancel', 'cancels', 'canceled'],
      ['step', 'steps', 'stepped', 'stepping'],
      ['write', 'wrote', 'written', 'writes', 'writing'],
      ['pay', 'paid'],
    ])
      assert.equal(new Set(group.map(stem)).size, 1, group.join())
  })

  it('stems: keeps words that only look inflected', () => {
    const words = ['status', 'access', 'analysis', 'string', 'bus', 'ids']
    assert.deepEqual(words.map(stem), words)
  })
})
