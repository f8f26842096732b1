import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Suffix of the host of every customer. */
export const TENANT_SUFFIX = '.tenants.invalid'

const HOST = `https://{tenant.site}${TENANT_SUFFIX}`

/** A connector whose users enter their own host, restricted by a pattern that may be strict or loose. */
const connector = (slug: string, pattern: string) => ({
  slug,
  name: 'Sites',
  summary: 'Sites of customers',
  categories: ['other'],
  documentation_url: 'https://tenants.invalid/',
  tenant: [{ name: 'site', label: 'Site', suffix: TENANT_SUFFIX, secret: false, pattern }],
  authorization: [
    {
      type: 'oauth2',
      authorization_endpoint: `${HOST}/authorize`,
      token_endpoint: `${HOST}/token`,
      client_authentication: 'client_secret_basic',
      pkce: 'S256',
      scopes: [{ name: 'read', title: 'Read' }],
    },
    {
      type: 'api_key',
      fields: [
        // Named like a property that every object inherits: an inherited value must not count as sent.
        { name: 'constructor', label: 'Email', secret: false },
        { name: 'api_key', label: 'Key', secret: true },
      ],
      headers: { authorization: 'Bearer {api_key}', 'x-email': '{constructor}' },
    },
  ],
  identity: { url: `${HOST}/me`, account: '/name' },
  credential_origins: [HOST],
  tools: [],
})

export const writeTenantConnectors = (): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-tenants-'))
  for (const [slug, pattern] of [
    ['tight-sites', '^[a-z0-9-]{1,40}$'],
    ['loose-sites', '[A-Za-z0-9._-]{1,300}'],
  ] as const)
    writeFileSync(join(folder, `${slug}.json`), JSON.stringify(connector(slug, pattern)))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
