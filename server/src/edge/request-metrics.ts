import type { FastifyInstance } from 'fastify'
import { addCounter, type Metrics } from '../platform/metrics/metrics.ts'

const CLASSES = ['1xx', '2xx', '3xx', '4xx', '5xx']

/** Counts responses by the class of their status. Routes are not distinguished. */
export const countRequests = (app: FastifyInstance, metrics: Metrics): void => {
  const counter = addCounter(metrics, {
    name: 'carabiner_http_requests_total',
    help: 'HTTP requests by the class of their status.',
  })
  const cells = CLASSES.map(status => counter.cell({ status }))
  app.addHook('onResponse', (_request, reply, done) => {
    const cell = cells[Math.floor(reply.statusCode / 100) - 1]
    if (cell) cell.value++
    done()
  })
}
