/** The request that a shipped tool must send for some arguments, as the vendor's documents describe it. */
export type ShippedRequest = {
  connector: string
  tool: string
  args: Record<string, unknown>
  tenant?: Record<string, string>
  origin: string
  /** Method, path and query. */
  request: string
  headers?: Record<string, string>
  /** A value: the body is its JSON. Absent: there is none. */
  body?: unknown
  /** What the vendor answers, and what the caller gets of it. */
  answer?: unknown
  result?: unknown
}

const STRIPE = { authorization: 'Bearer secret-1', 'stripe-version': '2025-12-15.clover' }

export const shippedRequests: ShippedRequest[] = [
  {
    connector: 'gitlab-self-managed',
    tool: 'list_issues',
    args: { project: 'group/project', state: 'opened' },
    tenant: { host: 'gitlab.example.com' },
    origin: 'https://gitlab.example.com',
    request: 'GET /api/v4/projects/group%2Fproject/issues?state=opened',
    headers: { 'private-token': 'secret-1' },
  },
  {
    connector: 'intercom',
    tool: 'get_contact',
    args: { contact_id: 'abc' },
    tenant: { region: 'eu', api_host: 'api.eu.intercom.io', app_host: 'app.eu.intercom.com' },
    origin: 'https://api.eu.intercom.io',
    request: 'GET /contacts/abc',
    headers: { authorization: 'Bearer secret-1', 'intercom-version': '2.11', accept: 'application/json' },
  },
  {
    connector: 'stripe',
    tool: 'get_balance',
    args: {},
    origin: 'https://api.stripe.com',
    request: 'GET /v1/balance',
    headers: STRIPE,
  },
  {
    connector: 'stripe',
    tool: 'create_customer',
    args: { email: 'ann@example.com', name: 'Ann' },
    origin: 'https://api.stripe.com',
    request: 'POST /v1/customers',
    headers: { ...STRIPE, 'content-type': 'application/x-www-form-urlencoded' },
    body: 'email=ann%40example.com&name=Ann',
  },
]
