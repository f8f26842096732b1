import assert from 'node:assert/strict'
import { type LinkedConnector, pick, readAllPages, type StandInCase } from '../support/stand-in-case.ts'
import { jsonResponse, withPath } from '../support/stand-in-proxy.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

/**
 * In the stand-in, only users can revoke a grant, on a page. The vendor has an endpoint for apps,
 * `DELETE /applications/{client_id}/token`, with the client's credentials as HTTP Basic.
 */
const adapt: StandInVendor['adapt'] = client => async (request, forward) => {
  const { client_id, client_secret } = client
  if (request.url.pathname !== `/applications/${client_id}/token`) return forward(request)
  const basic = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  if (request.method !== 'DELETE' || request.headers.authorization !== `Basic ${basic}`)
    return jsonResponse(401, { message: 'Bad credentials' })
  const { access_token } = JSON.parse(request.body) as { access_token: string }
  const page = withPath(request, `/settings/connections/applications/${client_id}/revoke`)
  const headers = { ...request.headers, authorization: `Bearer ${access_token}` }
  await forward({ ...page, method: 'POST', headers, body: '' })
  return jsonResponse(204)
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

const useRepositories = async ({ call }: LinkedConnector): Promise<void> => {
  const repositories = await readAllPages(call, 'list_repositories', { per_page: 2, sort: 'full_name' })
  assert.deepEqual(pick('full_name', repositories), [['ben/atlas', 'ben/beacon'], ['ben/compass']])
  assert.equal((await call('get_repository', ATLAS)).default_branch, 'main')
  assert.deepEqual(await call('get_file', { ...ATLAS, path: 'README.md' }), { text: '# atlas\n' })
  assert.equal((await call('list_commits', ATLAS)).items[0].message, 'Initial commit')
  assert.deepEqual(pick('path', [(await call('list_files', { ...ATLAS, ref: 'main' })).items]), [
    ['README.md'],
  ])
}

const useIssues = async ({ call, fetchDirectly }: LinkedConnector): Promise<void> => {
  const issue = { title: TITLE, body: 'Two\nlines', labels: ['bug'], assignees: ['ben'] }
  const { number } = await call('create_issue', { ...ATLAS, ...issue })
  await call('create_comment', { ...ATLAS, number, body: 'First!' })
  await call('update_issue', { ...ATLAS, number, state: 'closed', state_reason: 'completed' })
  const read = await call('get_issue', { ...ATLAS, number })
  assert.deepEqual([read.title, read.labels, read.assignees, read.comments], [TITLE, ['bug'], ['ben'], 1])
  assert.equal((await call('list_comments', { ...ATLAS, number })).items[0].body, 'First!')
  assert.equal((await call('list_issues', { ...ATLAS, state: 'closed' })).items[0].number, number)
  const stored = await fetchDirectly(`/repos/ben/atlas/issues/${number}`)
  assert.deepEqual(
    [stored.title, stored.body, stored.user.login, stored.state, stored.state_reason],
    [TITLE, 'Two\nlines', 'ben', 'closed', 'completed'],
  )
}

/** Creates a branch with one file, in a nested folder and with a space in its name. */
const push = async ({ fetchDirectly }: LinkedConnector): Promise<void> => {
  const { object } = await fetchDirectly('/repos/ben/atlas/git/ref/heads/main')
  const send = (method: string, body: unknown) => ({
    method,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  await fetchDirectly('/repos/ben/atlas/git/refs', send('POST', { ref: 'refs/heads/wip', sha: object.sha }))
  const content = Buffer.from('Grüße').toString('base64')
  const commit = { message: 'Greet', branch: 'wip', content }
  await fetchDirectly('/repos/ben/atlas/contents/docs/deep/a%20b.md', send('PUT', commit))
}

const usePullRequests = async (linkedConnector: LinkedConnector): Promise<void> => {
  const { call, fetchDirectly } = linkedConnector
  await push(linkedConnector)
  const [deep] = (await call('list_directory', { ...ATLAS, path: 'docs/deep', ref: 'wip' })).items
  assert.equal(deep.name, 'a b.md')
  assert.deepEqual(await call('get_file', { ...ATLAS, path: deep.path, ref: 'wip' }), { text: 'Grüße' })
  const { number } = await call('create_pull_request', { ...ATLAS, title: TITLE, head: 'wip', base: 'main' })
  assert.deepEqual(pick('head', [(await call('list_pull_requests', ATLAS)).items]), [['wip']])
  assert.equal((await call('get_pull_request', { ...ATLAS, number })).mergeable, true)
  await call('merge_pull_request', { ...ATLAS, number, merge_method: 'squash' })
  const stored = await fetchDirectly(`/repos/ben/atlas/pulls/${number}`)
  assert.deepEqual([stored.title, stored.user.login, stored.merged], [TITLE, 'ben', true])
}

/** Not called: the files of a pull request and builds, which the stand-in does not support, and search. */
const useTools = async (linkedConnector: LinkedConnector): Promise<void> => {
  await useRepositories(linkedConnector)
  await useIssues(linkedConnector)
  await usePullRequests(linkedConnector)
}

export const githubCases: StandInCase[] = [
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
    // The stand-in treats an unknown token as its first user's.
    checkRevoked: async ({ fetchDirectly }) => assert.equal((await fetchDirectly('/user')).login, 'ana'),
  },
]
