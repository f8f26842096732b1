import { type Sandbox, startSandbox } from '@carabiner/sandbox'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { type Fleet, type Node, startFleet } from './processes.ts'

export const NOTES = 'sandbox-notes'

/** A fleet and the sandbox that its nodes link with. The stack disposes of both. */
export const startNotesFleet = async (
  opened: AsyncDisposableStack,
  {
    environment = {},
    ...options
  }: { accessTokenSeconds?: number; environment?: Record<string, string> } = {},
): Promise<{ fleet: Fleet & { first: Node }; sandbox: Sandbox; baseUrl: string }> => {
  const port = await freePort()
  const baseUrl = `http://localhost:${port}`
  const client = {
    id: 'carabiner',
    secret: 'a-secret-of-this-proof',
    redirectUris: [`${baseUrl}/oauth/callback/${NOTES}`],
  }
  const sandbox = await startSandbox({ client, ...options })
  opened.defer(() => sandbox.close())
  const fleet = await startFleet('postgres', {
    port,
    environment: {
      SANDBOX_URL: sandbox.url,
      OAUTH_SANDBOX_NOTES_CLIENT_ID: client.id,
      OAUTH_SANDBOX_NOTES_CLIENT_SECRET: client.secret,
      ...environment,
    },
  })
  opened.defer(() => fleet.stop())
  return { fleet, sandbox, baseUrl }
}
