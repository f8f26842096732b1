import assert from 'node:assert/strict'
import { type HostileServer, result, startHostileMcp } from './hostile-mcp.ts'
import type { TestOrganization, TestService } from './test-service.ts'

export type RecordedCalls = {
  server: HostileServer
  open(name: string, setting?: { limit?: number; capture?: 'on' | 'off' }): Promise<TestOrganization>
  act(organization: TestOrganization, userId: string, args?: object, options?: CallOptions): Promise<any>
  list(organization: TestOrganization, query?: string, key?: string): Promise<any>
  /** Creates this many records, one second apart, the newest at the current time. */
  fill(organization: TestOrganization, userId: string, count: number): Promise<void>
}
type CallOptions = { key?: string; headers?: Record<string, string>; meta?: object }

/** A provider with a single tool that returns the text in its arguments, and organizations that call it. */
export const startRecordedCalls = async (t: TestService): Promise<RecordedCalls> => {
  const server = await startHostileMcp()
  server.reset({
    'tools/list': exchange => result(exchange, { tools: [{ name: 'act', inputSchema: { type: 'object' } }] }),
    'tools/call': exchange => {
      const { fails, text = 'done' } = exchange.message.params.arguments
      return result(exchange, { content: [{ type: 'text', text }], isError: fails === true })
    },
  })
  return {
    server,
    open: async (name, { limit, capture = 'off' } = {}) => {
      const organization = await t.createOrganization(name)
      const { key } = organization
      const added = await t.call('POST', '/api/v1/connectors', {
        key,
        body: { name: 'Theirs', slug: 'theirs', url: server.url },
      })
      assert.equal(added.status, 201, added.text)
      const set = await t.call('PATCH', '/api/v1/organization', { key, body: { capture } })
      assert.equal(set.body.capture, capture, set.text)
      if (limit !== undefined)
        await t.query('update organizations set call_limit = $2 where id = $1', [organization.id, limit])
      return organization
    },
    act: async ({ key: own, toolPackId }, userId, args = {}, { key = own, headers = {}, meta } = {}) => {
      const params = { name: 'theirs__act', arguments: args, ...(meta && { _meta: meta }) }
      const { body } = await t.call(
        'POST',
        `/api/v1/tool-packs/${toolPackId}/registered-users/${userId}/mcp`,
        { key, headers, body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params } },
      )
      return body.result
    },
    list: async ({ key: own }, query = '', key = own) => {
      const { status, text, body } = await t.call('GET', `/api/v1/tool-calls${query}`, { key })
      assert.equal(status, 200, text)
      return body
    },
    fill: async ({ id, toolPackId }, userId, count) => {
      await t.query(
        `insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, counted,
           request_id, started_at, retention_days)
         select $1, gen_random_uuid(), $2, $3, 'production', 'theirs', 'act', 'success', true, 'req_' || n,
           app_now() - n * interval '1 second', 730
         from generate_series(1, $4) n`,
        [id, userId, toolPackId, count],
      )
    },
  }
}
