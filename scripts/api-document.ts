import { buildApp } from '../server/src/app.ts'
import { createFeatures } from '../server/src/features.ts'
import { createLog } from '../server/src/platform/log.ts'
import { createMetrics } from '../server/src/platform/metrics/metrics.ts'
import { VERSION } from '../server/src/service.ts'
import type { ApiDocument } from './api-reference/document.ts'
import { listOperations, makeApiPages } from './api-reference/pages.ts'
import { replaceSection } from './marked-section.ts'

const BASE_URL = 'http://localhost:4000'

/** The API document needs only the routes, so no database is opened. */
export const makeApiDocument = async (): Promise<unknown> => {
  const unused = {} as never
  const features = await createFeatures(
    {
      baseUrl: BASE_URL,
      linkUrl: `${BASE_URL}/link`,
      oauthApps: new Map(),
      connectorsDirectory: undefined,
      taskApprovalHours: 24,
    },
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

const BEGIN = '<!-- requests: written by npm run docs:api -->'
const END = '<!-- end of requests -->'

/** The pages of the API reference by their names in `docs/api`. The first one, with a table of all requests, is otherwise written by hand. */
export const makeApiReference = (document: unknown, index: string): Map<string, string> => {
  const table = listOperations(document as ApiDocument)
  return makeApiPages(document as ApiDocument).set(
    'index.md',
    replaceSection(index, BEGIN, END, `${BEGIN}\n\n${table}\n\n${END}`),
  )
}
