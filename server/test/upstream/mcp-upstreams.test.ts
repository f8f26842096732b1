import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createBrowserUser } from '../support/browser-user.ts'
import { type Kind, type McpServerProcess, NOTION_SECRET, startMcpServer } from '../support/mcp-servers.ts'
import { sendRawRequest, statelessRequest } from '../support/raw-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

describe('third-party servers behind the gateway', () => {
  let t: TestService
  const servers: McpServerProcess[] = []
  before(async () => {
    t = await joinTestService()
  })
  after(async () => {
    await t?.stop()
    await Promise.all(servers.map(server => server.stop()))
  })

  /** Registers a server as a connector and creates a user. */
  const connect = async (kind: Kind, settings: Record<string, unknown> = {}) => {
    const server = await startMcpServer(kind)
    servers.push(server)
    const body = { slug: kind, name: kind, url: server.url, ...settings }
    const added = await t.call('POST', '/api/v1/connectors', { body })
    assert.equal(added.status, 201, added.text)
    const { id } = await t.createUser()
    return {
      id,
      revision: added.body.protocol_revision,
      names: async (): Promise<string[]> =>
        (await t.mcp(id, 'tools/list', {}, { query: `?connectors=${kind}` })).body.result.tools.map(
          ({ name }: any) => name,
        ),
      run: async (tool: string, args = {}) =>
        (await t.mcp(id, 'tools/call', { name: `${kind}__${tool}`, arguments: args })).body.result,
    }
  }

  it('the reference server: every content type and the progress are forwarded unchanged', async () => {
    const { id, run } = await connect('everything')
    const kinds = async (tool: string, args = {}) =>
      (await run(tool, args)).content.map(({ type }: any) => type)
    assert.deepEqual(await kinds('get-tiny-image'), ['text', 'image', 'text'])
    const [, image] = (await run('get-tiny-image')).content
    assert.equal(image.mimeType, 'image/png')
    assert.equal(Buffer.from(image.data, 'base64').subarray(1, 4).toString(), 'PNG')
    assert.ok((await kinds('get-resource-links', { count: 2 })).includes('resource_link'))
    const embedded = await run('get-resource-reference', { resourceType: 'Text', resourceId: 1 })
    assert.ok(embedded.content.some(({ type, resource }: any) => type === 'resource' && resource.uri))
    const annotated = await run('get-annotated-message', { messageType: 'error', includeImage: true })
    assert.deepEqual(
      annotated.content.map(({ annotations }: any) => annotations),
      [
        { audience: ['user', 'assistant'], priority: 1 },
        { audience: ['user'], priority: 0.5 },
      ],
    )
    const { structuredContent } = await run('get-structured-content', { location: 'Chicago' })
    assert.equal(typeof structuredContent.temperature, 'number')

    const params = {
      name: 'everything__trigger-long-running-operation',
      arguments: { duration: 0.6, steps: 3 },
    }
    const path = `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${id}/mcp`
    const request = statelessRequest('tools/call', params, { meta: { progressToken: 'token' } })
    const answer = await sendRawRequest(t.baseUrl + path, t.organization.key, request)
    const { result } = await answer.until(message => 'result' in message)
    assert.equal(result.isError, false)
    const progressMessages = answer.messages.filter(({ method }) => method === 'notifications/progress')
    assert.deepEqual(
      progressMessages.map(({ params: { progress, total, progressToken } }) => [
        progress,
        total,
        progressToken,
      ]),
      [1, 2, 3].map(step => [step, 3, 'token']),
    )
  })

  it('the filesystem server behind mcp-proxy: files are read, and its errors reach the model', async () => {
    const { names, run } = await connect('filesystem')
    assert.ok((await names()).includes('filesystem__read_text_file'))
    const read = await run('read_text_file', { path: 'package.json' })
    assert.match(read.content[0].text, /carabiner-mcp-servers/)
    const refused = await run('read_text_file', { path: '/etc/hostname' })
    assert.equal(refused.isError, true)
    assert.match(refused.content[0].text, /outside allowed directories/)
  })

  it('Notion’s server with a secret: tools are listed, and its connection error reaches the model', async () => {
    const { names, run } = await connect('notion', {
      authentication: 'organization_secret',
      secret: NOTION_SECRET,
    })
    const listed = await names()
    assert.ok(listed.length >= 15 && listed.every(name => name.length <= 64), listed.join())
    const failed = await run('API-get-self')
    assert.deepEqual([failed.isError, failed.structuredContent.error.code], [true, 'third_party_error'])
    assert.match(failed.structuredContent.error.message, /^notion .*ECONNREFUSED/)
    assert.ok(!JSON.stringify(failed).includes(NOTION_SECRET))
  })

  it('a server with URL elicitation: linked by OAuth, and it reports the missing support', async () => {
    const { id, names, run } = await connect('url-elicitation')
    const { structuredContent } = (
      await t.mcp(id, 'tools/call', { name: 'authenticate_url-elicitation', arguments: {} })
    ).body.result
    const browser = createBrowserUser()
    const done = await browser.submit(await browser.open(structuredContent.magic_link_url), /\/start$/)
    assert.match(done.url, /\/done/, done.title)
    assert.ok((await names()).includes('url-elicitation__payment-confirm'))
    const failed = await run('payment-confirm', { cartId: '7' })
    assert.equal(failed.isError, true)
    assert.match(failed.content[0].text, /does not support URL elicitation/)
  })
})
