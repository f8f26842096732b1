import { globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeEventPages } from './event-pages.ts'

const folder = join(import.meta.dirname, '../docs/reference/events')
const pages = makeEventPages()

mkdirSync(folder, { recursive: true })
for (const file of globSync('*.md', { cwd: folder })) if (!pages.has(file)) rmSync(join(folder, file))
for (const [file, text] of pages) writeFileSync(join(folder, file), text)
