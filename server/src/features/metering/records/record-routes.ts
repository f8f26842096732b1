import { Readable } from 'node:stream'
import { operations } from '@carabiner/contract/operations'
import { parsePage } from '../../../core/cursor.ts'
import { readTimeCursor, writeTimeCursor } from '../../../core/time-cursor.ts'
import type { Api } from '../../../edge/api.ts'
import { toRefusal } from '../../../edge/errors.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { EXPORT_FORMATS, exportRecords } from './export-records.ts'
import { readRecord } from './read-record.ts'
import { parseRecordFilter } from './record-filter.ts'
import { recordStore } from './record-store.ts'
import { listAffectedUsers, summarizeCalls } from './summarize-calls.ts'
import { toRecord } from './to-record.ts'

type Deps = { db: Database; lists: ReadDatabase; vault: Vault; log: Log }

/** The routes return records of the API key's mode only. */
export const recordRoutes = (api: Api, deps: Deps): void => {
  const { lists, log } = deps

  serve(api, operations.listToolCalls, async request => {
    const { cursor, limit, ...filter } = request.query
    const page = await recordStore.page(
      lists,
      request.principal,
      parseRecordFilter(filter),
      readTimeCursor(cursor),
      parsePage({ ...(limit !== undefined && { limit }) }).limit,
    )
    return { data: page.rows.map(toRecord), next_cursor: page.next && writeTimeCursor(page.next) }
  })

  serve(api, operations.exportToolCalls, async (request, reply) => {
    const { format = 'jsonl', ...filter } = request.query
    const onError = (error: unknown) => {
      log.error({ error, request_id: request.id }, 'an export failed midway')
      const { code, message } = toRefusal(error)
      return { code, message, request_id: request.id }
    }
    const pages = exportRecords(lists, request.principal, parseRecordFilter(filter), { format, onError })
    return reply
      .type(EXPORT_FORMATS[format].type)
      .header('content-disposition', `attachment; filename="tool-calls.${format}"`)
      .send(Readable.from(pages, { highWaterMark: 1 }))
  })

  serve(api, operations.summarizeToolCalls, async request =>
    summarizeCalls(lists, request.principal, request.query),
  )

  serve(api, operations.listAffectedUsers, async request =>
    listAffectedUsers(lists, request.principal, request.query),
  )

  serve(api, operations.getToolCall, async request =>
    readRecord(deps, request.principal, request.params.tool_call_id),
  )
}
