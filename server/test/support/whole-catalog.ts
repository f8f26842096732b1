import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectorFile } from '@carabiner/contract'

const FOLDER = join(import.meta.dirname, '../../../connectors')
/** The sandbox brings its own OAuth app. */
const SANDBOX = 'sandbox-notes'

/** Settings that enable every built-in connector. Connectors that need an OAuth app get one that does not work. */
export const wholeCatalog = (): Record<string, string> => {
  const connectors = globSync('*.json', { cwd: FOLDER, exclude: ['connector.schema.json'] }).map(
    file => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as ConnectorFile,
  )
  const withApps = connectors.filter(
    ({ slug, authorization }) => slug !== SANDBOX && authorization.some(({ type }) => type === 'oauth2'),
  )
  return Object.fromEntries([
    ['CONNECTORS', connectors.map(({ slug }) => slug).join(' ')],
    ...withApps.flatMap(({ slug }) => {
      const prefix = `OAUTH_${slug.toUpperCase().replaceAll('-', '_')}_CLIENT`
      return [
        [`${prefix}_ID`, 'an-app'],
        [`${prefix}_SECRET`, 'its-secret'],
      ]
    }),
  ])
}
