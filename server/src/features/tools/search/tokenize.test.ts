import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stem, tokenize } from './tokenize.ts'

describe('tokenize', () => {
  it('splits snake_case, camelCase, kebab-case and acronyms', () => {
    assert.deepEqual(tokenize('list_pull_requests'), ['list', 'pull', 'request'])
    assert.deepEqual(tokenize('createOrUpdateFile'), ['creat', 'updat', 'file'])
    assert.deepEqual(tokenize('google-calendar__listEvents'), ['googl', 'calendar', 'list', 'event'])
    assert.deepEqual(tokenize('parseHTMLPage'), ['pars', 'html', 'page'])
  })

  it('reduces plurals and verb forms of a word to one form', () => {
    for (const group of [
      ['issue', 'issues'],
      ['company', 'companies'],
      ['branch', 'branches'],
      ['message', 'messages', 'messaging', 'messaged'],
      ['schedule', 'schedules', 'scheduled', 'scheduling'],
      ['cancel', 'cancels', 'canceled'],
      ['step', 'steps', 'stepped', 'stepping'],
    ])
      assert.equal(new Set(group.map(stem)).size, 1, group.join())
  })

  it('keeps words that only look inflected', () => {
    assert.deepEqual(['status', 'access', 'analysis', 'string', 'bus', 'ids'].map(stem), [
      'status',
      'access',
      'analysis',
      'string',
      'bus',
      'ids',
    ])
  })

  it('drops stop words and overlong words, and reads other scripts', () => {
    assert.deepEqual(tokenize('Please show me what is in the Ordner für Größen'), [
      'show',
      'ordner',
      'für',
      'größen',
    ])
    assert.deepEqual(tokenize(`${'x'.repeat(41)} ok`), ['ok'])
    assert.deepEqual(tokenize(''), [])
  })
})
