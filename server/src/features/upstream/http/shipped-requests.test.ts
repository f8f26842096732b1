import assert from 'node:assert/strict'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { type ConnectorFile, formMethod } from '@carabiner/contract'
import { shippedRequests } from '../../../../test/support/shipped-requests.ts'
import { Secret } from '../../../core/secret.ts'
import { allowLoopback, createEgress, type Egress } from '../../../platform/egress/egress.ts'
import { type Catalog, loadCatalog } from '../../connectors/catalog/catalog.ts'
import { callHttpTool } from './http-tool.ts'
import { buildRequest } from './tool-request.ts'

const shipped = loadCatalog({})
const egress: Egress = createEgress({ [allowLoopback]: true })
let server: Server
let standIn = ''
let atStandIn: Catalog
let received: { method: string; url: string; headers: Record<string, unknown>; body: string }
let answer: unknown

const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const { method = '', url = '', headers } = request
  received = { method, url, headers, body: await text(request) }
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
}

before(async () => {
  server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  standIn = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  atStandIn = loadAtStandIn()
})
after(async () => {
  await egress.close()
  server.close()
})

/** The shipped connectors with every origin replaced by the stand-in's. */
const loadAtStandIn = (): Catalog => {
  const only = [...new Set(shippedRequests.map(({ connector }) => connector))]
  const origins = only.flatMap(slug => shipped.find(slug)?.credential_origins ?? [])
  const standIns = Object.fromEntries(origins.map(origin => [origin, standIn]))
  return loadCatalog({}, undefined, { only, standIns })
}

const secretFor = (connector: ConnectorFile, tenant: Record<string, string>) => {
  const method = connector.authorization[0]?.type === 'oauth2' ? null : formMethod(connector)
  return method
    ? {
        kind: 'api_key' as const,
        tenant,
        fields: Object.fromEntries(method.fields.map(({ name }) => [name, new Secret('secret-1')])),
      }
    : { kind: 'oauth2' as const, tenant, accessToken: new Secret('secret-1'), refreshToken: null }
}

for (const expected of shippedRequests)
  test(`${expected.connector}: ${expected.tool} sends the documented request`, async () => {
    const { args, tenant = {} } = expected
    const connector = atStandIn.find(expected.connector) as ConnectorFile
    const tool = connector.tools.find(({ name }) => name === expected.tool)
    assert.ok(tool, 'the connector does not have this tool')
    answer = expected.answer ?? {}
    const result = await callHttpTool(
      { egress },
      { connector, tool, args, secret: secretFor(connector, tenant) },
    )
    assert.equal(`${received.method} ${received.url}`, expected.request)
    for (const [name, value] of Object.entries(expected.headers ?? {}))
      if (value instanceof RegExp) assert.match(String(received.headers[name]), value, name)
      else assert.equal(received.headers[name], value, name)
    if (typeof expected.body === 'string') assert.equal(received.body, expected.body)
    else if (expected.body instanceof RegExp) assert.match(received.body, expected.body)
    else assert.deepEqual(received.body === '' ? undefined : JSON.parse(received.body), expected.body)
    if (expected.result !== undefined) assert.deepEqual(result, { kind: 'result', value: expected.result })
    const file = shipped.find(expected.connector) as ConnectorFile
    const unmapped = file.tools.find(({ name }) => name === expected.tool)
    assert.ok(unmapped)
    assert.equal(new URL(buildRequest(file, unmapped, args, tenant).url).origin, expected.origin)
  })
