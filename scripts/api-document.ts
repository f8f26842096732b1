import { buildApp } from '../server/src/app.ts'
import { createFeatures } from '../server/src/features.ts'
import { createLog } from '../server/src/platform/log.ts'
import { createMetrics } from '../server/src/platform/metrics/metrics.ts'
import { VERSION } from '../server/src/service.ts'

const BASE_URL = 'http://localhost:4000'

/** The API document needs only the routes, so no database is opened. */
export const makeApiDocument = async (): Promise<unknown> => {
  const unused = {} as never
  const features = await createFeatures(
    { baseUrl: BASE_URL, linkUrl: `${BASE_URL}/link`, oauthApps: new Map(), connectorsDirectory: undefined },
    {
      db: { query: async () => [] } as never,
      lists: unused,
      tombstones: unused,
      vault: { signer: { sign: () => Buffer.alloc(16) } } as never,
      egress: unused,
      isolated: unused,
      metrics: createMetrics(),
      tracing: null,
      cells: null,
      log: createLog('silent'),
      version: VERSION,
      sandboxUrl: undefined,
      afterRevocation: () => undefined,
    },
  )
  const app = buildApp(
    {
      baseUrl: BASE_URL,
      tls: undefined,
      trustProxy: undefined,
      development: true,
      databaseUrl: undefined,
      databaseTimeoutMs: 0,
    },
    features,
    { read: unused, drain: () => undefined, isDraining: () => false },
    { demo: null, readHealth: unused },
  )
  const response = await app.inject({ method: 'GET', url: '/api/v1/openapi.json' })
  await app.close()
  return response.json()
}

export const formatApiDocument = (document: unknown): string => `${JSON.stringify(document, null, 2)}\n`
