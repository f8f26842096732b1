import assert from 'node:assert/strict'
import { type Adapt, answerJson, atPath } from '../support/stand-in-front.ts'
import { everyPage, type Linked, pick, type Story } from '../support/stand-in-story.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/**
 * The stand-in lets people end an app's grant on a page, and apps end a token not at all. The vendor has
 * `DELETE /applications/{client_id}/token` for that, with the client as HTTP Basic.
 */
const adapt = (): Adapt => async (asked, ask) => {
  const clientId = /^\/applications\/([^/]+)\/token$/.exec(asked.url.pathname)?.[1]
  if (asked.method !== 'DELETE' || !clientId) return ask(asked)
  const basic = Buffer.from(`${clientId}:secret-at-github`).toString('base64')
  if (asked.headers.authorization !== `Basic ${basic}`) return answerJson(401, { message: 'Bad credentials' })
  const { access_token } = JSON.parse(asked.body) as { access_token: string }
  const page = atPath(asked, `/settings/connections/applications/${clientId}/revoke`)
  const headers = { ...asked.headers, authorization: `Bearer ${access_token}` }
  await ask({ ...page, method: 'POST', headers, body: '' })
  return answerJson(204)
}

const repository = (owner: string, name: string) => ({ owner, name, private: true })

const github: StandInVendor = {
  service: 'github',
  origins: ['https://github.com', 'https://api.github.com'],
  slugs: ['github'],
  adapt,
  seed: client => ({
    users: [{ login: 'ana' }, { login: 'ben' }],
    repos: [
      repository('ana', 'ledger'),
      ...['atlas', 'beacon', 'compass'].map(name => repository('ben', name)),
    ],
    oauth_apps: [client],
  }),
}

const TITLE = 'Ünïcode & “quotes”'

/** Not called: what needs a second branch, a build, or the vendor's search. */
const useTools = async ({ call, look }: Linked): Promise<void> => {
  const repositories = await everyPage(call, 'list_repositories', { per_page: 2, sort: 'full_name' })
  assert.deepEqual(pick('full_name', repositories), [['ben/atlas', 'ben/beacon'], ['ben/compass']])

  const atlas = { owner: 'ben', repo: 'atlas' }
  assert.equal((await call('get_repository', atlas)).default_branch, 'main')
  assert.deepEqual(await call('get_file', { ...atlas, path: 'README.md' }), { text: '# atlas\n' })
  assert.equal((await call('list_files', { ...atlas, ref: 'main' })).items[0].path, 'README.md')
  assert.equal((await call('list_commits', atlas)).items[0].message, 'Initial commit')

  const { number } = await call('create_issue', {
    ...atlas,
    title: TITLE,
    body: 'Two\nlines',
    labels: ['bug'],
  })
  await call('create_comment', { ...atlas, number, body: 'First!' })
  await call('update_issue', { ...atlas, number, state: 'closed', state_reason: 'completed' })
  const read = await call('get_issue', { ...atlas, number })
  assert.deepEqual([read.title, read.labels, read.comments], [TITLE, ['bug'], 1])
  assert.equal((await call('list_comments', { ...atlas, number })).items[0].body, 'First!')
  assert.equal((await call('list_issues', { ...atlas, state: 'closed' })).items[0].number, number)

  const held = await look(`/repos/ben/atlas/issues/${number}`)
  assert.deepEqual(
    [held.title, held.body, held.user.login, held.state, held.state_reason],
    [TITLE, 'Two\nlines', 'ben', 'closed', 'completed'],
  )
}

export const githubStories: Story[] = [
  {
    slug: 'github',
    name: 'GitHub',
    vendor: github,
    signsInAs: 'ben',
    account: 'ben',
    denial: {
      error: 'access_denied',
      error_description: 'The user has denied your application access.',
      error_uri:
        'https://docs.github.com/apps/managing-oauth-apps/troubleshooting-authorization-request-errors',
    },
    // The tokens of an OAuth app do not expire.
    refresh: null,
    receipt: 'revoked',
    useTools,
    // What it no longer knows it takes for its first user's.
    checkEnded: async ({ look }) => assert.equal((await look('/user')).login, 'ana'),
  },
]
