import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('searching tools', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
  })
  after(() => t.stop())

  const search = (text: string, key?: string) =>
    t.call('GET', `/api/v1/connector-tools?search=${encodeURIComponent(text)}`, { ...(key && { key }) })

  /** A server whose tools were accepted. */
  const addServer = async (organizationId: string, slug: string, tools: number): Promise<void> => {
    const id = newUuid()
    await t.query(
      `insert into mcp_connectors (organization_id, id, slug, name, summary, source, url, authentication, tools_hash)
       values ($1, $2, $3, $3, '', 'custom', 'https://tools.example', 'none', 'h')`,
      [organizationId, id, slug],
    )
    await t.query(
      `insert into mcp_tools (organization_id, connector_id, name, upstream_name, position, definition)
       select $1, $2, 'move_' || n, 'move_' || n, n, jsonb_build_object('name', 'move_' || n, 'upstreamName', 'move_' || n,
         'title', 'Shift item ' || n, 'description', repeat('x', 2000), 'inputSchema', '{}'::jsonb, 'annotations', '{}'::jsonb)
       from generate_series(1, $3::integer) n`,
      [organizationId, id, tools],
    )
  }

  it('finds tools of catalog connectors by name, title and connector, and names their siblings', async () => {
    const { body } = await search('LIST_not')
    assert.deepEqual(
      body.data.map(({ connector_slug, tools }: any) => [connector_slug, tools.map(({ name }: any) => name)]),
      [['sandbox-notes', ['list_notes']]],
    )
    assert.ok(body.data[0].tool_names.includes('create_note'))
    assert.equal(body.total, 1)
    const qualified = (await search('sandbox-notes__')).body
    assert.deepEqual(
      qualified.data[0].tools.map(({ name }: any) => name),
      qualified.data[0].tool_names,
    )
    assert.deepEqual((await search('no such tool')).body, { data: [], total: 0 })
  })

  it('of 1,000 tools of a server, returns the first 100 definitions and counts the others', async () => {
    const { id, key } = await t.createOrganization('Large')
    await addServer(id, 'warehouse', 1_000)
    await addServer(id, 'zoo', 3)
    const all = (await search('move_', key)).body
    assert.deepEqual([all.total, all.data.length, all.data[0].tools.length], [1_003, 1, 100])
    assert.equal(all.data[0].tool_names.length, 1_000)
    const narrow = (await search('shift item 77', key)).body
    assert.equal(narrow.total, 11)
    assert.equal((await search('zoo__move', key)).body.total, 3)
    assert.equal((await search('%', key)).status, 400)
    assert.equal((await search('%_', key)).body.total, 0, 'wildcards of SQL have no meaning')
    assert.equal((await search('move_')).body.total, 0, 'another organization')
  })
})
