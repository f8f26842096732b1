import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { Ajv } from 'ajv'
import { exampleOf } from '../../../../test/support/example-arguments.ts'
import { loadCatalog } from '../../connectors/catalog/catalog.ts'
import { namesIn } from '../templates/template.ts'
import { publishedInputSchema } from './pagination.ts'
import { buildRequest } from './tool-request.ts'

const catalog = loadCatalog({ sandbox_url: 'http://localhost:4001' })
const tools = catalog.all().flatMap(connector => connector.tools.map(tool => ({ connector, tool })))
const ajv = new Ajv({ strict: false })

const tenantOf = (connector: ConnectorFile): Record<string, string> =>
  Object.fromEntries(
    namesIn([connector.tenant, connector.credential_origins, connector.tools])
      .filter(name => name.startsWith('tenant.'))
      .map(name => [name.slice('tenant.'.length), 'acme']),
  )

const checkRequest = (connector: ConnectorFile, tool: ConnectorTool, includeOptional: boolean): void => {
  const toolName = `${connector.slug}.${tool.name}`
  const args = exampleOf(tool.input_schema, includeOptional) as Record<string, unknown>
  const validate = ajv.compile(publishedInputSchema(tool))
  assert.ok(validate(args), `${toolName}: ${ajv.errorsText(validate.errors)}`)
  const tenant = tenantOf(connector)
  const { url, headers, body } = buildRequest(connector, tool, args, tenant)
  const origins = connector.credential_origins.map(origin =>
    origin.replace(/\{tenant\.([a-z_]+)\}/g, (_, name: string) => tenant[name] as string),
  )
  assert.ok(origins.includes(new URL(url).origin), `${toolName}: ${url}`)
  assert.doesNotMatch(decodeURIComponent(url), /[{}]|undefined|\[object/, toolName)
  for (const value of Object.values(headers)) assert.doesNotMatch(value, /[{}]|undefined/, toolName)
  if (includeOptional && body !== null) assert.doesNotMatch(body, /"\{[a-z_]+\}"|undefined/, toolName)
}

test('shipped tools: requests with minimal and with all arguments stay on declared origins', () => {
  assert.ok(tools.length >= 300, `${tools.length} tools`)
  for (const { connector, tool } of tools) {
    checkRequest(connector, tool, false)
    checkRequest(connector, tool, true)
  }
})

test('shipped tools: every argument appears in the request', () => {
  for (const { connector, tool } of tools) {
    const args = exampleOf(tool.input_schema, true) as Record<string, unknown>
    const whole = JSON.stringify(buildRequest(connector, tool, args, tenantOf(connector)))
    for (const name of Object.keys(args)) {
      const { [name]: left, ...others } = args
      const required = (tool.input_schema.required ?? []) as string[]
      if (required.includes(name)) continue
      const without = JSON.stringify(buildRequest(connector, tool, others, tenantOf(connector)))
      assert.notEqual(without, whole, `${connector.slug}.${tool.name} does not use ${name} (${String(left)})`)
    }
  }
})

test('shipped tools: a cursor appears in exactly one place of a paginated request', () => {
  const paged = tools.filter(({ tool }) => tool.pagination)
  assert.ok(paged.length >= 80, `${paged.length} paged tools`)
  for (const { connector, tool } of paged) {
    const args = exampleOf(tool.input_schema, false) as Record<string, unknown>
    const cursor = cursorFor(tool)
    const { url, body } = buildRequest(connector, tool, { ...args, cursor }, tenantOf(connector))
    assert.equal(`${url} ${body}`.split('987654').length, 2, `${connector.slug}.${tool.name}: ${url} ${body}`)
  }
})

const cursorFor = (tool: ConnectorTool): string => {
  const { pagination } = tool
  if (!pagination || !('parameters' in pagination)) return '987654'
  const name = pagination.parameters[0] as string
  return Buffer.from(`${encodeURIComponent(name)}=987654`).toString('base64url')
}

test('shipped tools: Jira and Confluence have the same tools with OAuth and with an API token', () => {
  for (const slug of ['jira', 'confluence']) {
    const [byOAuth, byToken] = [slug, `${slug}-api-token`].map(name =>
      catalog.find(name)?.tools.map(({ scopes: _scopes, request, ...tool }) => ({
        ...tool,
        method: request.method,
        query: request.query,
        body: request.body,
        path: request.url.replace(/^https:\/\/[^/]+(?:\/ex\/[a-z]+\/\{tenant\.cloud_id\})?/, ''),
      })),
    )
    assert.ok(byOAuth)
    assert.deepEqual(byOAuth, byToken)
  }
})

test('confluence: an updated page has its new version, and a page without a parent has none', () => {
  const request = (name: string, args: Record<string, unknown>) => {
    const tool = catalog.find('confluence')?.tools.find(one => one.name === name)
    assert.ok(tool)
    const { url, body } = buildRequest({}, tool, args, { cloud_id: 'acme' })
    return { url, body: JSON.parse(body ?? 'null') }
  }
  const text = '<p>Hi</p>'
  assert.deepEqual(request('update_page', { page_id: '7', title: 'A', text, version: 3 }), {
    url: 'https://api.atlassian.com/ex/confluence/acme/wiki/api/v2/pages/7',
    body: {
      id: '7',
      status: 'current',
      title: 'A',
      body: { representation: 'storage', value: text },
      version: { number: 3 },
    },
  })
  assert.deepEqual(request('create_page', { space_id: '1', title: 'A', text }).body, {
    spaceId: '1',
    status: 'current',
    title: 'A',
    body: { representation: 'storage', value: text },
  })
})
