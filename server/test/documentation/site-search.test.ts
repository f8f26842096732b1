import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { openIndex, search } from '../../../docs/.vitepress/search/search.ts'
import { makeSnippet } from '../../../docs/.vitepress/search/snippet.ts'

const chunks = join(import.meta.dirname, '../../../docs/.vitepress/dist/assets/chunks')
const [file = ''] = globSync('@localSearchIndexroot.*.js', { cwd: chunks })
const { default: json } = (await import(pathToFileURL(join(chunks, file)).href)) as { default: string }
const index = openIndex(json)

/** Pages of the results, best first, each once. */
const pagesFor = (query: string): string[] => [
  ...new Set(search(index, query).map(({ id }) => id.split('#')[0] as string)),
]

/** What readers ask, and a page that must be among the first three. */
const QUESTIONS: [question: string, page: string][] = [
  ['how do I install the sdk', '/get-started/backend'],
  ['how do I embed Link in my React app', '/get-started/react'],
  ['rotate the encryption key', '/security/keys'],
  ['verify webhook signature', '/guides/webhooks'],
  ['what is a tool pack', '/concepts/tool-packs'],
  ['unauthorized_origin', '/errors'],
  ['delete a user', '/concepts/linking'],
  ['claude desktop sign in', '/guides/sign-in'],
  ['oauth app google', '/guides/custom-oauth-app'],
  ['how are credentials encrypted', '/security/keys'],
  ['rate limit', '/guides/plans'],
  ['two accounts of the same connector', '/guides/several-accounts'],
  ['refresh token', '/concepts/credentials'],
  ['restore a backup', '/operate/backup'],
  ['run on kubernetes', '/operate/deployment'],
  ['docker', '/operate/deployment'],
  ['langchain', '/frameworks/langchain'],
  ['redact personal data', '/guides/security-gateway'],
  ['csrf', '/guides/code-mode'],
  ['retry a failed tool call', '/concepts/tool-calls'],
  ['too many tools for the model', '/guides/tool-search'],
  ['audit log', '/security/audit'],
  ['test my application', '/guides/testing'],
  ['link expired', '/troubleshooting'],
  ['create a link token', '/api/linking'],
  ['idempotency key', '/concepts/tool-calls'],
  ['pause a connection', '/guides/my-connections'],
  ['mobile app', '/guides/mobile'],
  ['prometheus metrics', '/operate/observability'],
  ['wait until the user has connected', '/guides/runtime-authentication'],
]

for (const [question, page] of QUESTIONS)
  test(`search: "${question}" finds ${page} among the first three pages`, () => {
    const found = pagesFor(question).slice(0, 3)
    assert.ok(found.includes(page), found.join(' '))
  })

test('search: "why does my call fail" finds Explain and Troubleshooting first', () => {
  assert.deepEqual(pagesFor('why does my call fail').slice(0, 2).toSorted(), [
    '/guides/explain',
    '/troubleshooting',
  ])
})

test('search: decisions of the project are not found', () => {
  for (const query of ['decision', 'why', 'tool search', 'routing codes', 'bm25', 'cells'])
    assert.deepEqual(
      search(index, query).filter(({ id }) => id.startsWith('/project/decisions/')),
      [],
    )
})

test('search: a snippet shows the words of the query in their context', () => {
  const text = `${'Before it. '.repeat(20)}The call failed because &lt;origin&gt; is not listed. ${'After it. '.repeat(30)}`
  const parts = makeSnippet(text, ['fail', 'origin'])
  const shown = parts.map(part => part.text).join('')
  assert.match(shown, /^… .*The call failed because <origin> is not listed\..* …$/)
  assert.ok(shown.length < 200)
  assert.deepEqual(
    parts.filter(({ isMatch }) => isMatch).map(part => part.text),
    ['failed', 'origin'],
  )
})
