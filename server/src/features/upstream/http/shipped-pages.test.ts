import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadCatalog } from '../../connectors/catalog/catalog.ts'
import { shapeResult } from './shape-result.ts'
import { buildRequest, type ToolRequest } from './tool-request.ts'

type Pages = {
  connector: string
  tool: string
  args?: Record<string, unknown>
  tenant?: Record<string, string>
  /** Request line of the first page. */
  first: string
  answer: unknown
  link?: string
  /** Request line of the second page; null if the answer was the last page. */
  second: string | null
  body?: unknown
}

const GRAPH = 'https://graph.microsoft.com/v1.0'
const repo = { owner: 'acme', repo: 'app' }
const asana = (path: string, rest: string) => ({
  first: `GET https://app.asana.com/api/1.0/${path}${rest}`,
  answer: { data: [{ gid: '1' }], next_page: { offset: 'eyJ0' } },
  second: `GET https://app.asana.com/api/1.0/${path}${rest}&offset=eyJ0`,
})
const TASK_FIELDS =
  'name%2Ccompleted%2Ccompleted_at%2Cdue_on%2Cdue_at%2Cassignee.name%2Cassignee.email%2Cprojects.name%2Ctags.name%2Cmodified_at%2Cpermalink_url'

/** How vendors page, taken from their documentation. */
const shippedPages: Pages[] = [
  {
    connector: 'vercel',
    tool: 'list_projects',
    first: 'GET https://api.vercel.com/v10/projects',
    answer: { projects: [{ id: 'a' }], pagination: { next: 1540095775951 } },
    second: 'GET https://api.vercel.com/v10/projects?from=1540095775951',
  },
  {
    // Above about 1,000 issues GitHub rejects a page number without the cursor.
    connector: 'github',
    tool: 'list_issues',
    args: repo,
    first: 'GET https://api.github.com/repos/acme/app/issues',
    answer: [{ number: 1 }],
    link: '<https://api.github.com/repositories/1/issues?per_page=30&after=Y3Vyc29y%3D&page=2>; rel="next"',
    second: 'GET https://api.github.com/repos/acme/app/issues?after=Y3Vyc29y%3D&page=2',
  },
  {
    connector: 'github',
    tool: 'list_branches',
    args: repo,
    first: 'GET https://api.github.com/repos/acme/app/branches',
    answer: [{ name: 'main' }],
    link: '<https://api.github.com/repositories/1/branches?page=2>; rel="next"',
    second: 'GET https://api.github.com/repos/acme/app/branches?page=2',
  },
  {
    // Without a page number Xero does not page.
    connector: 'xero',
    tool: 'list_invoices',
    tenant: { tenant_id: 't' },
    first: 'GET https://api.xero.com/api.xro/2.0/Invoices?page=1',
    answer: { Invoices: [{ InvoiceID: 'i' }] },
    second: 'GET https://api.xero.com/api.xro/2.0/Invoices?page=2',
  },
  {
    connector: 'xero',
    tool: 'list_contacts',
    args: { search: 'Ann' },
    tenant: { tenant_id: 't' },
    first: 'GET https://api.xero.com/api.xro/2.0/Contacts?searchTerm=Ann&page=1',
    answer: { Contacts: [{ ContactID: 'c' }] },
    second: 'GET https://api.xero.com/api.xro/2.0/Contacts?searchTerm=Ann&page=2',
  },
  // Without a limit Asana does not page.
  { connector: 'asana', tool: 'list_workspaces', ...asana('workspaces', '?limit=100') },
  {
    connector: 'asana',
    tool: 'list_projects',
    args: { workspace: '7' },
    ...asana(
      'workspaces/7/projects',
      '?limit=100&opt_fields=name%2Carchived%2Cdue_on%2Cowner.name%2Cpermalink_url',
    ),
  },
  {
    connector: 'asana',
    tool: 'list_my_tasks',
    args: { workspace: '7' },
    ...asana('tasks', `?assignee=me&workspace=7&limit=100&opt_fields=${TASK_FIELDS}`),
  },
  {
    connector: 'asana',
    tool: 'list_project_tasks',
    args: { project: '7' },
    ...asana('projects/7/tasks', `?limit=100&opt_fields=${TASK_FIELDS}`),
  },
  {
    connector: 'asana',
    tool: 'list_comments',
    args: { task: '7' },
    ...asana('tasks/7/stories', '?limit=100&opt_fields=type%2Ctext%2Ccreated_at%2Ccreated_by.name'),
  },
  {
    connector: 'asana',
    tool: 'list_users',
    args: { workspace: '7' },
    ...asana('users', '?workspace=7&limit=100&opt_fields=name%2Cemail'),
  },
  {
    connector: 'microsoft-teams',
    tool: 'list_chat_messages',
    args: { chat_id: '19:a@thread.v2', top: 50 },
    first: `GET ${GRAPH}/chats/19%3Aa%40thread.v2/messages?$top=50`,
    answer: {
      value: [{ id: '1' }],
      '@odata.nextLink': `${GRAPH}/chats/19:a@thread.v2/messages?$top=50&$skiptoken=M2Uy`,
    },
    second: `GET ${GRAPH}/chats/19%3Aa%40thread.v2/messages?$top=50&$skiptoken=M2Uy`,
  },
  {
    // Graph may send a page that is shorter than requested before the last one.
    connector: 'outlook',
    tool: 'list_messages',
    args: { top: 50 },
    first: `GET ${GRAPH}/me/messages?$top=50&$select=id%2CconversationId%2Csubject%2Cfrom%2CtoRecipients%2CreceivedDateTime%2CisRead%2ChasAttachments%2Cimportance%2CbodyPreview%2CwebLink`,
    answer: { value: [{ id: '1' }], '@odata.nextLink': `${GRAPH}/me/messages?$top=50&$skip=1` },
    second: `GET ${GRAPH}/me/messages?$top=50&$select=id%2CconversationId%2Csubject%2Cfrom%2CtoRecipients%2CreceivedDateTime%2CisRead%2ChasAttachments%2Cimportance%2CbodyPreview%2CwebLink&$skip=1`,
  },
  {
    connector: 'salesforce',
    tool: 'query',
    args: { query: 'SELECT Id FROM Account' },
    tenant: { domain: 'acme' },
    first: 'GET https://acme.my.salesforce.com/services/data/v62.0/query?q=SELECT%20Id%20FROM%20Account',
    answer: {
      records: [{ Id: '1' }],
      done: false,
      nextRecordsUrl: '/services/data/v62.0/query/01gD0000002HU6KIAW-2000',
    },
    second: 'GET https://acme.my.salesforce.com/services/data/v62.0/query/01gD0000002HU6KIAW-2000',
  },
  {
    connector: 'dropbox',
    tool: 'list_folder',
    args: { path: '/Plans' },
    first: 'POST https://api.dropboxapi.com/2/files/list_folder',
    answer: { entries: [{ id: 'id:1' }], cursor: 'AAEv', has_more: true },
    second: 'POST https://api.dropboxapi.com/2/files/list_folder/continue',
    body: { cursor: 'AAEv' },
  },
  {
    connector: 'dropbox',
    tool: 'search',
    args: { query: 'plan' },
    first: 'POST https://api.dropboxapi.com/2/files/search_v2',
    answer: { matches: [{}], cursor: 'AAEv', has_more: false },
    second: null,
  },
  {
    // Sentry names the host of the organization's region, which the credential is not sent to.
    connector: 'sentry',
    tool: 'list_projects',
    args: { organization: 'acme' },
    first: 'GET https://sentry.io/api/0/organizations/acme/projects/',
    answer: [{ slug: 'web' }],
    link: '<https://us.sentry.io/api/0/organizations/acme/projects/?&cursor=0:0:1>; rel="previous"; results="false", <https://us.sentry.io/api/0/organizations/acme/projects/?&cursor=0:100:0>; rel="next"; results="true"; cursor="0:100:0"',
    second: 'GET https://sentry.io/api/0/organizations/acme/projects/?cursor=0%3A100%3A0',
  },
  {
    connector: 'slack',
    tool: 'search_messages',
    args: { query: 'plan' },
    first: 'POST https://slack.com/api/search.messages',
    answer: { ok: true, messages: { matches: [{ ts: '1' }], paging: { page: 1, pages: 1 } } },
    second: null,
  },
  {
    connector: 'aws',
    tool: 'search_logs',
    args: { log_group: 'g' },
    tenant: { region: 'eu-west-1' },
    first: 'POST https://logs.eu-west-1.amazonaws.com/',
    answer: { events: [{ message: 'm' }], nextToken: 'n1' },
    second: 'POST https://logs.eu-west-1.amazonaws.com/',
    body: { logGroupName: 'g', nextToken: 'n1' },
  },
  {
    connector: 'microsoft-entra',
    tool: 'list_groups',
    first: `GET ${GRAPH}/groups?$select=id%2CdisplayName%2Cdescription%2Cmail%2CsecurityEnabled%2CgroupTypes`,
    answer: { '@odata.nextLink': `${GRAPH}/groups?$skiptoken=RFNwdA`, value: [{ id: '1' }] },
    second: `GET ${GRAPH}/groups?$select=id%2CdisplayName%2Cdescription%2Cmail%2CsecurityEnabled%2CgroupTypes&$skiptoken=RFNwdA`,
  },
  {
    connector: 'app-store-connect',
    tool: 'list_apps',
    first: 'GET https://api.appstoreconnect.apple.com/v1/apps',
    answer: {
      data: [{ id: '1' }],
      links: { next: 'https://api.appstoreconnect.apple.com/v1/apps?cursor=AoE.Ab&limit=50' },
    },
    second: 'GET https://api.appstoreconnect.apple.com/v1/apps?cursor=AoE.Ab',
  },
  {
    connector: 'ghost',
    tool: 'list_tags',
    tenant: { domain: 'acme.ghost.io' },
    first: 'GET https://acme.ghost.io/ghost/api/admin/tags/?include=count.posts',
    answer: { tags: [{ id: 't' }], meta: { pagination: { page: 1, pages: 2, next: 2, prev: null } } },
    second: 'GET https://acme.ghost.io/ghost/api/admin/tags/?include=count.posts&page=2',
  },
  {
    connector: 'netsuite',
    tool: 'run_suiteql',
    args: { query: 'SELECT id FROM customer', limit: 1 },
    tenant: { account: '1234567' },
    first: 'POST https://1234567.suitetalk.api.netsuite.com/services/rest/query/v1/suiteql?limit=1',
    answer: { items: [{ id: '1' }], offset: 0, count: 1, hasMore: true, totalResults: 2 },
    second: 'POST https://1234567.suitetalk.api.netsuite.com/services/rest/query/v1/suiteql?limit=1&offset=1',
    body: { q: 'SELECT id FROM customer' },
  },
  {
    connector: 'marketo',
    tool: 'list_static_lists',
    tenant: { munchkin_id: '123-ABC-456' },
    first: 'GET https://123-abc-456.mktorest.com/rest/v1/lists.json',
    answer: { success: true, nextPageToken: 'GWP55', result: [{ id: 1 }] },
    second: 'GET https://123-abc-456.mktorest.com/rest/v1/lists.json?nextPageToken=GWP55',
  },
  {
    connector: 'paypal',
    tool: 'list_invoices',
    tenant: { api_host: 'api-m.paypal.com' },
    first: 'GET https://api-m.paypal.com/v2/invoicing/invoices?total_required=true',
    answer: { total_pages: 1, total_items: 1, items: [{ id: 'INV2-1' }] },
    second: null,
  },
  {
    connector: 'google-workspace-directory',
    tool: 'list_groups',
    first: 'GET https://admin.googleapis.com/admin/directory/v1/groups?customer=my_customer',
    answer: { groups: [{ id: 'g' }], nextPageToken: 'p2' },
    second: 'GET https://admin.googleapis.com/admin/directory/v1/groups?customer=my_customer&pageToken=p2',
  },
  {
    connector: 'servicenow',
    tool: 'query_table',
    args: { table: 'incident', fields: 'number', limit: 2 },
    tenant: { instance: 'acme' },
    first:
      'GET https://acme.service-now.com/api/now/table/incident?sysparm_fields=number&sysparm_limit=2&sysparm_exclude_reference_link=true',
    answer: { result: [{ number: 'INC1' }, { number: 'INC2' }] },
    second:
      'GET https://acme.service-now.com/api/now/table/incident?sysparm_fields=number&sysparm_limit=2&sysparm_exclude_reference_link=true&sysparm_offset=2',
  },
]

const catalog = loadCatalog({})
const line = ({ method, url }: ToolRequest): string => `${method} ${url}`

for (const {
  connector,
  tool: name,
  args = {},
  tenant = {},
  first,
  answer,
  link,
  second,
  body,
} of shippedPages)
  test(`${connector}: ${name} ${second === null ? 'ends after the last page' : 'requests the second page'}`, () => {
    const file = catalog.find(connector)
    const tool = file?.tools.find(one => one.name === name)
    assert.ok(file && tool)
    const request = buildRequest(file, tool, args, tenant)
    assert.equal(line(request), first)
    const page = { url: request.url, cursor: undefined, answer, headers: link === undefined ? {} : { link } }
    const shown = shapeResult(tool, page) as { next_cursor: string | null }
    if (second === null) return assert.equal(shown.next_cursor, null)
    const next = buildRequest(file, tool, { ...args, cursor: shown.next_cursor }, tenant)
    assert.equal(line(next), second)
    if (body !== undefined) assert.deepEqual(JSON.parse(next.body ?? ''), body)
  })
