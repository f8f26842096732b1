import assert from 'node:assert/strict'
import {
  type LinkedConnector,
  pick,
  readAllPages,
  type StandInCase,
  withForm,
} from '../support/stand-in-case.ts'
import type { StandInVendor } from '../support/stand-ins.ts'

const ISSUE = 'f1a7c2d4-0000-4000-8000-000000000001'
const TITLE = 'Ünïcode & “quotes”'

const comment = (body: string) => ({ issue: ISSUE, user: 'ben@example.com', body })

const linear: StandInVendor = {
  service: 'linear',
  origins: ['https://linear.app', 'https://api.linear.app'],
  slugs: ['linear'],
  seed: client => ({
    users: [
      { email: 'ana@example.com', name: 'Ana Ruiz' },
      { email: 'ben@example.com', name: 'Ben Okafor' },
    ],
    teams: [
      { key: 'OPS', name: 'Operations', states: [{ name: 'Todo' }, { name: 'Doing' }, { name: 'Done' }] },
    ],
    issues: [{ id: ISSUE, team: 'OPS', title: 'Before', assignee: 'ben@example.com' }],
    comments: ['One', 'Two', 'Three'].map(comment),
    oauth_apps: [{ ...client, scopes: ['read', 'write', 'issues:create', 'comments:create'], actor: 'user' }],
    strict_scopes: true,
  }),
}

/**
 * Not called: lists and searches of issues, projects and cycles, reading one issue and commenting. They use parts of the
 * vendor's schema that the stand-in lacks: `orderBy` of issues as an enum, `searchIssues`, `Issue.estimate`,
 * `Cycle.progress`, `Comment.url`.
 */
const useTools = async ({ call, callAfterGrant, fetchDirectly }: LinkedConnector): Promise<void> => {
  const teams = (await readAllPages(call, 'list_teams', { first: 1 })).flat()
  const team_id = teams.find(({ key }) => key === 'OPS').id
  const states = await readAllPages(call, 'list_workflow_states', { team_id, first: 2 })
  assert.deepEqual(pick('name', states), [['Todo', 'Doing'], ['Done']])
  const comments = await readAllPages(call, 'list_comments', { id: ISSUE, first: 2 })
  assert.deepEqual(pick('body', comments).flat().toSorted(), ['One', 'Three', 'Two'])
  assert.equal(comments[0]?.[0].author, 'Ben Okafor')
  const users = (await call('list_users', { first: 50 })).items
  const ana = users.find(({ email }: { email: string }) => email === 'ana@example.com').id

  const doing = { state_id: states[0]?.[1].id, assignee_id: ana, priority: 2 }
  await callAfterGrant('update_issue', { id: ISSUE, title: TITLE, ...doing })
  const created = await call('create_issue', { team_id, title: TITLE, description: 'Two\nlines' })
  const query = `{
    changed: issue(id: "${ISSUE}") { title state { name } assignee { email } priority }
    made: issue(id: "${created.id}") { title description creator { email } }
  }`
  const headers = { 'content-type': 'application/json' }
  const { data } = await fetchDirectly('/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  })
  assert.deepEqual(data, {
    changed: { title: TITLE, state: { name: 'Doing' }, assignee: { email: 'ana@example.com' }, priority: 2 },
    made: { title: TITLE, description: 'Two\nlines', creator: { email: 'ben@example.com' } },
  })
}

export const linearCases: StandInCase[] = [
  {
    slug: 'linear',
    name: 'Linear',
    vendor: linear,
    signsInAs: 'ben@example.com',
    account: 'ben@example.com',
    denial: { error: 'access_denied' },
    refresh: { rotates: true },
    receipt: 'revoked',
    useTools,
    checkRevoked: async ({ fetchDirectly, standIn }, { refresh }) => {
      const { client_id, client_secret } = standIn.client
      const form = { grant_type: 'refresh_token', refresh_token: refresh, client_id, client_secret }
      assert.equal((await fetchDirectly('/oauth/token', withForm(form))).error, 'invalid_grant')
    },
  },
]
