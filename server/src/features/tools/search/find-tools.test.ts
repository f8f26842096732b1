import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { ListedTool } from '../listing/listed-tool.ts'
import { findTools } from './find-tools.ts'

const tool = (name: string, description: string, properties: object = {}): ListedTool => ({
  name,
  description,
  inputSchema: { type: 'object', properties },
  annotations: {},
})
const placeholder = (slug: string): ListedTool =>
  tool(`authenticate_${slug}`, 'It is not connected yet. Call this to get a link for the user.')

type Options = { linked?: string[]; keywords?: Record<string, string[]>; limit?: number }
const find = async (
  tools: ListedTool[],
  query: string,
  { linked = [], keywords = {}, limit = 5 }: Options = {},
): Promise<string[]> => {
  const connectors = {
    namesOf: (slug: string) => ({ name: slug, keywords: keywords[slug] ?? [] }),
    isLinked: (slug: string) => linked.includes(slug),
  }
  const found = await findTools(connectors, tools, { query, connector: null, limit })
  return found.map(({ name }) => name)
}

describe('search: connectors of one system', () => {
  const tools = [
    tool('jira__search_issues', 'Searches issues.'),
    tool('jira-api-token__search_issues', 'Searches issues.'),
    tool('jira__search_users', 'Searches users.'),
  ]

  it('a tool that two of them have does not take two of the first places', async () => {
    assert.deepEqual(await find(tools, 'search'), [
      'jira__search_issues',
      'jira__search_users',
      'jira-api-token__search_issues',
    ])
  })

  it('the one that the user has linked comes first', async () => {
    const linked = ['jira-api-token']
    assert.equal((await find(tools, 'search issues', { linked }))[0], 'jira-api-token__search_issues')
  })
})

describe('search: names of connectors', () => {
  const tools = [
    tool('chat__send_message', 'Sends a message.'),
    tool('mail__send_message', 'Sends a letter.'),
    tool('sharepoint__list_sites', 'Lists sites.'),
    tool('drive__share_file', 'Shares a file.'),
  ]

  it('the tools of a connector that the query names come first', async () => {
    assert.equal((await find(tools, 'send a message with mail'))[0], 'mail__send_message')
    assert.equal((await find(tools, 'send a message in chat'))[0], 'chat__send_message')
  })

  it('a linked connector comes before another, but not before one that the query names', async () => {
    const linked = ['mail']
    assert.equal((await find(tools, 'send something', { linked }))[0], 'mail__send_message')
    assert.equal((await find(tools, 'send something in chat', { linked }))[0], 'chat__send_message')
  })

  it('"SharePoint" is not "share", nor is a keyword in two words', async () => {
    const keywords = { sharepoint: ['share point'] }
    assert.deepEqual(await find(tools, 'SharePoint'), ['sharepoint__list_sites'])
    assert.equal((await find(tools, 'what is in SharePoint'))[0], 'sharepoint__list_sites')
    assert.deepEqual(await find(tools, 'share', { keywords }), ['drive__share_file'])
    assert.equal((await find(tools, 'sites in share point', { keywords }))[0], 'sharepoint__list_sites')
  })

  it('a misspelled name is understood', async () => {
    assert.deepEqual(await find(tools, 'sharpoint'), ['sharepoint__list_sites'])
  })

  it('a word that tools of others have in their names does not exclude them', async () => {
    const teams = [tool('teams__read', 'Reads.'), tool('host__list_teams', 'Lists teams.')]
    assert.deepEqual((await find(teams, 'list my teams')).toSorted(), ['host__list_teams', 'teams__read'])
  })
})

describe('search: tools that request a link', () => {
  const notes = [1, 2, 3].map(number => tool(`notes__list_${number}`, 'Lists notes of the acme company.'))

  it('are found by their connector, not by the words about linking', async () => {
    const listed = [placeholder('acme-mcp'), tool('sign__list_links', 'Lists links that a user has signed.')]
    assert.deepEqual(await find(listed, 'links of the user'), ['sign__list_links'])
    assert.deepEqual(await find(listed, 'acme'), ['authenticate_acme-mcp'])
  })

  it('come last, even if the query names their connector', async () => {
    const listed = [placeholder('acme'), ...notes]
    assert.deepEqual(await find(listed, 'list acme notes'), [
      ...notes.map(({ name }) => name),
      'authenticate_acme',
    ])
  })

  it('get the last place if the query names their connector, unless another one of that name has tools', async () => {
    const listed = [placeholder('acme'), placeholder('zeta'), ...notes]
    const found = await find(listed, 'list acme notes', { limit: 2 })
    assert.deepEqual(found, ['notes__list_1', 'authenticate_acme'])
    const withTools = [placeholder('acme-mcp'), tool('acme__list_notes', 'Lists notes.'), ...notes]
    assert.deepEqual(await find(withTools, 'list acme notes', { limit: 2 }), [
      'acme__list_notes',
      'notes__list_1',
    ])
  })

  it('are found without any word if the search is limited to their connector', async () => {
    const connectors = { namesOf: (name: string) => ({ name, keywords: [] }), isLinked: () => false }
    const search = { query: 'anything', connector: 'acme', limit: 5 }
    const found = await findTools(connectors, [placeholder('acme'), ...notes], search)
    assert.deepEqual(
      found.map(({ name }) => name),
      ['authenticate_acme'],
    )
  })
})

it('search: finds a tool by the description of an argument, and tolerates arguments without one', async () => {
  const described = { when: { description: 'Deadline of the task.' }, any: true, odd: { description: 7 } }
  assert.deepEqual(await find([tool('a__plan', 'Plans work.', described)], 'deadline'), ['a__plan'])
})

it('search: reads hostile queries as words', async () => {
  const tools = [tool('a__tick', 'Ticks.'), tool('b__constructor', 'Builds.')]
  assert.deepEqual(await find(tools, 'tick '.repeat(100)), ['a__tick'])
  assert.deepEqual(await find(tools, `${'zz '.repeat(40)}tick`), [], 'only the first words of a query count')
  assert.deepEqual(await find(tools, '__proto__ constructor'), ['b__constructor'])
  for (const query of ['', '@@@@@.', '\u0000', '#', '🙂', '(((', "'"])
    assert.deepEqual(await find(tools, query), [])
})
