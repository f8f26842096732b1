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
  {
    connector: 'quickbooks',
    tool: 'find_customers',
    args: { name: 'Ann & Co' },
    tenant: { realm_id: '123' },
    origin: 'https://quickbooks.api.intuit.com',
    request:
      'GET /v3/company/123/query?query=select%20*%20from%20Customer%20where%20DisplayName%20like%20' +
      '%27%25Ann%20%26%20Co%25%27%20orderby%20DisplayName%20startposition%201%20maxresults%20100&minorversion=75',
    headers: { authorization: 'Bearer secret-1', accept: 'application/json' },
    answer: { QueryResponse: { Customer: [{ Id: '7', DisplayName: 'Ann & Co' }], startPosition: 1 } },
    result: { items: [{ id: '7', name: 'Ann & Co' }], next_cursor: '2' },
  },
  {
    connector: 'quickbooks',
    tool: 'create_invoice',
    args: {
      customer_id: '7',
      lines: [
        {
          DetailType: 'SalesItemLineDetail',
          Amount: 20,
          SalesItemLineDetail: { ItemRef: { value: '3' }, Qty: 2, UnitPrice: 10 },
        },
      ],
      due_date: '2026-12-01',
    },
    tenant: { realm_id: '123' },
    origin: 'https://quickbooks.api.intuit.com',
    request: 'POST /v3/company/123/invoice?minorversion=75',
    headers: { 'content-type': 'application/json' },
    body: {
      CustomerRef: { value: '7' },
      Line: [
        {
          DetailType: 'SalesItemLineDetail',
          Amount: 20,
          SalesItemLineDetail: { ItemRef: { value: '3' }, Qty: 2, UnitPrice: 10 },
        },
      ],
      DueDate: '2026-12-01',
    },
  },
  {
    connector: 'quickbooks',
    tool: 'send_invoice',
    args: { invoice_id: '9', email: 'ann@example.com' },
    tenant: { realm_id: '123' },
    origin: 'https://quickbooks.api.intuit.com',
    request: 'POST /v3/company/123/invoice/9/send?sendTo=ann%40example.com&minorversion=75',
    headers: { 'content-type': 'application/octet-stream' },
    body: '',
  },
]
