import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { formatApiDocument, makeApiDocument, makeApiReference } from './api-document.ts'

const folder = join(import.meta.dirname, '../docs/api')
const document = await makeApiDocument()
writeFileSync(join(folder, 'openapi.json'), formatApiDocument(document))
const pages = makeApiReference(document, readFileSync(join(folder, 'index.md'), 'utf8'))
for (const [name, page] of pages) writeFileSync(join(folder, name), page)
