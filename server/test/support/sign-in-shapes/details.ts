import type { Details } from './express.ts'

const HOST = '^([a-z0-9-]+\\.)+[a-z]{2,}$'
const MICROSOFT = (scope: string): Details => ({ values: { scope } })
const XML_TEXT = '^[^<>&"\']+$'
const GRAPHQL_TEXT = '^[^"\\\\\\n]+$'

const ADP: Details = { privateKey: { name: 'private_key', type: 'rsa' } }

/** A JSON Web Token with which a client authenticates (RFC 7523). */
const clientAssertion = (
  audience: string,
  key: string,
  more: object = {},
): Required<Details>['assertions'] => ({
  client: {
    algorithm: 'RS256',
    key,
    claims: {
      iss: '{client_id}',
      sub: '{client_id}',
      aud: audience,
      jti: '{jwt.id}',
      iat: '{jwt.issued_at}',
      exp: '{jwt.expires_at}',
    },
    lifetime_seconds: 300,
    ...more,
  },
})

const grantAssertion = (claims: object, key: string, more: object = {}): Required<Details>['assertions'] => ({
  grant: {
    algorithm: 'RS256',
    key,
    claims: { ...claims, iat: '{jwt.issued_at}', exp: '{jwt.expires_at}' },
    lifetime_seconds: 300,
    ...more,
  },
})

/** What the shapes do not say, from the providers' documentation. */
export const DETAILS: Record<string, Details> = {
  ...Object.fromEntries(
    ['adp', 'adp-lyric', 'adp-run', 'adp-workforce-now', 'adp-workforce-now-next-gen'].map(name => [
      name,
      ADP,
    ]),
  ),
  altrata: {
    basic: { username: '{username}', password: '{password}' },
    requestHeaders: { 'x-api-key': '{api_key}' },
  },
  'apple-app-store': {
    privateKey: { name: 'private_key', type: 'p256' },
    assertions: {
      token: {
        algorithm: 'ES256',
        key: 'private_key',
        header: { kid: '{private_key_id}' },
        claims: {
          iss: '{issuer_id}',
          aud: 'appstoreconnect-v1',
          iat: '{jwt.issued_at}',
          exp: '{jwt.expires_at}',
        },
        lifetime_seconds: 1140,
      },
    },
    requests: [],
    token: { value: '{assertion.token}', lifetime_seconds: 1140 },
  },
  'apple-business-manager': {
    fields: ['client_id', 'key_id', 'private_key'],
    privateKey: { name: 'private_key', type: 'p256' },
    values: { scope: 'business.api' },
    assertions: clientAssertion('https://account.apple.com/auth/oauth2/v2/token', 'private_key', {
      algorithm: 'ES256',
      header: { kid: '{key_id}' },
    }),
  },
  'atlassian-service-account-oauth2': {},
  'auth0-cc': {},
  avanan: {
    computed: {
      joined: { text: '{random.id}{app_id}{now.iso}{secret_key}', encoding: 'base64' },
      signature: { text: '{computed.joined}', hash: 'sha256', encoding: 'hex' },
    },
    requestHeaders: {
      'x-av-app-id': '{app_id}',
      'x-av-req-id': '{random.id}',
      'x-av-date': '{now.iso}',
      'x-av-sig': '{computed.signature}',
    },
    headers: { 'x-av-token': '{token}' },
  },
  'bill-sandbox': {
    fields: ['developer_key', 'organization_id', 'username', 'password'],
    requests: [
      {
        url: 'https://gateway.stage.bill.com/connect/v3/login',
        json: {
          devKey: '{developer_key}',
          organizationId: '{organization_id}',
          username: '{username}',
          password: '{password}',
        },
        values: { token: '/sessionId' },
      },
    ],
    token: { value: '{value.token}', lifetime_seconds: 2100 },
    headers: { devKey: '{developer_key}', sessionId: '{token}' },
  },
  bliro: { values: { audience: 'https://api.bliro.io' } },
  chartboost: { values: { audience: 'https://public.api.gateway.chartboost.com' } },
  'certn-partner': {
    requests: [
      {
        url: 'https://api.certn.co/oauth2/token',
        form: { grant_type: 'client_credentials' },
        basic: { username: '{client_id}', password: '{client_secret}' },
        values: { token: '/access_token', expires: '/expires_in' },
      },
    ],
  },
  'datto-rmm-password-grant': {
    fields: ['username', 'password'],
    basic: { username: 'public-client', password: 'public' },
  },
  dayforce: { values: { client_id: 'Dayforce.HCMAnywhere.Client' } },
  docuware: {
    fields: ['username', 'password'],
    requests: [
      {
        method: 'GET',
        url: 'https://{tenant.domain}/DocuWare/Platform/Home/IdentityServiceInfo',
        values: {
          identity_host: {
            at: '/IdentityServiceUrl',
            pattern: '^https://(?<value>([a-z0-9-]+\\.)*docuware\\.cloud)/.*$',
            address: true,
          },
          identity_path: { at: '/IdentityServiceUrl', pattern: '^https://[^/]+/(?<value>[\\w-]+)$' },
        },
      },
      {
        method: 'GET',
        url: 'https://{tenant.identity_host}/{value.identity_path}/.well-known/openid-configuration',
        values: {
          token_host: {
            at: '/token_endpoint',
            pattern: '^https://(?<value>([a-z0-9-]+\\.)*docuware\\.cloud)/.*$',
            address: true,
          },
        },
      },
      {
        url: 'https://{tenant.token_host}/{value.identity_path}/connect/token',
        form: {
          grant_type: 'password',
          scope: 'docuware.platform',
          client_id: 'docuware.platform.net.client',
          username: '{username}',
          password: '{password}',
        },
        values: { token: '/access_token', expires: '/expires_in' },
      },
    ],
  },
  'dynatrace-oauth': { values: { resource: 'urn:dtaccount:{tenant.account_uuid}' } },
  ecu360: { values: { isEncrypted: false, mfaToken: '' }, requestHeaders: { 'ecu360-api-key': '{api_key}' } },
  'github-app': {
    fields: ['app_id', 'private_key'],
    privateKey: { name: 'private_key', type: 'rsa' },
    assertions: {
      app: {
        algorithm: 'RS256',
        key: 'private_key',
        claims: { iss: '{app_id}', iat: '{jwt.issued_at}', exp: '{jwt.expires_at}' },
        lifetime_seconds: 540,
        backdate_seconds: 60,
      },
    },
    requests: [
      {
        url: 'https://api.github.com/app/installations/{tenant.installation_id}/access_tokens',
        headers: { authorization: 'Bearer {assertion.app}' },
        values: { token: '/token', expires: '/expires_at' },
      },
    ],
    token: {
      value: '{value.token}',
      expires_at: { value: 'expires', format: 'iso' },
      lifetime_seconds: 3600,
    },
  },
  'ghost-admin': {
    fields: ['key_id', 'secret'],
    patterns: { secret: '^[0-9a-f]{64}$' },
    assertions: {
      token: {
        algorithm: 'HS256',
        key: 'secret',
        key_encoding: 'hex',
        header: { kid: '{key_id}' },
        claims: { aud: '/admin/', iat: '{jwt.issued_at}', exp: '{jwt.expires_at}' },
        lifetime_seconds: 290,
      },
    },
    requests: [],
    token: { value: '{assertion.token}', lifetime_seconds: 290 },
    headers: { authorization: 'Ghost {token}' },
  },
  'google-service-account': {
    fields: ['service_account'],
    privateKey: {
      name: 'service_account',
      type: 'rsa',
      file: { key: '/private_key', values: { client_email: '/client_email', key_id: '/private_key_id' } },
    },
    assertions: grantAssertion(
      {
        iss: '{client_email}',
        aud: 'https://oauth2.googleapis.com/token',
        scope: 'https://www.googleapis.com/auth/cloud-platform',
      },
      'service_account',
      { header: { kid: '{key_id}' }, lifetime_seconds: 3600 },
    ),
  },
  'greenhouse-harvest-oauth2-cc': {},
  heap: { basic: { username: '{app_id}', password: '{api_key}' } },
  heymarket: {
    fields: ['secret_id', 'secret_key'],
    assertions: {
      token: {
        algorithm: 'HS256',
        key: 'secret_key',
        claims: { iss: '{secret_id}', iat: '{jwt.issued_at}', exp: '{jwt.expires_at}' },
        lifetime_seconds: 3600,
      },
    },
    requests: [],
    token: { value: '{assertion.token}', lifetime_seconds: 3600 },
  },
  immybot: { values: { scope: 'api://{client_id}/.default' } },
  'jamf-basic': { basic: { username: '{username}', password: '{password}' } },
  'microsoft-dynamics-365-finance-and-operations-cc': {
    values: { scope: 'https://{tenant.environment_url}/.default' },
  },
  'microsoft-oauth2-cc-cert': {
    fields: ['client_id', 'certificate', 'private_key'],
    certificate: true,
    privateKey: { name: 'private_key', type: 'rsa' },
    values: { scope: 'https://graph.microsoft.com/.default' },
    assertions: clientAssertion(
      'https://login.microsoftonline.com/{tenant.tenant_id}/oauth2/v2.0/token',
      'private_key',
      {
        header: { x5t: '{x5t.certificate}' },
      },
    ),
  },
  'mip-on-premise': {},
  modmed: { requestHeaders: { 'x-api-key': '{api_key}' } },
  'nable-ncentral': { requestHeaders: { authorization: 'Bearer {user_api_token}' } },
  nerdio: MICROSOFT('{tenant.scope}'),
  'netsuite-client-credentials': {
    fields: ['client_id', 'certificate_id', 'private_key'],
    privateKey: { name: 'private_key', type: 'rsa' },
    assertions: clientAssertion(
      'https://{tenant.account_id}.suitetalk.api.netsuite.com/services/rest/auth/oauth2/v1/token',
      'private_key',
      { algorithm: 'PS256', header: { kid: '{certificate_id}' } },
    ),
  },
  'odoo-cc': { values: { client_id: '{consumer_id}', client_secret: '{consumer_secret}' } },
  'okta-cc': {
    fields: ['client_id', 'private_key'],
    privateKey: { name: 'private_key', type: 'rsa' },
    assertions: clientAssertion('https://{tenant.hostname}/oauth2/v1/token', 'private_key'),
    requests: [
      {
        url: 'https://{tenant.hostname}/oauth2/v1/token',
        form: {
          grant_type: 'client_credentials',
          scope: 'okta.users.read',
          client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
          client_assertion: '{assertion.client}',
        },
        values: { token: '/access_token', expires: '/expires_in' },
      },
    ],
  },
  passportal: {
    fields: ['api_key', 'hmac_token'],
    values: { scope: 'docs_api', content: 'sign-in' },
    computed: { hash: { text: 'sign-in', hmac: 'sha256', key: '{hmac_token}', encoding: 'hex' } },
    requestHeaders: { 'x-key': '{api_key}', 'x-hash': '{computed.hash}' },
    token: {
      value: '{value.token}',
      expires_at: { value: 'expires', format: 'seconds' },
      lifetime_seconds: 3600,
    },
  },
  pax8: {},
  perimeter81: {
    values: { grantType: 'api_key' },
    token: {
      value: '{value.token}',
      expires_at: { value: 'expires', format: 'seconds' },
      lifetime_seconds: 3600,
    },
  },
  personio: { token: { value: '{value.token}', lifetime_seconds: 86_400 }, values: {} },
  pverify: { requestHeaders: { 'client-api-id': '{client_id}' } },
  'redtail-crm-sandbox': {
    computed: {
      pair: { text: '{api_key}:{username}:{password}', encoding: 'base64' },
    },
    requestHeaders: { authorization: 'Basic {computed.pair}' },
    headers: { authorization: 'Userkeyauth {token}' },
  },
  'sage-300-cre': { values: { userid: '{username}' }, requestHeaders: { 'x-dppkey': '{dpp_key}' } },
  'sage-intacct': {
    patterns: Object.fromEntries(
      ['sender_id', 'sender_password', 'user_id', 'company_id', 'user_password'].map(name => [
        name,
        XML_TEXT,
      ]),
    ),
    requests: [
      {
        url: 'https://api.intacct.com/ia/xml/xmlgw.phtml',
        headers: { 'content-type': 'application/xml' },
        text: '<?xml version="1.0" encoding="UTF-8"?><request><control><senderid>{sender_id}</senderid><password>{sender_password}</password><controlid>{random.id}</controlid><uniqueid>false</uniqueid><dtdversion>3.0</dtdversion></control><operation><authentication><login><userid>{user_id}</userid><companyid>{company_id}</companyid><password>{user_password}</password></login></authentication><content><function controlid="{random.id}"><getAPISession/></function></content></operation></request>',
        response: 'text',
        values: { token: { between: ['<sessionid>', '</sessionid>'] } },
      },
    ],
    token: { value: '{value.token}', lifetime_seconds: 3600 },
  },
  'sage-intacct-cc': { fields: ['client_id', 'client_secret', 'username', 'session_id'] },
  'salesforce-cdp': {
    fields: ['client_id', 'username', 'private_key'],
    privateKey: { name: 'private_key', type: 'rsa' },
    assertions: grantAssertion(
      { iss: '{client_id}', sub: '{username}', aud: 'https://login.salesforce.com' },
      'private_key',
    ),
    requests: [
      {
        url: 'https://login.salesforce.com/services/oauth2/token',
        form: {
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: '{assertion.grant}',
        },
        values: {
          core_token: '/access_token',
          instance: {
            at: '/instance_url',
            pattern: '^https://(?<value>([a-z0-9-]+\\.)+salesforce\\.com)$',
            address: true,
          },
        },
      },
      {
        url: 'https://{tenant.instance}/services/a360/token',
        form: {
          grant_type: 'urn:salesforce:grant-type:external:cdp',
          subject_token: '{value.core_token}',
          subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
        },
        values: { token: '/access_token', expires: '/expires_in' },
      },
    ],
  },
  'salesforce-jwt': {
    fields: ['client_id', 'username', 'private_key'],
    privateKey: { name: 'private_key', type: 'rsa' },
    assertions: grantAssertion(
      { iss: '{client_id}', sub: '{username}', aud: 'https://login.salesforce.com' },
      'private_key',
    ),
  },
  salesmsg: { requestHeaders: { authorization: 'Bearer {api_key}' } },
  'sap-business-one': { headers: { cookie: 'B1SESSION={token}' } },
  'sap-fieldglass': {
    basic: { username: '{client_id}', password: '{client_secret}' },
    requestHeaders: { 'x-applicationkey': '{app_key}' },
  },
  'sap-success-factors': {
    values: {
      client_id: '{api_key}',
      grant_type: 'urn:ietf:params:oauth:grant-type:saml2-bearer',
      assertion: '{assertion}',
      new_token: 'true',
    },
  },
  sellercloud: {
    requests: [
      {
        method: 'GET',
        url: 'https://api.sellercloud.com/api/server-by-team/',
        query: { team: '{team_name}' },
        values: {
          rest_api_endpoint: {
            at: '/restApiEndpoint',
            pattern: '^https://(?<value>([a-z0-9-]+\\.)+sellercloud\\.(com|us))/rest$',
            address: true,
          },
        },
      },
      {
        url: 'https://{tenant.rest_api_endpoint}/rest/api/token',
        json: { Username: '{username}', Password: '{password}' },
        values: { token: '/access_token', expires: '/expires_in' },
      },
    ],
  },
  semble: {
    patterns: { email: GRAPHQL_TEXT, password: GRAPHQL_TEXT },
    values: {
      query: 'mutation { signIn(data: { email: "{email}", password: "{password}" }) { token } }',
    },
  },
  'servicenow-jwt': {
    fields: ['client_id', 'client_secret', 'key_id', 'user', 'private_key'],
    privateKey: { name: 'private_key', type: 'rsa' },
    assertions: grantAssertion(
      { iss: '{client_id}', sub: '{user}', aud: '{client_id}', jti: '{jwt.id}' },
      'private_key',
      { header: { kid: '{key_id}' } },
    ),
  },
  'sharepoint-online-v1': {
    fields: ['client_id', 'certificate', 'private_key'],
    certificate: true,
    privateKey: { name: 'private_key', type: 'rsa' },
    values: {
      resource: '00000003-0000-0ff1-ce00-000000000000/{tenant.tenant_name}.sharepoint.com@{tenant.tenant_id}',
    },
    assertions: clientAssertion(
      'https://login.microsoftonline.com/{tenant.tenant_id}/oauth2/token',
      'private_key',
      {
        header: { x5t: '{x5t.certificate}' },
      },
    ),
  },
  shopvox: { values: { user: '{email}' } },
  'snowflake-jwt': {
    fields: ['account', 'user', 'private_key'],
    patterns: { account: '^[A-Z0-9_-]+$', user: '^[A-Z0-9_@.-]+$' },
    privateKey: { name: 'private_key', type: 'rsa' },
    assertions: {
      token: {
        algorithm: 'RS256',
        key: 'private_key',
        claims: {
          iss: '{account}.{user}.{fingerprint.private_key}',
          sub: '{account}.{user}',
          iat: '{jwt.issued_at}',
          exp: '{jwt.expires_at}',
        },
        lifetime_seconds: 3540,
      },
    },
    requests: [],
    token: { value: '{assertion.token}', lifetime_seconds: 3540 },
    headers: {
      authorization: 'Bearer {token}',
      'x-snowflake-authorization-token-type': 'KEYPAIR_JWT',
    },
  },
  'sophos-central': { values: { scope: 'token' } },
  tableau: {
    fields: ['token_name', 'token_secret', 'site'],
    values: {
      credentials: {
        personalAccessTokenName: '{token_name}',
        personalAccessTokenSecret: '{token_secret}',
        site: { contentUrl: '{site}' },
      },
    },
    // The answer states the lifetime as a duration, such as 364:35:23.
    token: { value: '{value.token}', lifetime_seconds: 7200 },
    headers: { 'x-tableau-auth': '{token}' },
  },
  'thomson-reuters-legal-tracker-tr-account': { values: { audience: 'https://api.thomsonreuters.com' } },
  toast: { values: { userAccessType: 'TOAST_MACHINE_CLIENT' } },
  tripletex: { values: { expirationDate: '{end.date}' } },
  'ukg-pro-wfm-ropc': {
    values: {
      grant_type: 'http://auth0.com/oauth/grant-type/password-realm',
      audience: 'https://wfm.ukg.net/api',
      realm: '{tenant.tenant_name}',
    },
  },
  'veeva-vault-oauth': {
    requests: [
      {
        url: 'https://{tenant.token_url}',
        form: { grant_type: 'client_credentials', scope: '{tenant.scope}' },
        basic: { username: '{client_id}', password: '{client_secret}' },
        values: { issuer_token: '/access_token' },
      },
      {
        url: 'https://login.veevavault.com/auth/oauth/session/{tenant.oauth_profile_id}',
        headers: { authorization: 'Bearer {value.issuer_token}' },
        form: { vaultDNS: '{tenant.subdomain}.veevavault.com', client_id: '{client_id}' },
        values: { token: '/sessionId' },
      },
    ],
    headers: { authorization: '{token}' },
  },
  'workday-adaptive-planning': {
    fields: ['client_id', 'integration_user', 'private_key'],
    privateKey: { name: 'private_key', type: 'rsa' },
    assertions: grantAssertion({ iss: '{client_id}', sub: '{integration_user}', aud: 'wd' }, 'private_key'),
    requests: [
      {
        url: 'https://{tenant.host}/ccx/oauth2/{tenant.tenant}/token',
        form: {
          grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
          assertion: '{assertion.grant}',
        },
        values: { workday_token: '/access_token' },
      },
      {
        url: 'https://{tenant.host}/ccx/api/planning/v1/{tenant.tenant}/adaptiveAPIAccessToken',
        headers: { authorization: 'Bearer {value.workday_token}' },
        values: { token: '/adaptiveAPIAccessToken' },
      },
    ],
  },
  'workday-cc': {
    basic: { username: '{client_id}', password: '{client_secret}' },
    values: { tenant_alias: '{tenant.tenant}' },
  },
  'workday-refresh-token': { basic: { username: '{client_id}', password: '{client_secret}' } },
  yotpo: { values: { secret: '{api_secret}' } },
  zoominfo: {
    token: { value: '{value.token}', lifetime_seconds: 3600 },
    fields: ['username', 'password'],
    requests: [
      {
        url: 'https://api.zoominfo.com/authenticate',
        json: { username: '{username}', password: '{password}' },
        values: { token: '/jwt' },
      },
    ],
  },
}
// The production address differs from the sandbox only in its host.
const { 'bill-sandbox': billSandbox, ecu360 } = DETAILS
DETAILS['ecu360-production'] = ecu360 as Details
DETAILS.bill = {
  ...billSandbox,
  requests: billSandbox?.requests?.map(request => ({
    ...request,
    url: request.url.replace('stage', 'prod'),
  })),
} as Details

/** Hosts that a person enters. */
export const HOST_PATTERN = HOST
