import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makeConnectorLogos } from '../../../scripts/connector-logos.ts'
import { makeConnectorSchema } from '../../../scripts/connector-schema.ts'
import { catalogFigures, makeConnectorTable, withConnectorTable } from '../../../scripts/connector-table.ts'
import { connectorFiles, loadCatalog, SHIPPED_FOLDER } from '../../src/features/connectors/catalog/catalog.ts'
import { readConnector } from '../../src/features/connectors/catalog/read-connector.ts'
import { showProblem } from '../../src/features/connectors/catalog/rules/connector-problem.ts'

const root = join(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/reference/connector-files.md'), 'utf8')

test('the published schema of connector files equals the generated one', () => {
  const committed = readFileSync(join(root, 'connectors/connector.schema.json'), 'utf8')
  assert.equal(committed, makeConnectorSchema(), 'run npm run docs:connectors')
})

test('the connector logos equal those of simple-icons', () => {
  const slugs = connectorFiles(SHIPPED_FOLDER).map(name => name.slice(0, -'.json'.length))
  const committed = readFileSync(join(root, 'connectors/logos/marks.json'), 'utf8')
  assert.equal(committed, makeConnectorLogos(slugs), 'run npm run docs:connectors')
})

test('the connector table in the docs matches the connector files', () => {
  const table = makeConnectorTable(loadCatalog({}).all())
  assert.equal(page, withConnectorTable(page, table), 'run npm run docs:connectors')
})

test('the files of Docusign and QuickBooks are valid with the sandbox hosts in docs', () => {
  const rows = [...page.matchAll(/^\| (Docusign|QuickBooks) \| `(https:[^`]*)` \| `(https:[^`]*)` \|$/gm)]
  assert.equal(rows.length, 3)
  for (const slug of ['docusign', 'quickbooks']) {
    const shipped = readFileSync(join(SHIPPED_FOLDER, `${slug}.json`), 'utf8')
    const own = rows
      .filter(([, name]) => name?.toLowerCase() === slug)
      .reduce((text, [, , host = '', replacement = '']) => {
        assert.ok(text.includes(host), host)
        return text.replaceAll(host, replacement)
      }, shipped)
    const read = readConnector(own, `${slug}.json`, { places: {}, slug, rules: true })
    assert.deepEqual('problems' in read ? read.problems.map(showProblem) : [], [])
  }
})

test('README and docs state how many connectors and tools agents can use', () => {
  const { connectors, tools } = catalogFigures(loadCatalog({}).all())
  const stated: [page: string, figures: string][] = [
    ['README.md', `${connectors} connectors with ${tools} tools`],
    ['README.md', `| catalog | ${connectors} connectors,`],
    ['docs/comparison.md', `${connectors} connectors with ${tools} tools`],
  ]
  for (const [name, figures] of stated) {
    const text = readFileSync(join(root, name), 'utf8').replaceAll('\n', ' ')
    assert.ok(text.includes(figures), `${name} does not state: ${figures}`)
  }
})

test('the example in docs is a valid connector', () => {
  const [, example = ''] = /```json\n(\{\n {2}"\$schema"[\s\S]*?)```/.exec(page) ?? []
  const options = { places: {}, slug: 'parts', rules: true }
  const read = readConnector(example, 'docs/reference/connector-files.md', options)
  assert.deepEqual('problems' in read ? read.problems.map(showProblem) : [], [])
  assert.ok('connector' in read)
})
