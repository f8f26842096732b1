import { setImmediate } from 'node:timers/promises'
import { HOUR, SECOND } from '../../../core/duration.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type SealContext, seal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { ContentBlock } from '../../upstream/tool-result.ts'
import type { CallerRow } from '../admission/admission-store.ts'
import { keptResultStore } from './stored-result-store.ts'
import type { ToolResult } from './tool-result.ts'
import { truncateResult } from './truncate-result.ts'

export const RESULT_LIFETIME = HOUR
/** Characters of one result that are kept. A third party's answer is capped before, so that this cuts next to nothing. */
const MOST_KEPT = 1024 * 1024

type Deps = { db: Database; vault: Vault }
export type ResultPlace = { organizationId: string; registeredUserId: string; toolPackId: string; id: string }

/** Opens only as this result, of this user in this pack. */
export const resultContext = (place: ResultPlace): SealContext => [
  'kept-result',
  place.organizationId,
  place.registeredUserId,
  place.toolPackId,
  place.id,
]

/**
 * What the model gets of a result: all of it where it fits, else as much as its Tool Pack lets through. Where the pack opted
 * in, the whole is kept for an hour under the user's own key; otherwise nothing of a result is kept anywhere.
 */
export const storeIfLarge = async (
  deps: Deps,
  row: CallerRow,
  result: ToolResult,
  size: number,
): Promise<ToolResult> => {
  const limit = row.pack_result_limit
  if (size <= limit) return result
  // Others take their turns before a large result is read again.
  await setImmediate()
  const handle = row.pack_result_handles ? await keepResult(deps, row, result) : null
  return truncateResult(result, { size, limit, handle })
}

const keepResult = async ({ db, vault }: Deps, row: CallerRow, result: ToolResult): Promise<string> => {
  const place = {
    organizationId: row.organization_id as string,
    registeredUserId: row.user_id as string,
    toolPackId: row.pack_id as string,
    id: newUuid(),
  }
  const userKey = await vault.openUserKey(place.organizationId, place.registeredUserId, row.user_key)
  const sealed = seal(userKey, readableText(result).slice(0, MOST_KEPT).toWellFormed(), resultContext(place))
  await keptResultStore.insert(db, { ...place, sealed, seconds: RESULT_LIFETIME / SECOND })
  return place.id
}

/** A result as one text to read on in. Pictures and sound are no reading matter: they are named. */
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
