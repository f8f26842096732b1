import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { loadCatalog } from '../../../server/src/features/connectors/catalog/catalog.ts'

/** Loads the connectors once in a new process, so that nothing is warm. Prints the duration in milliseconds. */
const [subject, folder = ''] = process.argv.slice(2)

const parseAll = (): number =>
  readdirSync(folder).map(name => JSON.parse(readFileSync(join(folder, name), 'utf8')) as unknown).length
const loaders: Record<string, () => number> = {
  parse: parseAll,
  shipped: () => loadCatalog({}, undefined, { shippedFolder: folder }).all().length,
  operator: () => loadCatalog({}, folder).all().length,
}

const startedAt = performance.now()
const count = loaders[subject ?? '']?.() ?? 0
process.stdout.write(JSON.stringify({ milliseconds: performance.now() - startedAt, count }))
