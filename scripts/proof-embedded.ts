import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** `npm run proof:embedded`: the flows that `npm test` runs on PostgreSQL only, on the embedded database as well. */
const root = join(import.meta.dirname, '..')
const flows = globSync('server/test/**/*.test.ts', { cwd: root }).filter(file =>
  readFileSync(join(root, file), 'utf8').includes('flowEngines'),
)
process.env.TEST_ENGINES = 'all'
process.argv.push(...flows)
await import('./test.ts')
