import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { registerClient } from '../../src/features/oauth/client-registration.ts'
import { discoverAuthorization } from '../../src/features/oauth/discovery.ts'
import { callMcpTool, type McpTarget } from '../../src/features/upstream/mcp-client/call-mcp-tool.ts'
import { type Inspection, inspectServer } from '../../src/features/upstream/mcp-client/inspect-server.ts'
import { createMcpSessions } from '../../src/features/upstream/mcp-client/sessions.ts'
import { hashTools, type McpTool, vetTools } from '../../src/features/upstream/mcp-client/tool-definitions.ts'
import { allowLoopback, createEgress } from '../../src/platform/egress/egress.ts'
import { installMcpServers, type McpServerProcess, startMcpServer } from '../support/mcp-servers.ts'

const egress = createEgress({ [allowLoopback]: true })
const sessions = createMcpSessions()
const deps = { egress, sessions }

type Ready = Extract<Inspection, { kind: 'ready' }>
const inspect = async (url: string): Promise<Ready> => {
  const found = await inspectServer(deps, { url, headers: {} })
  assert.ok(found.kind === 'ready', JSON.stringify(found))
  return found
}
const target = (url: string, revision: string | null): McpTarget => ({
  url,
  revision,
  headers: {},
  name: 'Their server',
  sessionKey: `test ${url}`,
})
const named = (tools: McpTool[], name: string): McpTool => tools.find(tool => tool.name === name)!
const textOf = (answer: Awaited<ReturnType<typeof callMcpTool>>): unknown =>
  answer.kind === 'result' ? (answer.result.content[0] as { text?: string }).text : answer

before(installMcpServers)
after(async () => {
  await sessions.stop()
  await egress.close()
})

describe('the reference server, which requires a handshake', () => {
  let server: McpServerProcess
  let tools: McpTool[]
  before(async () => void (server = await startMcpServer('everything')))
  after(() => server.stop())

  it('lists its tools, in the latest revision with a handshake', async () => {
    const found = await inspect(server.url)
    assert.equal(found.revision, '2025-11-25')
    assert.equal(found.server.title, 'Everything Reference Server')
    const vetted = vetTools(found.tools)
    assert.deepEqual(vetted.problems, [
      '"simulate-research-query" is left out: it can only be called as a task, which is not supported.',
    ])
    assert.equal(vetted.tools.length, found.tools.length - 1)
    assert.equal(hashTools(vetted.tools), hashTools(vetTools((await inspect(server.url)).tools).tools))
    ;({ tools } = vetted)
  })

  it('is called in one session per user', async () => {
    const call = () =>
      callMcpTool(deps, target(server.url, '2025-11-25'), named(tools, 'echo'), { message: 'hello' })
    assert.equal(textOf(await call()), 'Echo: hello')
    assert.equal(textOf(await call()), 'Echo: hello')
    assert.equal(sessions.size(), 1)
  })

  it('returns images, links, resources and structured content', async () => {
    const call = (name: string, args = {}) =>
      callMcpTool(deps, target(server.url, '2025-11-25'), named(tools, name), args)
    const kinds = async (name: string, args = {}) => {
      const answer = await call(name, args)
      assert.equal(answer.kind, 'result')
      return answer.kind === 'result' ? answer.result.content.map(({ type }) => type) : []
    }
    assert.deepEqual(await kinds('get-tiny-image'), ['text', 'image', 'text'])
    assert.ok((await kinds('get-resource-links', { count: 2 })).includes('resource_link'))
    const structured = await call('get-structured-content', { location: 'Chicago' })
    assert.ok(structured.kind === 'result' && structured.result.structuredContent)
  })

  it('is initialized again after it lost its session', async () => {
    await server.stop()
    server = await startMcpServer('everything', server.port)
    const answer = await callMcpTool(deps, target(server.url, '2025-11-25'), named(tools, 'echo'), {
      message: 'again',
    })
    assert.equal(textOf(answer), 'Echo: again')
  })

  it('its own errors are returned', async () => {
    const answer = await callMcpTool(
      deps,
      target(server.url, '2025-11-25'),
      { upstreamName: 'no-such-tool', inputSchema: { type: 'object' } },
      {},
    )
    assert.match(JSON.stringify(answer), /not found/i)
  })
})

describe('a server without a handshake', () => {
  let server: McpServerProcess
  before(async () => void (server = await startMcpServer('stateless')))
  after(() => server.stop())

  it('is detected, listed and called without a session', async () => {
    const found = await inspect(server.url)
    assert.deepEqual(
      [found.revision, found.server],
      ['2026-07-28', { name: 'stateless', title: 'Stateless', version: '1.2.3' }],
    )
    const { tools, problems } = vetTools(found.tools)
    assert.deepEqual(problems, [])
    const call = (name: string, args: Record<string, unknown>, revision: string | null = found.revision) =>
      callMcpTool(deps, target(server.url, revision), named(tools, name), args)
    const sum = await call('add', { a: 2, b: 3 })
    assert.deepEqual(sum.kind === 'result' && sum.result.structuredContent, { sum: 5 })
    for (const region of ['eu', ' Zürich ', '=?base64?x?=', ''])
      assert.equal(textOf(await call('route', { region })), region)
    const failing = await call('fail', {})
    assert.ok(failing.kind === 'result' && failing.result.isError)
    const inputRequired = await call('ask', {})
    assert.ok(inputRequired.kind === 'failed')
    assert.match(inputRequired.refusal.message, /needs input from a person/)
    // The stored revision is missing or outdated.
    for (const revision of [null, '2025-11-25']) {
      const answer = await call('add', { a: 1, b: 1 }, revision)
      assert.equal(textOf(answer), '2')
      assert.equal(answer.kind === 'result' && answer.revision, '2026-07-28')
    }
  })
})

describe('a server of both protocol eras', () => {
  let server: McpServerProcess
  before(async () => void (server = await startMcpServer('dual')))
  after(() => server.stop())

  it('is called in the newer revision, or in the older one if that is stored', async () => {
    const found = await inspect(server.url)
    assert.equal(found.revision, '2026-07-28')
    const { tools } = vetTools(found.tools)
    for (const revision of ['2026-07-28', '2025-11-25']) {
      const answer = await callMcpTool(
        deps,
        { ...target(server.url, revision), sessionKey: revision },
        named(tools, 'add'),
        { a: 20, b: 22 },
      )
      assert.deepEqual([textOf(answer), answer.kind === 'result' && answer.revision], ['42', revision])
    }
  })
})

describe('a server with its own authorization server', () => {
  let server: McpServerProcess
  before(async () => void (server = await startMcpServer('oauth')))
  after(() => server.stop())

  it('its 401 response leads to a registered client', async () => {
    const refused = await inspectServer(deps, { url: server.url, headers: {} })
    assert.ok(refused.kind === 'unauthorized')
    const discovered = await discoverAuthorization(deps, {
      serverUrl: server.url,
      challenge: refused.challenge,
    })
    assert.equal(discovered.resource, server.url)
    assert.deepEqual(discovered.scopes, ['mcp:tools'])
    assert.deepEqual(JSON.parse(JSON.stringify(discovered)), discovered)
    const client = await registerClient(deps, discovered, {
      redirectUri: 'http://localhost:3900/oauth/callback/x',
      clientName: 'Carabiner',
      clientUri: 'http://localhost:3900',
    })
    assert.equal(client.tokenEndpointAuthMethod, 'client_secret_post')
    assert.ok(client.clientSecret?.reveal())
    const called = await callMcpTool(
      deps,
      target(server.url, '2025-11-25'),
      { upstreamName: 'greet', inputSchema: { type: 'object' } },
      {},
    )
    assert.equal(called.kind, 'unauthorized')
  })
})
