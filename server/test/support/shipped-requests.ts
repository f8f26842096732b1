/** The request that a built-in tool must send for given arguments, according to the vendor's documentation. */
export type ShippedRequest = {
  connector: string
  tool: string
  args: Record<string, unknown>
  tenant?: Record<string, string>
  origin: string
  /** Method, path and query. */
  request: string
  headers?: Record<string, string | RegExp>
  /** Expected body: a string, a pattern, or the value of the JSON body. Omitted if there is no body. */
  body?: unknown
  /** Response of the vendor, and the result for the caller. */
  answer?: unknown
  result?: unknown
}

const DRIVE_FIELDS = encodeURIComponent(
  'id,name,mimeType,modifiedTime,size,webViewLink,parents,owners(emailAddress)',
)
const DRIVE_ITEM = encodeURIComponent('id,name,size,folder,file,webUrl,lastModifiedDateTime,parentReference')
const GITHUB = {
  authorization: 'Bearer secret-1',
  accept: 'application/vnd.github+json',
  'x-github-api-version': '2022-11-28',
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
  {
    connector: 'google-drive',
    tool: 'upload_text_file',
    args: { name: 'notes.md', text: '# Notes', mime_type: 'text/markdown', parent_ids: ['folder1'] },
    origin: 'https://www.googleapis.com',
    request: `POST /upload/drive/v3/files?uploadType=multipart&supportsAllDrives=true&fields=${DRIVE_FIELDS}`,
    headers: { authorization: 'Bearer secret-1', 'content-type': /^multipart\/related; boundary=\w+$/ },
    body: new RegExp(
      [
        '^--(\\w+)\r\nContent-Type: application/json; charset=UTF-8\r\n\r\n',
        '\\{"name":"notes.md","mimeType":"text/markdown","parents":\\["folder1"\\]\\}\r\n',
        '--\\1\r\nContent-Type: text/markdown\r\n\r\n# Notes\r\n--\\1--\r\n$',
      ].join(''),
    ),
  },
  {
    connector: 'google-drive',
    tool: 'replace_text_file',
    args: { file_id: 'f1', text: 'a,b\n', mime_type: 'text/csv' },
    origin: 'https://www.googleapis.com',
    request: `PATCH /upload/drive/v3/files/f1?uploadType=media&supportsAllDrives=true&fields=${DRIVE_FIELDS}`,
    headers: { 'content-type': 'text/csv' },
    body: 'a,b\n',
  },
  {
    connector: 'google-docs',
    tool: 'get_document',
    args: { document_id: 'd1' },
    origin: 'https://docs.googleapis.com',
    request:
      'GET /v1/documents/d1?fields=documentId%2Ctitle%2Cbody.content(paragraph.elements.textRun.content%2C' +
      'table.tableRows.tableCells.content.paragraph.elements.textRun.content)',
    answer: {
      documentId: 'd1',
      title: 'Plan',
      body: {
        content: [
          {},
          { paragraph: { elements: [{ textRun: { content: 'One ' } }, { textRun: { content: 'two\n' } }] } },
          { paragraph: { elements: [{}, { textRun: { content: 'Three\n' } }] } },
        ],
      },
    },
    result: { document_id: 'd1', title: 'Plan', text: 'One two\nThree\n', tables: [] },
  },
  {
    connector: 'google-docs',
    tool: 'append_text',
    args: { document_id: 'd1', text: '\nMore' },
    origin: 'https://docs.googleapis.com',
    request: 'POST /v1/documents/d1:batchUpdate',
    headers: { 'content-type': 'application/json' },
    body: { requests: [{ insertText: { text: '\nMore', endOfSegmentLocation: {} } }] },
  },
  {
    connector: 'google-docs',
    tool: 'replace_text',
    args: { document_id: 'd1', find: 'old', replacement: '' },
    origin: 'https://docs.googleapis.com',
    request: 'POST /v1/documents/d1:batchUpdate',
    body: { requests: [{ replaceAllText: { containsText: { text: 'old' }, replaceText: '' } }] },
    answer: { documentId: 'd1', replies: [{ replaceAllText: { occurrencesChanged: 3 } }] },
    result: { document_id: 'd1', replaced: 3 },
  },
  {
    connector: 'onedrive',
    tool: 'search_files',
    args: { query: 'plan & budget', top: 10 },
    origin: 'https://graph.microsoft.com',
    request: `GET /v1.0/me/drive/root/search(q='plan%20%26%20budget')?$select=${DRIVE_ITEM}&$top=10`,
    headers: { authorization: 'Bearer secret-1' },
  },
  {
    connector: 'onedrive',
    tool: 'upload_text_file',
    args: { folder_id: 'root', name: 'my notes.md', text: '# Notes', conflict: 'fail' },
    origin: 'https://graph.microsoft.com',
    request: 'PUT /v1.0/me/drive/items/root:/my%20notes.md:/content?%40microsoft.graph.conflictBehavior=fail',
    headers: { 'content-type': 'text/plain; charset=utf-8' },
    body: '# Notes',
  },
  {
    connector: 'onedrive',
    tool: 'create_folder',
    args: { folder_id: 'root', name: 'Plans' },
    origin: 'https://graph.microsoft.com',
    request: 'POST /v1.0/me/drive/items/root/children',
    body: { name: 'Plans', folder: {}, '@microsoft.graph.conflictBehavior': 'fail' },
  },
  {
    connector: 'sharepoint',
    tool: 'search_sites',
    args: { query: 'marketing' },
    origin: 'https://graph.microsoft.com',
    request: 'GET /v1.0/sites?search=marketing',
    answer: { value: [{ id: 'acme.sharepoint.com,a,b', displayName: 'Marketing' }] },
    result: { items: [{ id: 'acme.sharepoint.com,a,b', name: 'Marketing' }], next_cursor: null },
  },
  {
    connector: 'sharepoint',
    tool: 'download_text',
    args: { drive_id: 'b!x-1', item_id: '01A' },
    origin: 'https://graph.microsoft.com',
    request: 'GET /v1.0/drives/b!x-1/items/01A/content',
  },
  {
    connector: 'sharepoint',
    tool: 'update_list_item',
    args: { site_id: 'acme.sharepoint.com,a,b', list_id: 'l1', item_id: '5', fields: { Status: 'Done' } },
    origin: 'https://graph.microsoft.com',
    request: 'PATCH /v1.0/sites/acme.sharepoint.com%2Ca%2Cb/lists/l1/items/5/fields',
    headers: { 'content-type': 'application/json' },
    body: { Status: 'Done' },
  },
  {
    connector: 'github',
    tool: 'create_or_update_file',
    args: {
      owner: 'acme',
      repo: 'site',
      path: 'docs/a b.md',
      message: 'Fix',
      text: 'Grüße\n',
      branch: 'fix/1',
    },
    origin: 'https://api.github.com',
    request: 'PUT /repos/acme/site/contents/docs%2Fa%20b.md',
    headers: GITHUB,
    body: { message: 'Fix', content: 'R3LDvMOfZQo=', branch: 'fix/1' },
    answer: { content: { path: 'docs/a b.md', sha: 'f1' }, commit: { sha: 'c1' } },
    result: { path: 'docs/a b.md', sha: 'f1', commit: 'c1' },
  },
  {
    connector: 'github',
    tool: 'get_file',
    args: { owner: 'acme', repo: 'site', path: 'a.md' },
    origin: 'https://api.github.com',
    request: 'GET /repos/acme/site/contents/a.md',
    headers: { ...GITHUB, accept: 'application/vnd.github.raw+json' },
  },
  {
    connector: 'github',
    tool: 'delete_file',
    args: { owner: 'acme', repo: 'site', path: 'a.md', message: 'Remove', sha: 'a'.repeat(40) },
    origin: 'https://api.github.com',
    request: 'DELETE /repos/acme/site/contents/a.md',
    headers: { ...GITHUB, 'content-type': 'application/json' },
    body: { message: 'Remove', sha: 'a'.repeat(40) },
  },
  {
    connector: 'github',
    tool: 'create_branch',
    args: { owner: 'acme', repo: 'site', branch: 'fix/1', sha: 'b'.repeat(40) },
    origin: 'https://api.github.com',
    request: 'POST /repos/acme/site/git/refs',
    headers: GITHUB,
    body: { ref: 'refs/heads/fix/1', sha: 'b'.repeat(40) },
  },
  {
    connector: 'github',
    tool: 'create_review',
    args: { owner: 'acme', repo: 'site', number: 5, event: 'APPROVE' },
    origin: 'https://api.github.com',
    request: 'POST /repos/acme/site/pulls/5/reviews',
    headers: GITHUB,
    body: { event: 'APPROVE' },
  },
]
