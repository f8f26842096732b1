import { HOUR, SECOND } from '../../../core/duration.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import { nextTurn } from '../../../platform/isolation/next-turn.ts'
import { type SealContext, seal } from '../../../platform/vault/sealing.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { ContentBlock } from '../../upstream/mcp-tool-result.ts'
import type { FoundCaller, Known } from '../admission/caller-store.ts'
import { storedResultStore } from './stored-result-store.ts'
import type { ToolResult } from './tool-result.ts'
import { truncateResult } from './truncate-result.ts'

export const RESULT_LIFETIME = HOUR
/** In characters. Provider answers are limited before, so this rarely truncates. */
const MAX_STORED_LENGTH = 1024 * 1024

type Deps = { db: Database; vault: Vault }
export type ResultPlace = { organizationId: string; registeredUserId: string; toolPackId: string; id: string }

/** Binds the ciphertext to this result, user and pack. */
export const resultContext = (place: ResultPlace): SealContext => [
  'stored-result',
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
  caller: Known<FoundCaller>,
  result: ToolResult,
  size: number,
): Promise<ToolResult> => {
  const limit = caller.packResultLimit
  if (size <= limit) return result
  await nextTurn()
  const handle = caller.packResultHandles ? await keepResult(deps, caller, result) : null
  return truncateResult(result, { size, limit, handle })
}

const keepResult = async (
  { db, vault }: Deps,
  caller: Known<FoundCaller>,
  result: ToolResult,
): Promise<string> => {
  const place = {
    organizationId: caller.organizationId,
    registeredUserId: caller.userId,
    toolPackId: caller.packId,
    id: newUuid(),
  }
  const userKey = await vault.openUserKey(place.organizationId, place.registeredUserId, caller.userKey)
  const sealed = seal(
    userKey,
    readableText(result).slice(0, MAX_STORED_LENGTH).toWellFormed(),
    resultContext(place),
  )
  await storedResultStore.insert(db, { ...place, sealed, seconds: RESULT_LIFETIME / SECOND })
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
