import assert from 'node:assert/strict'
import { answerJson, atPath } from '../support/stand-in-front.ts'
import { everyPage, type Linked, pick, type Story } from '../support/stand-in-story.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/**
 * The stand-in lets people end an app's grant on a page, and apps end a token not at all. The vendor has
 * `DELETE /applications/{client_id}/token` for that, with the client as HTTP Basic.
 */
const adapt: StandInVendor['adapt'] = client => async (asked, ask) => {
  const { client_id, client_secret } = client
  if (asked.url.pathname !== `/applications/${client_id}/token`) return ask(asked)
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  if (asked.method !== 'DELETE' || asked.headers.authorization !== `Basic ${basic}`)
    return answerJson(401, { message: 'Bad credentials' })
  const { access_token } = JSON.parse(asked.body) as { access_token: string }
  const page = atPath(asked, `/settings/connections/applications/${client_id}/revoke`)
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

const ATLAS = { owner: 'ben', repo: 'atlas' }

const useRepositories = async ({ call }: Linked): Promise<void> => {
  const repositories = await everyPage(call, 'list_repositories', { per_page: 2, sort: 'full_name' })
  assert.deepEqual(pick('full_name', repositories), [['ben/atlas', 'ben/beacon'], ['ben/compass']])
  assert.equal((await call('get_repository', ATLAS)).default_branch, 'main')
  assert.deepEqual(await call('get_file', { ...ATLAS, path: 'README.md' }), { text: '# atlas\n' })
  assert.equal((await call('list_commits', ATLAS)).items[0].message, 'Initial commit')
  assert.deepEqual(pick('path', [(await call('list_files', { ...ATLAS, ref: 'main' })).items]), [
    ['README.md'],
  ])
}

const useIssues = async ({ call, look }: Linked): Promise<void> => {
  const said = { title: TITLE, body: 'Two\nlines', labels: ['bug'], assignees: ['ben'] }
  const { number } = await call('create_issue', { ...ATLAS, ...said })
  await call('create_comment', { ...ATLAS, number, body: 'First!' })
  await call('update_issue', { ...ATLAS, number, state: 'closed', state_reason: 'completed' })
  const read = await call('get_issue', { ...ATLAS, number })
  assert.deepEqual([read.title, read.labels, read.assignees, read.comments], [TITLE, ['bug'], ['ben'], 1])
  assert.equal((await call('list_comments', { ...ATLAS, number })).items[0].body, 'First!')
  assert.equal((await call('list_issues', { ...ATLAS, state: 'closed' })).items[0].number, number)
  const held = await look(`/repos/ben/atlas/issues/${number}`)
  assert.deepEqual(
    [held.title, held.body, held.user.login, held.state, held.state_reason],
    [TITLE, 'Two\nlines', 'ben', 'closed', 'completed'],
  )
}

/** A branch with one file on it, deep down and with a space in its name. */
const push = async ({ look }: Linked): Promise<void> => {
  const { object } = await look('/repos/ben/atlas/git/ref/heads/main')
  const send = (method: string, body: unknown) => ({
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await look('/repos/ben/atlas/git/refs', send('POST', { ref: 'refs/heads/wip', sha: object.sha }))
  const content = Buffer.from('Grüße').toString('base64')
  const commit = { message: 'Greet', branch: 'wip', content }
  await look('/repos/ben/atlas/contents/docs/deep/a%20b.md', send('PUT', commit))
}

const usePullRequests = async (linked: Linked): Promise<void> => {
  const { call, look } = linked
  await push(linked)
  const [deep] = (await call('list_directory', { ...ATLAS, path: 'docs/deep', ref: 'wip' })).items
  assert.equal(deep.name, 'a b.md')
  assert.deepEqual(await call('get_file', { ...ATLAS, path: deep.path, ref: 'wip' }), { text: 'Grüße' })
  const { number } = await call('create_pull_request', { ...ATLAS, title: TITLE, head: 'wip', base: 'main' })
  assert.deepEqual(pick('head', [(await call('list_pull_requests', ATLAS)).items]), [['wip']])
  assert.equal((await call('get_pull_request', { ...ATLAS, number })).mergeable, true)
  await call('merge_pull_request', { ...ATLAS, number, merge_method: 'squash' })
  const held = await look(`/repos/ben/atlas/pulls/${number}`)
  assert.deepEqual([held.title, held.user.login, held.merged], [TITLE, 'ben', true])
}

/** Not called: the files of a pull request and builds, of which the stand-in has none, and the vendor's search. */
const useTools = async (linked: Linked): Promise<void> => {
  await useRepositories(linked)
  await useIssues(linked)
  await usePullRequests(linked)
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
