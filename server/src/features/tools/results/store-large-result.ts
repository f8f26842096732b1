import { setImmediate } from 'node:timers/promises'
import { HOUR, SECOND } from '../../../core/duration.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type SealContext, seal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { ContentBlock } from '../../upstream/tool-result.ts'
import type { CallerRow, Known } from '../admission/admission-store.ts'
import { keptResultStore } from './stored-result-store.ts'
import type { ToolResult } from './tool-result.ts'
import { truncateResult } from './truncate-result.ts'

export const RESULT_LIFETIME = HOUR
/** In characters. Provider answers are limited before, so this rarely truncates. */
const MAX_STORED_LENGTH = 1024 * 1024

type Deps = { db: Database; vault: Vault }
export type ResultPlace = { organizationId: string; registeredUserId: string; toolPackId: string; id: string }

/** Binds the ciphertext to this result, user and pack. */
export const resultContext = (place: ResultPlace): SealContext => [
  'kept-result',
  place.organizationId,
  place.registeredUserId,
  place.toolPackId,
  place.id,
]

/**
 * Truncates a result to the limit of its Tool Pack. If the pack has `result_handles`, the whole result is stored for an hour under the
 * user's own key; otherwise no part of a result is stored.
 */
export const storeIfLarge = async (
  deps: Deps,
  row: Known<CallerRow>,
  result: ToolResult,
  size: number,
): Promise<ToolResult> => {
  const limit = row.pack_result_limit
  if (size <= limit) return result
  // Lets other requests run before a large result is read again.
  await setImmediate()
  const handle = row.pack_result_handles ? await keepResult(deps, row, result) : null
  return truncateResult(result, { size, limit, handle })
}

const keepResult = async (
  { db, vault }: Deps,
  row: Known<CallerRow>,
  result: ToolResult,
): Promise<string> => {
  const place = {
    organizationId: row.organization_id,
    registeredUserId: row.user_id,
    toolPackId: row.pack_id,
    id: newUuid(),
  }
  const userKey = await vault.openUserKey(place.organizationId, place.registeredUserId, row.user_key)
  const sealed = seal(
    userKey,
    readableText(result).slice(0, MAX_STORED_LENGTH).toWellFormed(),
    resultContext(place),
  )
  await keptResultStore.insert(db, { ...place, sealed, seconds: RESULT_LIFETIME / SECOND })
  return place.id
}

/** The result as one text. Images and audio are only named. */
const readableText = ({ content, structuredContent }: ToolResult): string => {
  const parts = content.map(textOf)
  const structure = structuredContent && JSON.stringify(structuredContent)
  return [...parts, ...(structure && !parts.includes(structure) ? [structure] : [])].join('\n\n')
}

const textOf = (block: ContentBlock): string => {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}]`
    case 'resource_link':
      return JSON.stringify(block)
    case 'resource':
      return 'text' in block.resource ? block.resource.text : `[file, ${block.resource.uri}]`
  }
}
