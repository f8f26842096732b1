import { fingerprintOf, P256, RSA, RSA_CERTIFICATE, thumbprintOf } from './keys.ts'

/** A JSON Web Token as a vendor demands it. The times are checked separately. */
export type ExpectedJwt = {
  algorithm: 'RS256' | 'PS256' | 'ES256' | 'HS256'
  header?: Record<string, string>
  claims: Record<string, string>
  /** The longest lifetime that the vendor accepts. */
  maxSeconds: number
  /** Claims whose values are unique. */
  unique?: string[]
}

export type ExpectedExchange = {
  request: string
  basic?: [username: string, password: string]
  form?: Record<string, string>
  json?: unknown
  /** The parameter of the form, or the header, that carries a JSON Web Token. */
  assertion?: ExpectedJwt & { in: 'assertion' | 'client_assertion' | 'authorization' }
  /** Default: an access token for an hour. */
  answer?: unknown
  lifetimeSeconds?: number
}

export type Vendor = {
  /** What a person enters. */
  tenant?: Record<string, string>
  fields: Record<string, string>
  exchange?: ExpectedExchange
  /** The token is a JSON Web Token that no vendor issues. */
  jwt?: ExpectedJwt
  /** What each call carries. */
  headers: Record<string, string>
  /** What the vendor answers to a wrong secret or key. Default: status 401 and `invalid_client`. */
  wrong?: { status: number; body: unknown; isFinal: boolean }
}

export const TOKEN = 'issued.token-1'
export const SECRET = 'client-secret-canary-5b2e'
const BEARER = { authorization: `Bearer ${TOKEN}` }
const GUID = '0f3c1a52-7d3e-4a06-9c55-1f2e3d4c5b6a'
const APP = '7c9e6679-7425-40de-944b-e07fc1f90ae7'
const CLIENT = { client_id: 'client-1', client_secret: SECRET }
const CREDENTIALS = { grant_type: 'client_credentials', ...CLIENT }
const BASIC: [string, string] = ['client-1', SECRET]
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const CLIENT_ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
const UNAUTHORIZED = { status: 401, isFinal: false }

const google = (scope: string, subject?: string): ExpectedExchange => ({
  request: 'POST https://oauth2.googleapis.com/token',
  form: { grant_type: JWT_BEARER },
  assertion: {
    in: 'assertion',
    algorithm: 'RS256',
    header: { kid: 'key-1' },
    claims: {
      iss: 'agent@acme.iam.gserviceaccount.com',
      aud: 'https://oauth2.googleapis.com/token',
      scope,
      ...(subject && { sub: subject }),
    },
    maxSeconds: 3600,
  },
})
const GOOGLE_FIELDS = {
  service_account: RSA,
  client_email: 'agent@acme.iam.gserviceaccount.com',
  key_id: 'key-1',
}
const INVALID_GRANT = {
  status: 400,
  body: { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
  isFinal: true,
}

const microsoft = (scope: string): ExpectedExchange => ({
  request: `POST https://login.microsoftonline.com/${GUID}/oauth2/v2.0/token`,
  form: { grant_type: 'client_credentials', client_id: APP, client_secret: SECRET, scope },
})
const MICROSOFT_FIELDS = { tenant_id: GUID, client_id: APP, client_secret: SECRET }

/** How each vendor wants its tokens to be requested, taken from the documents that the connector files name. */
export const VENDORS: Record<string, Vendor> = {
  // The certificate is presented in the TLS handshake: see the tests of client certificates.
  'adp-workforce-now': {
    fields: { ...CLIENT, certificate: 'CERTIFICATE', private_key: RSA },
    exchange: {
      request: 'POST https://accounts.adp.com/auth/oauth/v2/token',
      basic: BASIC,
      form: { grant_type: 'client_credentials' },
    },
    headers: BEARER,
  },
  'app-store-connect': {
    fields: { issuer_id: GUID, key_id: 'ABC123DEFG', private_key: P256 },
    jwt: {
      algorithm: 'ES256',
      header: { kid: 'ABC123DEFG' },
      claims: { iss: GUID, aud: 'appstoreconnect-v1' },
      maxSeconds: 1200,
    },
    headers: BEARER,
  },
  auth0: {
    tenant: { domain: 'acme.eu.auth0.com' },
    fields: CLIENT,
    exchange: {
      request: 'POST https://acme.eu.auth0.com/oauth/token',
      form: { ...CREDENTIALS, audience: 'https://acme.eu.auth0.com/api/v2/' },
      answer: { access_token: TOKEN, token_type: 'Bearer', expires_in: 86_400 },
      lifetimeSeconds: 86_400,
    },
    headers: BEARER,
    wrong: {
      status: 401,
      body: { error: 'access_denied', error_description: 'Unauthorized' },
      isFinal: true,
    },
  },
  azure: {
    fields: MICROSOFT_FIELDS,
    exchange: microsoft('https://management.azure.com/.default'),
    headers: BEARER,
  },
  databricks: {
    tenant: { workspace: 'dbc-a1b2345c-d6e7.cloud.databricks.com' },
    fields: { client_id: APP, client_secret: SECRET },
    exchange: {
      request: 'POST https://dbc-a1b2345c-d6e7.cloud.databricks.com/oidc/v1/token',
      basic: [APP, SECRET],
      form: { grant_type: 'client_credentials', scope: 'all-apis' },
    },
    headers: BEARER,
  },
  'dynamics-365': {
    tenant: { environment: 'acme.crm4.dynamics.com' },
    fields: MICROSOFT_FIELDS,
    exchange: microsoft('https://acme.crm4.dynamics.com/.default'),
    headers: BEARER,
  },
  ghost: {
    tenant: { domain: 'acme.ghost.io' },
    fields: { key_id: 'a0'.repeat(12), secret: 'b1'.repeat(32) },
    jwt: {
      algorithm: 'HS256',
      header: { kid: 'a0'.repeat(12) },
      claims: { aud: '/admin/' },
      maxSeconds: 300,
    },
    headers: { authorization: `Ghost ${TOKEN}`, 'accept-version': 'v5.0' },
  },
  'github-app': {
    fields: { client_id: 'Iv23abc', installation_id: '42', private_key: RSA },
    exchange: {
      request: 'POST https://api.github.com/app/installations/42/access_tokens',
      assertion: {
        in: 'authorization',
        algorithm: 'RS256',
        claims: { iss: 'Iv23abc' },
        maxSeconds: 600,
      },
      answer: { token: TOKEN, expires_at: '2026-11-19T13:00:00Z', permissions: { issues: 'write' } },
    },
    headers: { ...BEARER, 'x-github-api-version': '2022-11-28' },
    wrong: {
      ...UNAUTHORIZED,
      body: { message: 'A JSON web token could not be decoded', status: '401' },
    },
  },
  'google-drive-service-account': {
    fields: GOOGLE_FIELDS,
    exchange: google('https://www.googleapis.com/auth/drive'),
    headers: BEARER,
    wrong: INVALID_GRANT,
  },
  'google-workspace-directory': {
    fields: { ...GOOGLE_FIELDS, admin_email: 'admin@acme.example' },
    exchange: google(
      ['user', 'group', 'customer.readonly']
        .map(name => `https://www.googleapis.com/auth/admin.directory.${name}`)
        .join(' '),
      'admin@acme.example',
    ),
    headers: BEARER,
    wrong: INVALID_GRANT,
  },
  looker: {
    tenant: { host: 'acme.cloud.looker.com' },
    fields: CLIENT,
    exchange: { request: 'POST https://acme.cloud.looker.com/api/4.0/login', form: CLIENT },
    headers: BEARER,
    wrong: { status: 404, body: { message: 'Not found' }, isFinal: false },
  },
  marketo: {
    tenant: { munchkin_id: '123-ABC-456' },
    fields: CLIENT,
    exchange: {
      request: `GET https://123-abc-456.mktorest.com/identity/oauth/token?${new URLSearchParams(CREDENTIALS).toString()}`,
      answer: { access_token: TOKEN, token_type: 'bearer', expires_in: 1799, scope: 'api@acme.example' },
      lifetimeSeconds: 1799,
    },
    headers: BEARER,
  },
  'microsoft-entra': {
    fields: MICROSOFT_FIELDS,
    exchange: microsoft('https://graph.microsoft.com/.default'),
    headers: BEARER,
    wrong: {
      status: 400,
      body: { error: 'unauthorized_client', error_description: 'AADSTS700016: Application was not found.' },
      isFinal: true,
    },
  },
  'microsoft-entra-certificate': {
    fields: { tenant_id: GUID, client_id: APP, certificate: RSA_CERTIFICATE, private_key: RSA },
    exchange: {
      request: `POST https://login.microsoftonline.com/${GUID}/oauth2/v2.0/token`,
      form: {
        grant_type: 'client_credentials',
        client_id: APP,
        scope: 'https://graph.microsoft.com/.default',
        client_assertion_type: CLIENT_ASSERTION,
      },
      assertion: {
        in: 'client_assertion',
        algorithm: 'PS256',
        header: { 'x5t#S256': thumbprintOf(RSA_CERTIFICATE) },
        claims: {
          aud: `https://login.microsoftonline.com/${GUID}/oauth2/v2.0/token`,
          iss: APP,
          sub: APP,
        },
        unique: ['jti'],
        maxSeconds: 600,
      },
    },
    headers: BEARER,
    wrong: {
      status: 401,
      body: { error: 'invalid_client', error_description: 'AADSTS700027: The certificate has expired.' },
      isFinal: true,
    },
  },
  netsuite: {
    tenant: { account: '1234567-sb1' },
    fields: { client_id: 'client-1', certificate_id: 'cert-1', private_key: RSA },
    exchange: {
      request: 'POST https://1234567-sb1.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token',
      form: { grant_type: 'client_credentials', client_assertion_type: CLIENT_ASSERTION },
      assertion: {
        in: 'client_assertion',
        algorithm: 'PS256',
        header: { kid: 'cert-1' },
        claims: {
          iss: 'client-1',
          scope: 'rest_webservices',
          aud: 'https://1234567-sb1.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token',
        },
        maxSeconds: 3600,
      },
    },
    headers: BEARER,
  },
  'okta-service-app': {
    tenant: { domain: 'acme.okta.com' },
    fields: {
      client_id: 'client-1',
      key_id: 'kid-1',
      private_key: RSA,
      scopes: 'okta.users.read okta.orgs.read',
    },
    exchange: {
      request: 'POST https://acme.okta.com/oauth2/v1/token',
      form: {
        grant_type: 'client_credentials',
        scope: 'okta.users.read okta.orgs.read',
        client_assertion_type: CLIENT_ASSERTION,
      },
      assertion: {
        in: 'client_assertion',
        algorithm: 'RS256',
        header: { kid: 'kid-1' },
        claims: { iss: 'client-1', sub: 'client-1', aud: 'https://acme.okta.com/oauth2/v1/token' },
        unique: ['jti'],
        maxSeconds: 3600,
      },
    },
    headers: BEARER,
  },
  paypal: {
    tenant: { environment: 'sandbox', api_host: 'api-m.sandbox.paypal.com' },
    fields: CLIENT,
    exchange: {
      request: 'POST https://api-m.sandbox.paypal.com/v1/oauth2/token',
      basic: BASIC,
      form: { grant_type: 'client_credentials' },
      answer: { access_token: TOKEN, token_type: 'Bearer', expires_in: 31_668, scope: 'openid' },
      lifetimeSeconds: 31_668,
    },
    headers: BEARER,
  },
  'sage-intacct': {
    fields: { ...CLIENT, username: 'agent@acme' },
    exchange: {
      request: 'POST https://api.intacct.com/ia/api/v1/oauth2/token',
      form: { ...CREDENTIALS, username: 'agent@acme' },
    },
    headers: BEARER,
  },
  'salesforce-jwt': {
    tenant: { environment: 'sandbox', login_host: 'test.salesforce.com' },
    fields: { client_id: 'consumer-key', username: 'agent@acme.example', private_key: RSA },
    exchange: {
      request: 'POST https://test.salesforce.com/services/oauth2/token',
      form: { grant_type: JWT_BEARER },
      assertion: {
        in: 'assertion',
        algorithm: 'RS256',
        claims: { iss: 'consumer-key', sub: 'agent@acme.example', aud: 'https://test.salesforce.com' },
        maxSeconds: 180,
      },
      answer: {
        access_token: TOKEN,
        instance_url: 'https://acme--test.sandbox.my.salesforce.com',
        token_type: 'Bearer',
      },
    },
    headers: BEARER,
    wrong: {
      status: 400,
      body: { error: 'invalid_grant', error_description: 'invalid assertion' },
      isFinal: true,
    },
  },
  'sap-cloud-integration': {
    tenant: {
      api_host: 'acme.it-cpi018.cfapps.eu10.hana.ondemand.com',
      token_host: 'acme.authentication.eu10.hana.ondemand.com',
    },
    fields: CLIENT,
    exchange: {
      request: 'POST https://acme.authentication.eu10.hana.ondemand.com/oauth/token',
      basic: BASIC,
      form: { grant_type: 'client_credentials' },
      answer: { access_token: TOKEN, token_type: 'bearer', expires_in: 4199 },
      lifetimeSeconds: 4199,
    },
    headers: { ...BEARER, accept: 'application/json' },
    wrong: {
      status: 401,
      body: { error: 'unauthorized', error_description: 'Bad credentials' },
      isFinal: true,
    },
  },
  servicenow: {
    tenant: { instance: 'acme' },
    fields: CLIENT,
    exchange: {
      request: 'POST https://acme.service-now.com/oauth_token.do',
      form: CREDENTIALS,
      answer: { access_token: TOKEN, token_type: 'Bearer', expires_in: 1799, scope: 'useraccount' },
      lifetimeSeconds: 1799,
    },
    headers: BEARER,
    wrong: {
      ...UNAUTHORIZED,
      body: { error: 'server_error', error_description: 'access_denied' },
    },
  },
  snowflake: {
    tenant: { account: 'ACME-PROD' },
    fields: { user: 'AGENT', private_key: RSA },
    jwt: {
      algorithm: 'RS256',
      claims: { iss: `ACME-PROD.AGENT.${fingerprintOf(RSA)}`, sub: 'ACME-PROD.AGENT' },
      maxSeconds: 3600,
    },
    headers: { ...BEARER, 'x-snowflake-authorization-token-type': 'KEYPAIR_JWT' },
  },
  tableau: {
    tenant: { pod: '10ax.online.tableau.com' },
    fields: { site: 'acme', token_name: 'agent', token_secret: SECRET },
    exchange: {
      request: 'POST https://10ax.online.tableau.com/api/3.24/auth/signin',
      json: {
        credentials: {
          personalAccessTokenName: 'agent',
          personalAccessTokenSecret: SECRET,
          site: { contentUrl: 'acme' },
        },
      },
      answer: { credentials: { site: { id: GUID, contentUrl: 'acme' }, user: { id: APP }, token: TOKEN } },
      lifetimeSeconds: 7200,
    },
    headers: { 'x-tableau-auth': TOKEN, accept: 'application/json' },
    wrong: {
      status: 401,
      body: { error: { summary: 'Signin Error', detail: 'Error signing in.', code: '401001' } },
      isFinal: true,
    },
  },
  workday: {
    tenant: { host: 'wd5-services1.myworkday.com', tenant: 'acme' },
    fields: { ...CLIENT, refresh_token: 'refresh-token-canary-91aa' },
    exchange: {
      request: 'POST https://wd5-services1.myworkday.com/ccx/oauth2/acme/token',
      basic: BASIC,
      form: { grant_type: 'refresh_token', refresh_token: 'refresh-token-canary-91aa' },
      answer: { access_token: TOKEN, token_type: 'Bearer' },
    },
    headers: BEARER,
    wrong: { status: 400, body: { error: 'invalid_grant' }, isFinal: true },
  },
  'zoom-server-to-server': {
    fields: { account_id: 'account-1', ...CLIENT },
    exchange: {
      request: 'POST https://zoom.us/oauth/token',
      basic: BASIC,
      form: { grant_type: 'account_credentials', account_id: 'account-1' },
    },
    headers: BEARER,
    wrong: {
      status: 400,
      body: { reason: 'Invalid client_id or client_secret', error: 'invalid_client' },
      isFinal: true,
    },
  },
}
