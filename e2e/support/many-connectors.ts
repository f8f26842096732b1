import type { ConnectorCategory } from '@carabiner/contract'
import { listedConnector, writeConnectors } from '../../server/test/support/listed-connectors.ts'

const MORE: [name: string, category: ConnectorCategory, summary: string][] = [
  ['Lines', 'development', 'Issues and projects'],
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

/** Writes connector files; with the two of the sandbox there are fourteen connectors. */
export const writeManyConnectors = () =>
  writeConnectors(
    MORE.map(([name, category, summary]) => {
      const slug = name.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase()
      return listedConnector({ slug, name, summary, categories: [category] })
    }),
  )
