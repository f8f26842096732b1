import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Sandbox, type SandboxOptions, startSandbox } from '@carabiner/sandbox'
import { DISPOSABLE_SETTINGS, freePort, startCluster } from '../../../scripts/postgres-cluster.ts'
import { routingCode } from '../../src/core/token.ts'
import { formatCellMap, type MapFormat } from '../../src/platform/cell-map.ts'
import { writeAcmeConnectors } from './acme-connectors.ts'
import { startTestService, type TestService } from './test-service.ts'

export type CellName = 'a' | 'b'

/** Two cells, each with its own PostgreSQL cluster, and the provider that both use. The public address is that of a load balancer. */
export type TwoCells = {
  cells: Record<CellName, TestService>
  ports: [number, number]
  port: number
  sandbox: Sandbox
  mapPath: string
  /** Assigns organizations to cells. Default: each cell’s first organization to its cell. */
  writeMap(format: MapFormat, cellOf?: Map<string, CellName>): void
  folder: string
}

type TwoCellsOptions = {
  sandbox?: Pick<SandboxOptions, 'accessTokenSeconds'>
  /** Of the cluster of cell b. */
  clusterSettings?: Record<string, string>
  environment?: Record<string, string>
}

export const openTwoCells = async (
  opened: AsyncDisposableStack,
  { sandbox: sandboxOptions, clusterSettings = DISPOSABLE_SETTINGS, environment }: TwoCellsOptions = {},
): Promise<TwoCells> => {
  const folder = mkdtempSync(join(tmpdir(), 'carabiner-cells-'))
  opened.defer(() => rmSync(folder, { recursive: true, force: true }))
  const port = await freePort()
  const baseUrl = `http://127.0.0.1:${port}`
  const redirectUris = ['sandbox-notes', 'acme-notes'].map(slug => `${baseUrl}/oauth/callback/${slug}`)
  const client = { id: 'carabiner', name: 'Carabiner', secret: 'shared-by-both-cells', redirectUris }
  const sandbox = await startSandbox({ client, ...sandboxOptions })
  opened.defer(() => sandbox.close())
  const acme = writeAcmeConnectors()
  opened.defer(() => acme.remove())
  const cluster = await startCluster(clusterSettings)
  opened.defer(() => cluster.stop())
  const mapPath = join(folder, 'cells.map')
  writeFileSync(mapPath, '')
  const ports: [number, number] = [await freePort(), await freePort()]
  const start = async (name: CellName, own: Record<string, string>): Promise<TestService> => {
    const t = await startTestService('postgres', {
      CELL: name,
      CELL_MAP: mapPath,
      BASE_URL: baseUrl,
      HOST: '127.0.0.1',
      TRUST_PROXY: 'loopback',
      SANDBOX_URL: sandbox.url,
      OAUTH_SANDBOX_NOTES_CLIENT_ID: client.id,
      OAUTH_SANDBOX_NOTES_CLIENT_SECRET: client.secret,
      OAUTH_ACME_NOTES_CLIENT_ID: client.id,
      OAUTH_ACME_NOTES_CLIENT_SECRET: client.secret,
      CONNECTORS_DIRECTORY: acme.folder,
      ...environment,
      ...own,
    })
    opened.defer(() => t.stop())
    return t
  }
  const a = await start('a', { PORT: String(ports[0]) })
  const b = await start('b', { PORT: String(ports[1]), DATABASE_URL: `${cluster.url}/postgres` })
  const own = new Map<string, CellName>([
    [a.organization.id, 'a'],
    [b.organization.id, 'b'],
  ])
  const writeMap: TwoCells['writeMap'] = (format, cellOf = own) => {
    const map = new Map([...cellOf].map(([id, cell]) => [routingCode(id), cell]))
    writeFileSync(mapPath, `# a comment\n${formatCellMap(map, format)}`)
  }
  return { cells: { a, b }, ports, port, sandbox, mapPath, writeMap, folder }
}
