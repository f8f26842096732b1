import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectorFile } from '@carabiner/contract'

/**
 * An operator's connectors for the sandbox, with features that the built-in ones lack: no OAuth app of the service, a host part
 * that the user enters, two methods, and a scope that only one tool needs.
 */
const shared = {
  summary: 'Notes, elsewhere',
  categories: ['productivity'],
  documentation_url: '{sandbox_url}/',
  credential_origins: ['{sandbox_url}'],
}

const oauth = {
  type: 'oauth2',
  issuer: '{sandbox_url}',
  authorization_endpoint: '{sandbox_url}/oauth/authorize',
  token_endpoint: '{sandbox_url}/oauth/token',
  client_authentication: 'client_secret_basic',
  pkce: 'S256',
  scopes: [
    { name: 'notes:read', title: 'Read your notes' },
    { name: 'notes:write', title: 'Create notes', optional: true },
  ],
  refresh: { rotates: true },
  revocation: { style: 'rfc7009', endpoint: '{sandbox_url}/oauth/revoke', ends: 'account' },
}

const tool = (name: string, scopes: (string | string[])[], request: unknown, properties: unknown) => ({
  name,
  title: name,
  description: `The tool ${name}.`,
  input_schema: {
    type: 'object',
    properties,
    required: Object.keys(properties as object),
    additionalProperties: false,
  },
  scopes,
  request,
  read_only: scopes.length === 0,
  ...(scopes.length > 0 && {
    effects: [],
    roles: Object.fromEntries(Object.keys(properties as object).map(argument => [argument, 'none'])),
  }),
})

/** One account with several sites; the site is part of every URL. */
const sites = {
  slug: 'acme-sites',
  name: 'Acme Sites',
  ...shared,
  authorization: [
    {
      ...oauth,
      revocation: { ...oauth.revocation, ends: 'grant' },
      site: {
        name: 'site_id',
        url: '{sandbox_url}/sites/api/sites',
        list: '',
        value: '/id',
        title: '/name',
        detail: '/url',
        pattern: '^[a-z0-9-]{1,40}$',
      },
    },
  ],
  identity: { url: '{sandbox_url}/notes/api/me', account: '/email', id: '/id' },
  tools: [
    tool(
      'list_pages',
      ['notes:read'],
      { method: 'GET', url: '{sandbox_url}/sites/api/{tenant.site_id}/pages' },
      {},
    ),
  ],
}

/** For fixtures that write connector files themselves. */
export const sitesConnector = sites as unknown as ConnectorFile

const files = {
  'acme-sites': sites,
  'acme-notes': {
    slug: 'acme-notes',
    name: 'Acme',
    ...shared,
    authorization: [oauth],
    identity: { url: '{sandbox_url}/notes/api/me', account: '/email', id: '/id' },
    tools: [
      tool('list', ['notes:read'], { method: 'GET', url: '{sandbox_url}/notes/api/notes' }, {}),
      tool(
        'create',
        ['notes:write'],
        { method: 'POST', url: '{sandbox_url}/notes/api/notes', body: { title: '{title}', text: 'x' } },
        { title: { type: 'string' } },
      ),
      // The file accepts either scope, but the provider requires the second one.
      tool(
        'post',
        [['notes:read', 'notes:write']],
        { method: 'POST', url: '{sandbox_url}/notes/api/notes', body: { title: '{title}', text: 'x' } },
        { title: { type: 'string' } },
      ),
    ],
  },
  'acme-areas': {
    slug: 'acme-areas',
    name: 'Areas',
    ...shared,
    tenant: [
      {
        name: 'area',
        label: 'Area',
        hint: 'The name in the address.',
        placeholder: 'your-area',
        suffix: '.areas.example',
        secret: false,
        pattern: '[a-z]{1,20}',
      },
    ],
    authorization: [
      oauth,
      {
        type: 'api_key',
        fields: [
          { name: 'email', label: 'Email', secret: false },
          { name: 'api_key', label: 'API key', secret: true },
        ],
        headers: { authorization: 'Bearer {api_key}', 'x-acme-email': '{email}' },
      },
    ],
    identity: { url: '{sandbox_url}/{tenant.area}/api/me', account: ['/account/email', '/email'] },
    tools: [tool('whoami', [], { method: 'GET', url: '{sandbox_url}/{tenant.area}/api/me' }, {})],
  },
}

export const writeAcmeConnectors = (): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-acme-'))
  for (const [slug, file] of Object.entries(files))
    writeFileSync(join(folder, `${slug}.json`), JSON.stringify(file))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** Registers a client at the sandbox (RFC 7591). */
export const registerAtSandbox = async (
  sandboxUrl: string,
  redirectUri: string,
): Promise<{ client_id: string; client_secret: string }> => {
  const response = await fetch(`${sandboxUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      redirect_uris: [redirectUri],
      client_name: 'Orbit’s own',
      token_endpoint_auth_method: 'client_secret_basic',
    }),
  })
  if (response.status !== 201) throw new Error(`not registered: ${response.status} ${await response.text()}`)
  const { client_id, client_secret } = (await response.json()) as Record<string, string>
  return { client_id: client_id as string, client_secret: client_secret as string }
}

type Call = (
  method: string,
  path: string,
  options?: { key?: string; body?: unknown },
) => Promise<{ status: number; body: any }>

/** Configures the organization's own OAuth app for a connector of the sandbox. */
export const useOwnApp = async (
  { call, sandbox }: { call: Call; sandbox: { url: string } },
  slug: string,
  key?: string,
): Promise<void> => {
  const path = `/api/v1/connectors/${slug}/oauth-app`
  const authorized = key === undefined ? {} : { key }
  const { redirect_uri } = (await call('GET', path, authorized)).body
  const body = await registerAtSandbox(sandbox.url, redirect_uri)
  const { status } = await call('PUT', path, { ...authorized, body })
  if (status !== 200) throw new Error(`the OAuth app of ${slug} was not accepted: ${status}`)
}
