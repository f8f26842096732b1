import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectorFile } from '@carabiner/contract'

type Listed = Pick<ConnectorFile, 'slug' | 'name' | 'summary' | 'categories'>

/** A connector to list in the picker. Its tool is never called. */
export const listedConnector = (listed: Listed): ConnectorFile => ({
  ...listed,
  documentation_url: 'https://example.com/docs',
  authorization: [
    {
      type: 'api_key',
      fields: [{ name: 'api_key', label: 'API key', secret: true }],
      headers: { authorization: 'Bearer {api_key}' },
    },
  ],
  identity: { url: 'https://example.com/me', account: '/email' },
  credential_origins: ['https://example.com'],
  tools: [
    {
      name: 'list_things',
      title: 'List things',
      description: 'Lists things.',
      input_schema: { type: 'object', properties: {}, additionalProperties: false },
      scopes: [],
      request: { method: 'GET', url: 'https://example.com/things' },
      read_only: true,
    },
  ],
})

/** A folder of connector files, for `CONNECTORS_DIRECTORY`. */
export const writeConnectors = (connectors: ConnectorFile[]): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-connectors-'))
  for (const connector of connectors)
    writeFileSync(join(folder, `${connector.slug}.json`), JSON.stringify(connector))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
