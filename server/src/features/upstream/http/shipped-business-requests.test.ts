import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Secret } from '../../../core/secret.ts'
import { loadCatalog } from '../../connectors/catalog/catalog.ts'
import { authorizeRequest, type CredentialSecret } from '../authorization-kinds/authorization-kinds.ts'
import { readResponse } from './read-response.ts'
import { shapeResult } from './shape-result.ts'
import { buildRequest, type ToolArguments } from './tool-request.ts'

const catalog = loadCatalog({})

type Expected = {
  args?: ToolArguments
  request: string
  headers?: Record<string, string>
  body?: unknown
}

const oauth = (tenant: Record<string, string> = {}): CredentialSecret => ({
  kind: 'oauth2',
  accessToken: new Secret('access-token'),
  refreshToken: null,
  tenant,
})

const find = (connectorSlug: string, toolName: string) => {
  const connector = catalog.all().find(({ slug }) => slug === connectorSlug)
  assert.ok(connector, connectorSlug)
  const tool = connector.tools.find(({ name }) => name === toolName)
  assert.ok(tool, `${connectorSlug}.${toolName}`)
  return { connector, tool }
}

/** The request of a shipped tool as it would be sent, including the credential headers. */
const render = (connectorSlug: string, toolName: string, args: ToolArguments, secret: CredentialSecret) => {
  const { connector, tool } = find(connectorSlug, toolName)
  const built = buildRequest(connector, tool, args, secret.tenant)
  const { method, url, headers, body } = authorizeRequest(connector, secret, built)
  return {
    request: `${method} ${url}`,
    headers,
    body: body === null ? undefined : (JSON.parse(body) as unknown),
  }
}

const key = (fields: Record<string, string>, tenant: Record<string, string> = {}): CredentialSecret => ({
  kind: 'api_key',
  fields: Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, new Secret(value)])),
  tenant,
})

/** The result that the model gets for a response of the provider. */
const shape = (slug: string, tool: string, answer: unknown) =>
  shapeResult(find(slug, tool).tool, { answer, url: 'https://api.example', cursor: undefined, headers: {} })

const sends = (slug: string, secret: CredentialSecret, cases: Record<string, Expected>): void => {
  for (const [tool, { args = {}, request, headers = {}, body }] of Object.entries(cases))
    test(`${slug}.${tool} sends the documented request`, () => {
      const sent = render(slug, tool, args, secret)
      assert.equal(sent.request, request)
      assert.deepEqual(sent.body, body)
      for (const [name, value] of Object.entries(headers)) assert.equal(sent.headers[name], value)
    })
}

const BEARER = { authorization: 'Bearer access-token', accept: 'application/json' }

sends('zoom', oauth(), {
  list_meetings: {
    args: { type: 'upcoming', page_size: 50, cursor: 'next-token' },
    request:
      'GET https://api.zoom.us/v2/users/me/meetings?type=upcoming&page_size=50&next_page_token=next-token',
    headers: BEARER,
  },
  create_meeting: {
    args: {
      topic: 'Review',
      start_time: '2026-12-01T10:00:00',
      duration: 30,
      timezone: 'Europe/Berlin',
      waiting_room: false,
      invitees: [{ email: 'ann@example.com' }],
    },
    request: 'POST https://api.zoom.us/v2/users/me/meetings',
    headers: { ...BEARER, 'content-type': 'application/json' },
    body: {
      topic: 'Review',
      start_time: '2026-12-01T10:00:00',
      duration: 30,
      timezone: 'Europe/Berlin',
      settings: { waiting_room: false, meeting_invitees: [{ email: 'ann@example.com' }] },
    },
  },
  // Zoom requires a UUID that contains "//" to be encoded twice; the caller encodes it once.
  get_meeting_summary: {
    args: { meeting_id: 'ab%2F%2Fcd==' },
    request: 'GET https://api.zoom.us/v2/meetings/ab%252F%252Fcd%3D%3D/meeting_summary',
  },
  delete_meeting: {
    args: { meeting_id: '85746065', occurrence_id: '1648194360000' },
    request: 'DELETE https://api.zoom.us/v2/meetings/85746065?occurrence_id=1648194360000',
  },
})

test('zoom: a meeting is returned without the link that starts it as its host', () => {
  const meeting = { id: 1, join_url: 'https://zoom.us/j/1', start_url: 'https://zoom.us/s/1?zak=secret' }
  for (const tool of ['get_meeting', 'create_meeting'])
    assert.deepEqual(shape('zoom', tool, meeting), { id: 1, join_url: 'https://zoom.us/j/1' })
})

sends('pipedrive', key({ api_token: 'pd-token' }, { company: 'acme' }), {
  list_deals: {
    args: { stage_id: 3, status: 'open,won', cursor: 'eyJpZCI6NDJ9' },
    request: 'GET https://acme.pipedrive.com/api/v2/deals?stage_id=3&status=open%2Cwon&cursor=eyJpZCI6NDJ9',
    headers: { 'x-api-token': 'pd-token' },
  },
  update_deal: {
    args: { id: 7, status: 'won', custom_fields: { abc123: 2 } },
    request: 'PATCH https://acme.pipedrive.com/api/v2/deals/7',
    headers: { 'content-type': 'application/json' },
    body: { status: 'won', custom_fields: { abc123: 2 } },
  },
  create_activity: {
    args: {
      subject: 'Call',
      done: false,
      participants: [{ person_id: 5, primary: true }],
      location: 'Berlin',
    },
    request: 'POST https://acme.pipedrive.com/api/v2/activities',
    body: {
      subject: 'Call',
      done: false,
      participants: [{ person_id: 5, primary: true }],
      location: { value: 'Berlin' },
    },
  },
  list_fields: {
    args: { entity: 'organization' },
    request: 'GET https://acme.pipedrive.com/api/v2/organizationFields',
  },
  add_note: {
    args: { content: 'Called back.', deal_id: 7 },
    request: 'POST https://acme.pipedrive.com/api/v1/notes',
    body: { content: 'Called back.', deal_id: 7 },
  },
})

sends('mailchimp', key({ api_key: 'mc-key-us19' }, { datacenter: 'us19' }), {
  list_members: {
    args: { list_id: 'a1b2', status: 'subscribed', count: 100, cursor: '200' },
    request:
      'GET https://us19.api.mailchimp.com/3.0/lists/a1b2/members?status=subscribed&count=100&offset=200',
    headers: { authorization: `Basic ${Buffer.from('anystring:mc-key-us19').toString('base64')}` },
  },
  add_member: {
    args: { list_id: 'a1b2', email: 'ann@example.com', status: 'pending', merge_fields: { FNAME: 'Ann' } },
    request: 'POST https://us19.api.mailchimp.com/3.0/lists/a1b2/members',
    headers: { 'content-type': 'application/json' },
    body: { email_address: 'ann@example.com', status: 'pending', merge_fields: { FNAME: 'Ann' } },
  },
  update_member_tags: {
    args: { list_id: 'a1b2', member: 'ann@example.com', tags: [{ name: 'vip', status: 'inactive' }] },
    request: 'POST https://us19.api.mailchimp.com/3.0/lists/a1b2/members/ann%40example.com/tags',
    body: { tags: [{ name: 'vip', status: 'inactive' }] },
  },
  get_campaign_report: {
    args: { campaign_id: 'c9' },
    request: 'GET https://us19.api.mailchimp.com/3.0/reports/c9',
  },
})

test('mailchimp: no tool sends, schedules or deletes a campaign', () => {
  const { connector } = find('mailchimp', 'list_campaigns')
  for (const { name, request } of connector.tools)
    assert.ok(request.method === 'GET' || !request.url.includes('/campaigns'), name)
})

const ENVELOPE = '93be49ab-afa0-4adf-933c-f752070d71ec'
const ACCOUNT = 'a4ec37d6-0000-4000-8000-143885c220e1'
const DOCUSIGN = `https://na4.docusign.net/restapi/v2.1/accounts/${ACCOUNT}`

sends('docusign', oauth({ base: 'na4', account_id: ACCOUNT }), {
  list_envelopes: {
    args: { from_date: '2026-10-01', status: 'sent,completed', count: 20, cursor: '20' },
    request: `GET ${DOCUSIGN}/envelopes?from_date=2026-10-01&status=sent%2Ccompleted&count=20&include=recipients&start_position=20`,
    headers: BEARER,
  },
  create_envelope_from_template: {
    args: {
      template_id: ENVELOPE,
      status: 'created',
      roles: [{ roleName: 'Signer', name: 'Ann', email: 'ann@example.com' }],
    },
    request: `POST ${DOCUSIGN}/envelopes`,
    headers: { ...BEARER, 'content-type': 'application/json' },
    body: {
      templateId: ENVELOPE,
      status: 'created',
      templateRoles: [{ roleName: 'Signer', name: 'Ann', email: 'ann@example.com' }],
    },
  },
  void_envelope: {
    args: { envelope_id: ENVELOPE, reason: 'Wrong document' },
    request: `PUT ${DOCUSIGN}/envelopes/${ENVELOPE}`,
    body: { status: 'voided', voidedReason: 'Wrong document' },
  },
  remind_recipients: {
    args: { envelope_id: ENVELOPE },
    request: `PUT ${DOCUSIGN}/envelopes/${ENVELOPE}?resend_envelope=true`,
    body: {},
  },
})

test('docusign: a page has a next one only while the response names one', () => {
  const page = { envelopes: [{ envelopeId: ENVELOPE, status: 'sent' }], totalSetSize: '2' }
  const first = { ...page, nextUri: '/envelopes?start_position=1' }
  assert.equal(shape('docusign', 'list_envelopes', first).next_cursor, '1')
  assert.equal(shape('docusign', 'list_envelopes', { ...page, nextUri: '' }).next_cursor, null)
})

const SHOPIFY = 'POST https://acme.myshopify.com/admin/api/2026-07/graphql.json'

/** The variables of a rendered GraphQL request; the query text must name each of them. */
const variablesOf = (tool: string, args: ToolArguments): unknown => {
  const sent = render('shopify', tool, args, oauth({ shop: 'acme' }))
  assert.equal(sent.request, SHOPIFY)
  assert.equal(sent.headers['x-shopify-access-token'], 'access-token')
  assert.equal(sent.headers.authorization, undefined)
  const { query, variables = {} } = sent.body as { query: string; variables?: Record<string, unknown> }
  for (const name of Object.keys(variables)) assert.match(query, new RegExp(`\\(.*\\$${name}: `), tool)
  return variables
}

test('shopify: arguments are sent as variables and never become part of the query text', () => {
  assert.deepEqual(variablesOf('get_shop', {}), {})
  const query = 'status:active"}) { shop { id } }'
  assert.deepEqual(variablesOf('search_products', { query, first: 5, sort_key: 'TITLE', cursor: 'eyJs' }), {
    first: 5,
    after: 'eyJs',
    query,
    sortKey: 'TITLE',
  })
  assert.deepEqual(variablesOf('update_order', { id: 'gid://shopify/Order/1', note: '' }), {
    input: { id: 'gid://shopify/Order/1', note: '' },
  })
  const line = { variantId: 'gid://shopify/ProductVariant/2', quantity: 1 }
  assert.deepEqual(variablesOf('create_draft_order', { line_items: [line] }), {
    input: { lineItems: [line] },
  })
  assert.deepEqual(
    variablesOf('create_draft_order', { line_items: [line], customer_id: 'gid://shopify/Customer/3' }),
    { input: { lineItems: [line], purchasingEntity: { customerId: 'gid://shopify/Customer/3' } } },
  )
})

const answerOf = (tool: string, body: unknown) => {
  const { connector, tool: found } = find('shopify', tool)
  const answer = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from(JSON.stringify(body)),
  }
  return readResponse(connector, found, answer, {
    url: 'https://acme.myshopify.com',
    cursor: undefined,
    secrets: [],
  })
}

test('shopify: an error in a response with status 200 is reported with Shopify’s message', () => {
  const denied = 'Access denied for productUpdate field.'
  const cases: [tool: string, body: unknown, message: RegExp][] = [
    ['list_orders', { errors: [{ message: 'Throttled' }] }, /Throttled/],
    ['update_product', { data: { productUpdate: null }, errors: [{ message: denied }] }, /Access denied/],
    [
      'update_product',
      { data: { productUpdate: { product: null, userErrors: [{ message: 'Title is too long' }] } } },
      /Title is too long/,
    ],
  ]
  for (const [tool, body, message] of cases) {
    const answer = answerOf(tool, body)
    assert.equal(answer.kind, 'failed', tool)
    if (answer.kind === 'failed') assert.match(answer.refusal.message, message)
  }
})

test('shopify: a completed change is returned together with its errors', () => {
  const product = { id: 'gid://shopify/Product/1', title: 'Shirt' }
  const body = { data: { productUpdate: { product, userErrors: [{ message: 'Tag ignored' }] } } }
  assert.deepEqual(answerOf('update_product', body), {
    kind: 'result',
    value: { id: product.id, title: 'Shirt', errors: ['Tag ignored'] },
  })
})

const BITBUCKET = 'https://api.bitbucket.org/2.0/repositories/acme/web'
const REPOSITORY = { workspace: 'acme', repository: 'web' }

sends('bitbucket', key({ email: 'ann@example.com', api_token: 'bb-token' }), {
  list_workspaces: {
    request: 'GET https://api.bitbucket.org/2.0/user/workspaces',
    headers: { authorization: `Basic ${Buffer.from('ann@example.com:bb-token').toString('base64')}` },
  },
  get_file: {
    args: { ...REPOSITORY, ref: 'main', path: 'src/index.ts' },
    request: `GET ${BITBUCKET}/src/main/src/index.ts`,
    headers: { accept: '*/*' },
  },
  list_commits: {
    args: {
      ...REPOSITORY,
      include: 'feature/login',
      cursor: Buffer.from('page=2&ctx=abc').toString('base64url'),
    },
    request: `GET ${BITBUCKET}/commits?include=feature%2Flogin&page=2&ctx=abc`,
  },
  create_pull_request: {
    args: { ...REPOSITORY, title: 'Fix', source_branch: 'fix/1', reviewers: [{ uuid: '{u-1}' }] },
    request: `POST ${BITBUCKET}/pullrequests`,
    headers: { 'content-type': 'application/json' },
    body: { title: 'Fix', source: { branch: { name: 'fix/1' } }, reviewers: [{ uuid: '{u-1}' }] },
  },
  comment_on_pull_request: {
    args: { ...REPOSITORY, pull_request: 4, text: 'Why?', path: 'a.ts', line: 7 },
    request: `POST ${BITBUCKET}/pullrequests/4/comments`,
    body: { content: { raw: 'Why?' }, inline: { path: 'a.ts', to: 7 } },
  },
  merge_pull_request: {
    args: { ...REPOSITORY, pull_request: 4 },
    request: `POST ${BITBUCKET}/pullrequests/4/merge`,
    body: {},
  },
  get_diff: {
    args: { ...REPOSITORY, spec: '3a8b42..9ff173' },
    request: `GET ${BITBUCKET}/diff/3a8b42..9ff173`,
  },
  get_pipeline: {
    args: { ...REPOSITORY, pipeline_uuid: '{9b1d}' },
    request: `GET ${BITBUCKET}/pipelines/%7B9b1d%7D`,
  },
})
