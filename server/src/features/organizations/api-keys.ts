import type { ApiKeyCreate } from '@carabiner/contract'
import { guardedGroups, type KeyGroup } from '@carabiner/contract/key-groups'
import type { Actor } from '../../core/audited-change.ts'
import type { Mode } from '../../core/mode.ts'
import { Refusal } from '../../core/refusal.ts'
import { Secret } from '../../core/secret.ts'
import { hashToken, issueToken, tokenHint } from '../../core/token.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Principal } from '../../edge/principal.ts'
import type { Database, Queryable, Transaction } from '../../platform/database/database.ts'
import { recordEvent } from '../events/record-event.ts'
import { apiKeyStore, type StoredApiKey } from './api-key-store.ts'
import { organizationStore } from './organization-store.ts'

/** Of one organization. The list of keys is not paged. */
const MAX_VALID_KEYS = 100

/** The plaintext key exists only in this value; its hash is stored. */
export type IssuedKey = { stored: StoredApiKey; key: Secret }

export type KeyToIssue = {
  organizationId: string
  mode: Mode
  name: string
  createdBy: Actor
  /** Default: a new one. */
  id?: string
  /** Of the key that it replaces. Default: its own. */
  lineage?: string
  /** Default: not restricted. */
  groups?: KeyGroup[] | null
  /** Default: never. */
  expiresAt?: Date | string | null
  expiresInDays?: number | null
  forDevelopment?: boolean
}

/** Null if the expiry is not in the future. */
const tryIssueKey = async (
  tx: Queryable,
  {
    id = newUuid(),
    lineage = id,
    groups = null,
    expiresAt = null,
    expiresInDays = null,
    forDevelopment = false,
    ...key
  }: KeyToIssue,
): Promise<IssuedKey | null> => {
  const kind = key.mode === 'production' ? 'productionKey' : 'testKey'
  const token = issueToken(kind, key.organizationId)
  const stored = await apiKeyStore.insert(tx, {
    ...key,
    id,
    lineage,
    groups,
    expiresAt,
    expiresInDays,
    forDevelopment,
    hash: hashToken(token),
    hint: tokenHint(token, kind),
  })
  return stored && { stored, key: new Secret(token) }
}

export const issueKey = async (tx: Queryable, key: KeyToIssue): Promise<IssuedKey> => {
  const issued = await tryIssueKey(tx, key)
  if (issued) return issued
  throw new Refusal('invalid_request', {
    param: 'expires_at',
    message: '"expires_at" must be in the future.',
  })
}

export const createKey = (db: Database, author: Principal, body: ApiKeyCreate): Promise<IssuedKey> => {
  if (body.expires_at !== undefined && body.expires_in_days !== undefined)
    throw new Refusal('invalid_request', {
      param: 'expires_at',
      message: 'Give "expires_in_days" or "expires_at", not both.',
    })
  const { groups = null, mode = 'test' } = body
  requireMayGive(author, groups)
  return db.transaction(async tx => {
    await requireBelowLimit(tx, author.organizationId)
    const issued = await issueKey(tx, {
      organizationId: author.organizationId,
      mode,
      name: body.name ?? (mode === 'test' ? 'Test' : 'Production'),
      createdBy: author.actor,
      groups,
      expiresAt: body.expires_at ?? null,
      expiresInDays: body.expires_in_days ?? null,
    })
    const { id, name, expiresAt } = issued.stored
    await recordEvent(tx, {
      organizationId: author.organizationId,
      registeredUserId: null,
      type: 'api_key.created',
      mode,
      payload: { api_key_id: id, name, groups, expires_at: expiresAt?.toISOString() ?? null },
    })
    return issued
  })
}

/** Throws unless the caller, who may manage keys, may also give a key these groups. */
export const requireMayGive = (
  { actor, hasRecentSignIn }: Pick<Principal, 'actor' | 'hasRecentSignIn'>,
  groups: readonly KeyGroup[] | null,
): void => {
  if (!groups?.some(group => guardedGroups.includes(group))) return
  if (actor.type !== 'person') throw new Refusal('person_required', { param: 'groups' })
  if (!hasRecentSignIn) throw new Refusal('recent_sign_in_required', { param: 'groups' })
}

/** Serializes the creation of the organization's keys. */
export const requireBelowLimit = async (tx: Transaction, organizationId: string): Promise<void> => {
  await organizationStore.lock(tx, organizationId)
  if ((await apiKeyStore.countValid(tx, organizationId)) >= MAX_VALID_KEYS)
    throw new Refusal('api_key_limit_reached')
}
