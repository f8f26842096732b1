type Identity = { request: string; answer: unknown; account: string | null; id: string | null }

const GUID = '0f3c1a52-7d3e-4a06-9c55-1f2e3d4c5b6a'
const ENTRA: Identity = {
  request: 'GET https://graph.microsoft.com/v1.0/organization?$select=id,displayName',
  answer: { value: [{ id: GUID, displayName: 'Acme' }] },
  account: 'Acme',
  id: GUID,
}

/** What identifies an account, and answers as the vendors document them. */
export const IDENTITIES: Record<string, Identity> = {
  'adp-workforce-now': {
    request: 'GET https://api.adp.com/hr/v2/workers?$top=1',
    answer: { workers: [{ associateOID: 'G1', workAssignments: [{ payrollGroupCode: 'ABC' }] }] },
    account: 'client-1',
    id: null,
  },
  'app-store-connect': {
    request: 'GET https://api.appstoreconnect.apple.com/v1/bundleIds?limit=1',
    answer: { data: [{ type: 'bundleIds', id: 'B1', attributes: { name: 'App', seedId: 'TEAM123456' } }] },
    account: 'TEAM123456',
    id: 'TEAM123456',
  },
  auth0: {
    request: 'GET https://acme.eu.auth0.com/api/v2/tenants/settings?fields=friendly_name,support_url',
    answer: { friendly_name: 'Acme' },
    account: 'Acme',
    id: null,
  },
  azure: {
    request: 'GET https://management.azure.com/subscriptions?api-version=2022-12-01',
    answer: { value: [{ subscriptionId: 's', tenantId: GUID, displayName: 'Production' }] },
    account: 'Production',
    id: GUID,
  },
  databricks: {
    request: 'GET https://dbc-a1b2345c-d6e7.cloud.databricks.com/api/2.0/preview/scim/v2/Me',
    answer: { id: '123', userName: GUID, displayName: 'agent', active: true },
    account: 'agent',
    id: '123',
  },
  'dynamics-365': {
    request: 'GET https://acme.crm4.dynamics.com/api/data/v9.2/organizations?$select=name,organizationid',
    answer: { value: [{ name: 'Acme', organizationid: GUID }] },
    account: 'Acme',
    id: GUID,
  },
  ghost: {
    request: 'GET https://acme.ghost.io/ghost/api/admin/newsletters/?limit=1',
    answer: { newsletters: [{ id: 'n1', name: 'Acme Weekly' }] },
    account: 'acme.ghost.io',
    id: null,
  },
  'github-app': {
    request: 'GET https://api.github.com/installation/repositories?per_page=1',
    answer: {
      total_count: 1,
      repositories: [{ id: 1, full_name: 'acme/app', owner: { login: 'acme', id: 7 } }],
    },
    account: 'acme',
    id: '7',
  },
  'google-drive-service-account': {
    request: 'GET https://www.googleapis.com/drive/v3/about?fields=user',
    answer: { user: { emailAddress: 'agent@acme.iam.gserviceaccount.com', permissionId: '17' } },
    account: 'agent@acme.iam.gserviceaccount.com',
    id: '17',
  },
  'google-workspace-directory': {
    request: 'GET https://admin.googleapis.com/admin/directory/v1/customers/my_customer',
    answer: { kind: 'admin#directory#customer', id: 'C01', customerDomain: 'acme.example' },
    account: 'acme.example',
    id: 'C01',
  },
  looker: {
    request: 'GET https://acme.cloud.looker.com/api/4.0/user?fields=id,display_name,email',
    answer: { id: '5', display_name: 'Agent', email: 'agent@acme.example' },
    account: 'agent@acme.example',
    id: '5',
  },
  marketo: {
    request: 'GET https://123-abc-456.mktorest.com/rest/v1/leads/partitions.json',
    answer: { requestId: 'r', success: true, result: [{ id: 1, name: 'Default' }] },
    account: '123-ABC-456',
    id: null,
  },
  'microsoft-entra': ENTRA,
  'microsoft-entra-certificate': ENTRA,
  netsuite: {
    request: 'POST https://1234567-sb1.suitetalk.api.netsuite.com/services/rest/query/v1/suiteql',
    answer: { count: 1, items: [{ one: '1' }], totalResults: 1 },
    account: '1234567-sb1',
    id: null,
  },
  'okta-service-app': {
    request: 'GET https://acme.okta.com/api/v1/org',
    answer: { id: '00o1', companyName: 'Acme', subdomain: 'acme' },
    account: 'Acme',
    id: '00o1',
  },
  paypal: {
    request: 'GET https://api-m.sandbox.paypal.com/v1/reporting/balances',
    answer: { balances: [], account_id: 'MQUMFGE3WJ6TG', as_of_time: '2026-11-19T00:00:00Z' },
    account: 'MQUMFGE3WJ6TG',
    id: 'MQUMFGE3WJ6TG',
  },
  'sage-intacct': {
    request: 'POST https://api.intacct.com/ia/api/v1/services/core/query',
    answer: { 'ia::result': [{ key: '1', id: 'US', name: 'Acme US' }], 'ia::meta': { totalCount: 1 } },
    account: 'agent@acme',
    id: null,
  },
  'salesforce-jwt': {
    request: 'GET https://acme.my.salesforce.com/services/oauth2/userinfo',
    answer: { user_id: '005', preferred_username: 'agent@acme.example' },
    account: 'agent@acme.example',
    id: '005',
  },
  'sap-cloud-integration': {
    request:
      'GET https://acme.it-cpi018.cfapps.eu10.hana.ondemand.com/api/v1/IntegrationRuntimeArtifacts?$top=1&$format=json',
    answer: { d: { results: [{ Id: 'Flow', DeployedBy: 'ann@acme.example' }] } },
    account: 'acme.it-cpi018.cfapps.eu10.hana.ondemand.com',
    id: null,
  },
  servicenow: {
    request:
      'GET https://acme.service-now.com/api/now/table/sys_user?sysparm_query=sys_id=javascript:gs.getUserID()&sysparm_fields=sys_id,user_name&sysparm_limit=1',
    answer: { result: [{ sys_id: 'abc', user_name: 'agent' }] },
    account: 'agent',
    id: 'abc',
  },
  snowflake: {
    request: 'POST https://acme-prod.snowflakecomputing.com/api/v2/statements',
    answer: { statementHandle: 'h', data: [['AGENT', 'PROD']] },
    account: 'AGENT',
    id: 'PROD',
  },
  tableau: {
    request: 'GET https://10ax.online.tableau.com/api/3.24/sessions/current',
    answer: { session: { site: { id: GUID, name: 'Acme', contentUrl: 'acme' }, user: { name: 'agent' } } },
    account: 'Acme',
    id: GUID,
  },
  workday: {
    request: 'GET https://wd5-services1.myworkday.com/ccx/api/v1/acme/workers/me',
    answer: { id: 'w1', descriptor: 'Integration Agent' },
    account: 'Integration Agent',
    id: 'w1',
  },
  'zoom-server-to-server': {
    request: 'GET https://api.zoom.us/v2/users/me',
    answer: { id: 'u1', email: 'owner@acme.example' },
    account: 'owner@acme.example',
    id: 'u1',
  },
}
