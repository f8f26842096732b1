import { rename, rm } from 'node:fs/promises'
import { PGlite } from '@electric-sql/pglite'

// Run as a program by `ensureEmbedded`: creates an empty database cluster in the given folder, completely or not at
// all.
const [folder] = process.argv.slice(2)
if (folder === undefined) throw new Error('the folder of the embedded database is missing')
const draft = `${folder}.new`
await rm(draft, { recursive: true, force: true })
const lite = await PGlite.create({ dataDir: draft })
await lite.close()
await rename(draft, folder)
