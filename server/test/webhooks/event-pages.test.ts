import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { eventTypes } from '@carabiner/contract'
import { makeEventPages } from '../../../scripts/event-pages.ts'

const docs = join(import.meta.dirname, '../../../docs/reference')
const pages = makeEventPages()

test('docs/reference/events has a page for each event type, as generated from the catalog', () => {
  assert.deepEqual(
    globSync('*', { cwd: join(docs, 'events') }).toSorted(),
    ['index.md', ...eventTypes.map(type => `${type}.md`)].toSorted(),
  )
  for (const [file, text] of pages)
    assert.equal(readFileSync(join(docs, 'events', file), 'utf8'), text, `${file}: run npm run docs:events`)
})

test('each page of an event type has its fields, an example, and a link to the fields of all events', () => {
  for (const type of eventTypes) {
    const page = pages.get(`${type}.md`) ?? ''
    const [, json = ''] = /```json\n(.*?)\n```/s.exec(page) ?? []
    const { type: shown, data } = JSON.parse(json)
    assert.equal(shown, type)
    const fields = [...page.matchAll(/^\| `(\w+)` \| (.+) \| (.+) \|$/gm)]
    for (const name of Object.keys(data))
      assert.ok(
        fields.some(([, field]) => field === name),
        `${type} ${name}`,
      )
    assert.doesNotMatch(page, /\| any|undefined|\[object/)
    assert.match(page, /\(index\.md#fields-of-all-events\)/)
  }
  assert.match(pages.get('index.md') ?? '', /^## Fields of all events$/m)
})

test('docs/guides/webhooks.md links every event type to its page', () => {
  const page = readFileSync(join(docs, '../guides/webhooks.md'), 'utf8')
  for (const type of eventTypes) assert.ok(page.includes(`](../reference/events/${type}.md)`), type)
})
