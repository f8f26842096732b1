import { createServer } from 'node:http'
import { SECOND } from '../../core/duration.ts'
import type { Log } from '../log.ts'
import { CONTENT_TYPE, formatReport } from './exposition.ts'
import type { MetricReport } from './metrics.ts'

export type MetricsAddress = { host: string; port: number }

type Options = MetricsAddress & { read: () => Promise<MetricReport[]>; log: Log }

/**
 * A listener of its own, because metrics describe the whole installation and need no credentials. A load balancer that
 * forwards the public port cannot expose it by accident.
 */
export const openMetricsServer = async ({ host, port, read, log }: Options): Promise<AsyncDisposable> => {
  const server = createServer({ requestTimeout: 10 * SECOND }, (request, response) => {
    const path = request.url?.split('?')[0]
    if (path !== '/metrics' || (request.method !== 'GET' && request.method !== 'HEAD')) {
      response.writeHead(404).end()
      return
    }
    read()
      .then(formatReport)
      .then(
        text => response.writeHead(200, { 'content-type': CONTENT_TYPE }).end(text),
        (error: unknown) => {
          log.error({ error }, 'the metrics could not be read')
          response.writeHead(500).end()
        },
      )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen({ host, port, exclusive: true }, resolve)
  })
  return {
    [Symbol.asyncDispose]: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
