import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import type { ConnectorFile } from '@carabiner/contract'
import aws4 from 'aws4'
import OAuth from 'oauth-1.0a'
import { loadCatalog } from '../../src/features/connectors/catalog/catalog.ts'
import {
  authorizeRequest,
  type CredentialSecret,
  fromPlain,
} from '../../src/features/upstream/authorization-kinds/authorization-kinds.ts'
import { fetchAccount } from '../../src/features/upstream/http/identity.ts'
import { readResponse } from '../../src/features/upstream/http/read-response.ts'
import { buildRequest, type ToolArguments } from '../../src/features/upstream/http/tool-request.ts'
import type { Egress, EgressRequest } from '../../src/platform/egress/egress.ts'
import { IDENTITIES } from '../support/key-connectors/identities.ts'
import { RSA } from '../support/key-connectors/keys.ts'
import { SECRET, TOKEN, VENDORS, type Vendor } from '../support/key-connectors/vendors.ts'
import { oauthParameters } from '../support/signature-vendor.ts'

const catalog = loadCatalog({})

type Call = { tool: string; args?: ToolArguments; request: string; body?: unknown }
const CALLS = JSON.parse(
  readFileSync(join(import.meta.dirname, '../support/key-connectors/calls.json'), 'utf8'),
) as Record<string, Call[]>

/** Values that come from the answer to the token request. */
const OBTAINED: Record<string, Record<string, string>> = {
  'salesforce-jwt': { instance: 'acme.my.salesforce.com' },
  tableau: { site_id: '0f3c1a52-7d3e-4a06-9c55-1f2e3d4c5b6a' },
}

const secretOf = (slug: string, { tenant = {}, fields }: Vendor): CredentialSecret =>
  fromPlain({
    kind: 'token_request',
    tenant: { ...tenant, ...OBTAINED[slug] },
    fields,
    token: TOKEN,
    values: {},
  })

describe('calls', () => {
  for (const [slug, calls] of Object.entries(CALLS)) {
    const vendor = VENDORS[slug]
    if (!vendor) continue
    it(`${slug}: each tool sends the documented request with the token, and no entered secret`, () => {
      const connector = catalog.find(slug) as ConnectorFile
      const secret = secretOf(slug, vendor)
      for (const { tool: name, args = {}, request, body } of calls) {
        const tool = connector.tools.find(one => one.name === name)
        assert.ok(tool, name)
        const sent = authorizeRequest(connector, secret, buildRequest(connector, tool, args, secret.tenant))
        assert.equal(`${sent.method} ${sent.url}`, request, name)
        assert.deepEqual(sent.body === null ? undefined : JSON.parse(sent.body), body, name)
        for (const [header, value] of Object.entries(vendor.headers))
          if (header !== 'accept') assert.equal(sent.headers[header], value, `${name} ${header}`)
        const whole = JSON.stringify(sent)
        for (const hidden of [SECRET, vendor.fields.secret, 'PRIVATE KEY'])
          if (hidden) assert.ok(!whole.includes(hidden), `${name} sends a secret`)
      }
    })
  }

  it('every tool has an expected request, or is that of the OAuth connector', () => {
    for (const slug of Object.keys(VENDORS)) {
      const expected = new Set((CALLS[SAME_TOOLS[slug] ?? slug] ?? []).map(({ tool }) => tool))
      const shared = new Set(sharedTools(slug).map(({ name }) => name))
      const missing = (catalog.find(slug)?.tools ?? []).filter(
        ({ name }) => !expected.has(name) && !shared.has(name),
      )
      assert.deepEqual(
        missing.map(({ name }) => name),
        [],
        slug,
      )
    }
  })

  it('connectors that differ in their credentials only have the same tools', () => {
    for (const [one, other] of [
      ['microsoft-entra-certificate', 'microsoft-entra'],
      ['netsuite-token', 'netsuite'],
    ] as const)
      assert.deepEqual(catalog.find(one)?.tools, catalog.find(other)?.tools)
  })

  it('adp-workforce-now: calls present the certificate with its key', () => {
    const connector = catalog.find('adp-workforce-now') as ConnectorFile
    const secret = secretOf('adp-workforce-now', VENDORS['adp-workforce-now'] as Vendor)
    const tool = connector.tools[0] as ConnectorFile['tools'][number]
    const sent = authorizeRequest(connector, secret, buildRequest(connector, tool, {}, {}))
    assert.equal(sent.clientCertificate?.certificate, 'CERTIFICATE')
    assert.equal(sent.clientCertificate?.privateKey.reveal(), RSA)
  })

  for (const [slug, [base, from, to]] of Object.entries<[string, string, string]>({
    'github-app': ['github', '', ''],
    'google-drive-service-account': ['google-drive', '', ''],
    'okta-service-app': ['okta', '', ''],
    'salesforce-jwt': ['salesforce', '{tenant.domain}.my.salesforce.com', '{tenant.instance}'],
    'zoom-server-to-server': ['zoom', '', ''],
  }))
    it(`${slug}: shared tools equal those of ${base}`, () => {
      const shared = sharedTools(slug)
      assert.ok(shared.length >= 8, `${shared.length}`)
      for (const tool of shared) {
        const original = catalog.find(base)?.tools.find(({ name }) => name === tool.name)
        const text = JSON.stringify({ ...original, scopes: [] })
        assert.deepEqual(tool, JSON.parse(from === '' ? text : text.replaceAll(from, to)), tool.name)
      }
    })
})

const SAME_TOOLS: Record<string, string> = { 'microsoft-entra-certificate': 'microsoft-entra' }
const BASES: Record<string, string> = {
  'github-app': 'github',
  'google-drive-service-account': 'google-drive',
  'okta-service-app': 'okta',
  'salesforce-jwt': 'salesforce',
  'zoom-server-to-server': 'zoom',
}

/** The tools that an OAuth connector of the same product has under the same name, apart from those with requests of their own. */
const sharedTools = (slug: string): ConnectorFile['tools'] => {
  const base = catalog.find(BASES[slug] ?? '')
  const own = new Set((CALLS[slug] ?? []).map(({ tool }) => tool))
  return (catalog.find(slug)?.tools ?? []).filter(
    ({ name }) => !own.has(name) && base?.tools.some(tool => tool.name === name),
  )
}

describe('accounts', () => {
  for (const [slug, vendor] of Object.entries(VENDORS)) {
    const expected = IDENTITIES[slug]
    it(`${slug}: the identity request carries the token, and its answer names the account`, async () => {
      assert.ok(expected)
      const connector = catalog.find(slug) as ConnectorFile
      const requests: EgressRequest[] = []
      const answering = (status: number) =>
        ({
          request: async (request: EgressRequest) => {
            requests.push(request)
            return { status, headers: {}, body: Buffer.from(JSON.stringify(expected.answer)) }
          },
        }) as unknown as Egress
      const secret = secretOf(slug, vendor)
      const found = await fetchAccount({ egress: answering(200) }, connector, secret)
      const [sent] = requests
      assert.equal(`${sent?.method} ${new URL(sent?.url ?? '').href}`, expected.request)
      for (const [header, value] of Object.entries(vendor.headers))
        assert.equal(sent?.headers?.[header], value, header)
      assert.deepEqual(found.kind === 'account' && [found.account, found.accountId], [
        expected.account,
        expected.id,
      ])
      const refused = await fetchAccount({ egress: answering(401) }, connector, secret)
      assert.equal(refused.kind, 'rejected')
    })
  }

  for (const slug of [
    'adp-workforce-now',
    'ghost',
    'marketo',
    'netsuite',
    'sage-intacct',
    'sap-cloud-integration',
  ])
    it(`${slug}: an answer that contains no name, or that must not be read, leaves the entered name`, async () => {
      const connector = catalog.find(slug) as ConnectorFile
      const secret = secretOf(slug, VENDORS[slug] as Vendor)
      for (const [status, body] of [
        [200, { success: true }],
        [200, { success: true, name: 'Other', items: [{ account: 'Other' }], result: [{ name: 'Other' }] }],
        ...(connector.identity?.accepts_forbidden ? [[403, {}] as const] : []),
      ] as const) {
        const request = async () => ({ status, headers: {}, body: Buffer.from(JSON.stringify(body)) })
        const found = await fetchAccount({ egress: { request } as unknown as Egress }, connector, secret)
        assert.deepEqual(found.kind === 'account' && [found.account, found.accountId], [
          IDENTITIES[slug]?.account,
          null,
        ])
      }
    })

  it('marketo: a rejected token is recognized in an answer with status 200', () => {
    const connector = catalog.find('marketo') as ConnectorFile
    const tool = connector.tools.find(({ name }) => name === 'find_leads')
    assert.ok(tool)
    const read = (errors: object[]) =>
      readResponse(
        connector,
        tool,
        {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(
            JSON.stringify({ requestId: 'r', success: errors.length === 0, errors, result: [] }),
          ),
        },
        { url: 'https://x.example', cursor: undefined, secrets: [] },
      ).kind
    assert.equal(read([{ code: '602', message: 'Access token expired' }]), 'unauthorized')
    assert.equal(read([{ code: '601', message: 'Access token invalid' }]), 'unauthorized')
    assert.notEqual(read([{ code: '1003', message: 'filterType not specified' }]), 'unauthorized')
    assert.notEqual(read([]), 'unauthorized')
  })
})

describe('aws', () => {
  const connector = catalog.find('aws') as ConnectorFile
  const key = { id: 'AKIDEXAMPLE12345678', secret: 'aws-secret-canary/with+characters' }
  const secret = fromPlain({
    kind: 'aws_signature',
    tenant: { region: 'eu-west-1' },
    access_key_id: key.id,
    secret_access_key: key.secret,
    session_token: null,
  })

  it('each tool is signed for its service, as another implementation signs it', () => {
    for (const { tool: name, args = {}, request, body } of CALLS.aws ?? []) {
      const tool = connector.tools.find(one => one.name === name)
      assert.ok(tool, name)
      const sent = authorizeRequest(connector, secret, buildRequest(connector, tool, args, secret.tenant))
      assert.equal(`${sent.method} ${sent.url}`, request, name)
      assert.deepEqual(sent.body === null ? undefined : JSON.parse(sent.body), body, name)
      assert.equal(sent.headers.authorization, otherSignature(sent, key), name)
      assert.ok(!JSON.stringify(sent).includes(key.secret), name)
    }
  })

  it('the service of a signature is that of its host, and JSON APIs name the operation', () => {
    const targets = connector.tools.flatMap(({ request }) => {
      const target = request.headers?.['X-Amz-Target']
      return target
        ? [`${new URL(request.url.replace(/\{[^}]*\}/, 'x')).hostname.split('.')[0]} ${target}`]
        : []
    })
    assert.deepEqual(targets, [
      'logs Logs_20140328.DescribeLogGroups',
      'logs Logs_20140328.FilterLogEvents',
      'monitoring GraniteServiceVersion20100801.DescribeAlarms',
      'dynamodb DynamoDB_20120810.ListTables',
      'dynamodb DynamoDB_20120810.DescribeTable',
      'dynamodb DynamoDB_20120810.Query',
      'dynamodb DynamoDB_20120810.PutItem',
    ])
  })

  it('takes no region that would be another host', () => {
    const accepts = (text: string) => new RegExp(`^(?:${connector.tenant?.[0]?.pattern})$`).test(text)
    for (const region of ['eu-west-1', 'us-east-1', 'ap-southeast-2', 'il-central-1'])
      assert.ok(accepts(region))
    for (const region of ['', 'eu-west-1.evil.example/', 'eu-west-1@x', 'x', '..', 'eu-west-1\n'])
      assert.ok(!accepts(region), region)
  })
})

const otherSignature = (
  { method, url, headers, body }: ReturnType<typeof buildRequest>,
  key: { id: string; secret: string },
): string | undefined => {
  const { host, hostname, pathname, search } = new URL(url)
  const [service = '', region = ''] = hostname.split('.')
  const names = /SignedHeaders=([^,]*)/.exec(headers.authorization ?? '')?.[1]?.split(';') ?? []
  const { headers: signed } = aws4.sign(
    {
      service,
      region,
      method,
      path: pathname + search,
      host,
      headers: Object.fromEntries(names.map(name => [name, name === 'host' ? host : (headers[name] ?? '')])),
      body: body ?? '',
      doNotModifyHeaders: true,
    },
    { accessKeyId: key.id, secretAccessKey: key.secret },
  )
  return signed?.Authorization as string | undefined
}

describe('netsuite-token', () => {
  it('each tool is signed with OAuth 1.0a, as another implementation signs it', () => {
    const connector = catalog.find('netsuite-token') as ConnectorFile
    const keys = { consumer_secret: 'consumer-secret-canary', token_secret: 'token-secret-canary' }
    const secret = fromPlain({
      kind: 'signature',
      tenant: { account: '1234567-sb1' },
      fields: { realm: '1234567_SB1', consumer_key: 'C1', token_id: 'T1', ...keys },
    })
    const oauth = new OAuth({
      consumer: { key: 'C1', secret: keys.consumer_secret },
      signature_method: 'HMAC-SHA256',
      hash_function: (base, key) => createHmac('sha256', key).update(base).digest('base64'),
    })
    for (const { tool: name, args = {}, request, body } of CALLS.netsuite ?? []) {
      const tool = connector.tools.find(one => one.name === name)
      assert.ok(tool, name)
      const sent = authorizeRequest(connector, secret, buildRequest(connector, tool, args, secret.tenant))
      assert.equal(`${sent.method} ${sent.url}`, request, name)
      assert.deepEqual(sent.body === null ? undefined : JSON.parse(sent.body), body, name)
      const { realm, oauth_signature: signature, ...claimed } = oauthParameters(sent.headers.authorization)
      assert.equal(realm, '1234567_SB1')
      assert.deepEqual([claimed.oauth_consumer_key, claimed.oauth_token], ['C1', 'T1'])
      const expected = oauth.getSignature(
        { method: sent.method, url: sent.url },
        keys.token_secret,
        claimed as unknown as OAuth.Data,
      )
      assert.equal(signature, expected, name)
      for (const hidden of Object.values(keys)) assert.ok(!JSON.stringify(sent).includes(hidden), name)
    }
  })
})
