import { FEATURES } from '../server/test/architecture.ts'

const BEGIN = '<!-- features: written by npm run docs:architecture -->'
const END = '<!-- end of features -->'

/** The features of the service as a Markdown table, from the data that the tests check the code against. */
export const architectureTable = (): string => {
  const rows = Object.entries(FEATURES).map(([name, { owns, mayImport, tables, folders = [] }]) => {
    const parts = folders.filter(folder => folder !== '.').map(folder => `\`${folder}\``)
    return `| \`${name}\` | ${[owns, ...parts].join(', ').replace(`${owns}, `, `${owns}; folders: `)} | ${mayImport.join(', ') || '–'} | ${tables.join(', ') || '–'} |`
  })
  return [BEGIN, '', '| feature | owns | may import | writes |', '|---|---|---|---|', ...rows, '', END].join(
    '\n',
  )
}

/** Returns the page with the table inserted. */
export const withArchitectureTable = (page: string, table: string): string => {
  const [start, end] = [page.indexOf(BEGIN), page.indexOf(END)]
  if (start === -1 || end === -1)
    throw new Error('docs/architecture.md does not contain the markers of its table')
  return page.slice(0, start) + table + page.slice(end + END.length)
}
