import { FEATURES } from '../server/test/architecture.ts'
import { replaceSection } from './marked-section.ts'

const BEGIN = '<!-- features: written by npm run docs:architecture -->'
const END = '<!-- end of features -->'

/** The features of the service as a Markdown table, from the data that the tests check the code against. */
export const architectureTable = (): string => {
  const rows = Object.entries(FEATURES).map(([name, { owns, mayImport, tables, folders = [] }]) => {
    const parts = folders.filter(folder => folder !== '.').map(folder => `\`${folder}\``)
    const contents = parts.length > 0 ? `${owns}; folders: ${parts.join(', ')}` : owns
    return `| \`${name}\` | ${contents} | ${mayImport.join(', ') || '–'} | ${tables.join(', ') || '–'} |`
  })
  return [BEGIN, '', '| feature | owns | may import | writes |', '|---|---|---|---|', ...rows, '', END].join(
    '\n',
  )
}

/** Returns the page with the table inserted. */
export const withArchitectureTable = (page: string, table: string): string =>
  replaceSection(page, BEGIN, END, table)
