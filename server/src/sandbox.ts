import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from '@carabiner/sandbox'
import type { Secret } from './core/secret.ts'
import { redirectUri } from './features/oauth/oauth-app.ts'
import type { Config } from './platform/config.ts'

/** The service's OAuth app at the sandbox, for all of its connectors that use OAuth. */
export const SANDBOX_CLIENT = { id: 'carabiner', connectors: ['sandbox-notes', 'sandbox-tasks'] }
const PACKAGE = '@carabiner/sandbox'
export const SANDBOX_NOT_INSTALLED = `not installed; to get a provider to link with: npm install --save-dev ${PACKAGE}`

/** Development only: starts the provider to link with. Undefined if it is not installed, as in every production installation. */
export const openSandbox = async (config: Config, clientSecret: Secret): Promise<Sandbox | undefined> => {
  const embedded = !config.databaseUrl && existsSync(config.dataDirectory)
  const sandbox = await import('@carabiner/sandbox').catch((error: NodeJS.ErrnoException) => {
    // A clone without its development dependencies still contains the sources of the sandbox.
    if (error.code !== 'ERR_MODULE_NOT_FOUND' || !/@carabiner\/sandbox|oidc-provider/.test(error.message))
      throw error
  })
  return sandbox?.startSandbox({
    port: config.sandboxPort,
    client: {
      id: SANDBOX_CLIENT.id,
      name: 'Carabiner',
      secret: clientSecret.reveal(),
      redirectUris: SANDBOX_CLIENT.connectors.map(slug => redirectUri(config.baseUrl, slug)),
    },
    ...(embedded && { stateFile: join(config.dataDirectory, 'sandbox.json') }),
  })
}
