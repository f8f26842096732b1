import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  connectorFiles,
  loadCatalog,
  SHIPPED_FOLDER,
} from '../server/src/features/connectors/catalog/catalog.ts'
import { withProviderTable } from '../server/test/support/sign-in-shapes/provider-table.ts'
import { makeConnectorLogos } from './connector-logos.ts'
import { makeConnectorSchema } from './connector-schema.ts'
import { makeConnectorTable, withConnectorTable } from './connector-table.ts'

const root = join(import.meta.dirname, '..')
const page = join(root, 'docs/reference/connector-files.md')

writeFileSync(join(root, 'connectors/connector.schema.json'), makeConnectorSchema())
writeFileSync(
  join(root, 'connectors/logos/marks.json'),
  makeConnectorLogos(connectorFiles(SHIPPED_FOLDER).map(name => name.slice(0, -'.json'.length))),
)
const kinds = join(root, 'docs/reference/sign-in-kinds.md')
writeFileSync(kinds, withProviderTable(readFileSync(kinds, 'utf8')))
const table = makeConnectorTable(loadCatalog({}).all())
writeFileSync(page, withConnectorTable(readFileSync(page, 'utf8'), table))
