import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Sandbox } from '@carabiner/sandbox'
import type { Secret } from './core/secret.ts'
import { redirectUri } from './features/oauth/oauth-app.ts'
import type { Config } from './platform/config.ts'

/** The service's OAuth app at the sandbox, for all of its connectors that use OAuth. */
export const SANDBOX_CLIENT = { id: 'carabiner', connectors: ['sandbox-notes', 'sandbox-tasks'] }

/** Development only: starts the provider to link with. It is loaded only if it is used. */
export const openSandbox = async (config: Config, clientSecret: Secret): Promise<Sandbox> => {
  const embedded = !config.databaseUrl && existsSync(config.dataDirectory)
  const { startSandbox } = await import('@carabiner/sandbox')
  return startSandbox({
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
