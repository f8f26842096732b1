import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ConnectorFile } from '@carabiner/contract'

const MORE: [name: string, category: ConnectorFile['category'], summary: string][] = [
  ['Linear', 'development', 'Issues and projects'],
  ['Mail', 'communication', 'Messages and drafts'],
  ['Sheets', 'productivity', 'Spreadsheets'],
  ['Tickets', 'support', 'Requests and answers'],
  ['Calendar', 'productivity', 'Meetings and rooms'],
  ['Drive', 'files', 'Files and folders'],
  ['Boards', 'productivity', 'Cards on boards'],
  ['Chatter', 'communication', 'Channels and threads'],
  ['Ledger', 'finance', 'Invoices and payments'],
  ['Deploys', 'development', 'Builds and releases'],
  ['Métrics', 'data', 'Numbers over time'],
  ['Forms', 'sales', 'Questions and answers'],
]

/** A folder of connector files, so that with the sandbox's two there are fourteen. */
export const writeManyConnectors = (): { folder: string; remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-connectors-'))
  for (const [name, category, summary] of MORE) {
    const slug = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
    const file = {
      slug,
      name,
      summary,
      category,
      authorization: {
        type: 'api_key',
        label: 'API key',
        header: { name: 'authorization', prefix: 'Bearer ' },
      },
      identity: { url: 'https://example.com/me', account: '/email' },
      credential_origins: ['https://example.com'],
      tools: [],
    }
    writeFileSync(join(folder, `${slug}.json`), JSON.stringify(file))
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}
