import assert from 'node:assert/strict'
import { it } from 'node:test'
import type { ListedTool } from '../listing/listed-tool.ts'
import { findTools } from './find-tools.ts'

const tool = (name: string, description: string, properties: object = {}): ListedTool => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
  annotations: {},
})
const find = async (tools: ListedTool[], query: string): Promise<string[]> => {
  const namesOf = (slug: string) => ({ name: slug, keywords: [] })
  const found = await findTools(namesOf, tools, { query, connector: null, limit: 5 })
  return found.map(({ name }) => name)
}

const tools = [
  tool('jira__search_issues', 'Searches issues.'),
  tool('jira-api-token__search_issues', 'Searches issues.'),
  tool('jira__search_users', 'Searches users.'),
]

it('search: a tool that two connectors of one system have does not take two of the first places', async () => {
  assert.deepEqual(await find(tools, 'search'), [
    'jira__search_issues',
    'jira__search_users',
    'jira-api-token__search_issues',
  ])
})

it('search: the repetition comes first if the query names its connector', async () => {
  assert.equal((await find(tools, 'search issues with the api token'))[0], 'jira-api-token__search_issues')
})

it('search: finds a tool by the description of an argument, and tolerates arguments without one', async () => {
  const described = { when: { description: 'Deadline of the task.' }, any: true, odd: { description: 7 } }
  assert.deepEqual(await find([tool('a__plan', 'Plans work.', described)], 'deadline'), ['a__plan'])
})

it('search: the tool that requests a link is found by its connector, not by the words about linking', async () => {
  const asking = tool(
    'authenticate_acme-mcp',
    'Acme is not connected yet. Call this to get a link for the user.',
  )
  const listed = [asking, tool('sign__list_links', 'Lists links that a user has signed.')]
  assert.deepEqual(await find(listed, 'links of the user'), ['sign__list_links'])
  assert.deepEqual(await find(listed, 'acme'), ['authenticate_acme-mcp'])
})
