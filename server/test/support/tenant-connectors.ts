import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Whatever leaves for a customer's own address ends in this. */
export const TENANT_SUFFIX = '.tenants.invalid'

const HOST = `https://{tenant.site}${TENANT_SUFFIX}`

/** A connector whose users say which host is theirs, in a pattern as tight or as loose as its author made it. */
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
        // Called like what every object has: nothing that was not sent is a value of it.
        { name: 'constructor', label: 'E-mail', secret: false },
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
