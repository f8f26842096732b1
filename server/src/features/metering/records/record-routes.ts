import { Readable } from 'node:stream'
import {
  AffectedUsers,
  AffectedUsersQuery,
  ToolCallDetail,
  ToolCallExportQuery,
  ToolCallQuery,
  ToolCallRecords,
  ToolCallSummary,
  ToolCallSummaryQuery,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { parsePage } from '../../../core/cursor.ts'
import { readTimeCursor, writeTimeCursor } from '../../../core/time-cursor.ts'
import type { Api } from '../../../edge/api.ts'
import { toRefusal } from '../../../edge/errors.ts'
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

const tags = ['Tool calls']

type Deps = { db: Database; lists: ReadDatabase; vault: Vault; log: Log }

/** The routes return records of the API key's mode only. */
export const recordRoutes = (api: Api, deps: Deps): void => {
  const { lists, log } = deps

  api.get(
    '/tool-calls',
    {
      config: { errors: ['invalid_cursor', 'invalid_request'] },
      schema: {
        summary: 'List tool calls, newest first',
        description:
          'A page may be short or empty although more records exist. Continue until next_cursor is null.',
        tags,
        querystring: ToolCallQuery,
        response: { 200: ToolCallRecords },
      },
    },
    async request => {
      const { cursor, limit, ...filter } = request.query
      const page = await recordStore.page(
        lists,
        request.principal,
        parseRecordFilter(filter),
        readTimeCursor(cursor),
        parsePage({ ...(limit !== undefined && { limit }) }).limit,
      )
      return { data: page.rows.map(toRecord), next_cursor: page.next && writeTimeCursor(page.next) }
    },
  )

  api.get(
    '/tool-calls/export',
    {
      config: {
        errors: ['invalid_request'],
        types: Object.values(EXPORT_FORMATS).map(({ type }) => type.split(';')[0] as string),
      },
      schema: {
        summary: 'Export tool calls as JSON lines or CSV, newest first',
        description: 'Streams the records. If the export fails midway, the last line is an error.',
        tags,
        querystring: ToolCallExportQuery,
        response: { 200: Type.String() },
      },
    },
    async (request, reply) => {
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
        .send(Readable.from(pages, { highWaterMark: 1 }) as never)
    },
  )

  api.get(
    '/tool-calls/summary',
    {
      config: { errors: ['invalid_request'] },
      schema: {
        summary: 'Summarize tool calls: over time, by error, with latencies',
        description:
          'Reads up to 50,000 of the latest calls, and up to 20,000 of each outcome without success.',
        tags,
        querystring: ToolCallSummaryQuery,
        response: { 200: ToolCallSummary },
      },
    },
    async request => summarizeCalls(lists, request.principal, request.query),
  )

  api.get(
    '/tool-calls/affected-users',
    {
      config: { errors: ['invalid_request'] },
      schema: {
        summary: 'List the users of a group of failed calls',
        description:
          'The users of one entry of `errors` in the summary, with the Tool Pack of their latest call. The latest call comes first.',
        tags,
        querystring: AffectedUsersQuery,
        response: { 200: AffectedUsers },
      },
    },
    async request => listAffectedUsers(lists, request.principal, request.query),
  )

  api.get(
    '/tool-calls/:tool_call_id',
    {
      config: { errors: ['tool_call_not_found'] },
      schema: {
        summary: 'Retrieve a tool call, with its arguments and result if they were stored',
        tags,
        params: Type.Object({ tool_call_id: Type.String() }),
        response: { 200: ToolCallDetail },
      },
    },
    async request => readRecord(deps, request.principal, request.params.tool_call_id),
  )
}
