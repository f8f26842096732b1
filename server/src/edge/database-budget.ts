import type { FastifyInstance } from 'fastify'
import {
  createRequestBudget,
  type RequestBudget,
  runWithBudget,
} from '../platform/database/request-budget.ts'

declare module 'fastify' {
  interface FastifyRequest {
    databaseBudget: RequestBudget | null
  }
}

/** Limits how long each request waits for a database that does not answer. */
export const limitDatabaseTime = (app: FastifyInstance, totalMs: number): void => {
  app.decorateRequest('databaseBudget', null)
  app.addHook('onRequest', (request, _reply, done) => {
    request.databaseBudget = createRequestBudget(totalMs)
    runWithBudget(request.databaseBudget, done)
  })
  // The body is parsed by events of the connection, which do not belong to the request.
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.databaseBudget) runWithBudget(request.databaseBudget, done)
    else done()
  })
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.databaseBudget) request.databaseBudget.isOver = true
    done()
  })
}
