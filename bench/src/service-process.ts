import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../scripts/postgres-cluster.ts'
import { hashToken, parseToken } from '../../server/src/core/token.ts'
import { type Child, startChild } from './child.ts'

/** The folder and database of one installation of the service. They persist across restarts. */
export type Installation = { folder: string; databaseUrl: string | undefined; remove(): void }

export const createInstallation = (databaseUrl: string | undefined): Installation => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-bench-'))
  return { folder, databaseUrl, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The demo organization, which the service creates in development. */
export type Demo = { organizationId: string; testKey: string; keyHash: Buffer }

export type ServiceProcess = Child & { origin: string; demo: Demo }

export const startServiceProcess = async (
  { folder, databaseUrl }: Installation,
  profile?: string,
  environment: Record<string, string> = {},
): Promise<ServiceProcess> => {
  const port = await freePort()
  const child = await startChild({
    file: 'server/src/main.ts',
    nodeArgs: profile ? ['--cpu-prof', `--cpu-prof-dir=${profile}`] : [],
    environment: {
      PORT: String(port),
      SANDBOX_PORT: '0',
      LOG_LEVEL: 'silent',
      CONNECTORS: 'sandbox-notes sandbox-vault',
      KEY_FILE: join(folder, 'keys/vault.key'),
      DATA_DIRECTORY: join(folder, 'data'),
      ...(databaseUrl && { DATABASE_URL: databaseUrl }),
      ...environment,
    },
    ready: /Carabiner is ready[\s\S]*curl .*\n.*\n/,
  })
  return { ...child, origin: `http://localhost:${port}`, demo: readDemo(folder) }
}

const readDemo = (folder: string): Demo => {
  const demo = JSON.parse(readFileSync(join(folder, 'keys/demo.json'), 'utf8')) as {
    organization_id: string
    test_key: string
  }
  const token = parseToken('testKey', demo.test_key)
  if (!token) throw new Error('the demo organization has no test key')
  return { organizationId: demo.organization_id, testKey: token, keyHash: hashToken(token) }
}
