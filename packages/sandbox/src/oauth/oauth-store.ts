import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider'
import { createOAuthRecords, type OAuthRecord, type OAuthRecords } from './oauth-records.ts'

export type OAuthSnapshot = { records: OAuthRecord[]; revokedGrants: AdapterPayload[] }

/** Selects grants by their ID. */
export type GrantChoice = (grantId: string) => boolean

/** The storage of the OAuth server: sessions, grants, codes, tokens, registered clients. */
export type OAuthStore = {
  adapter: AdapterFactory
  live: (model: string) => AdapterPayload[]
  /** Revoked grants, so that tests can verify a revocation. */
  revokedGrants: () => AdapterPayload[]
  /** Expires the access tokens of the grants; the grants remain. Default: all grants. */
  endAccessTokens: (choice?: GrantChoice) => void
  /** Revokes grants with all of their tokens. */
  endGrants: (choice?: GrantChoice) => void
  /** From now on, the APIs reject the tokens of the grants, including refreshed ones. */
  rejectGrants: (choice?: GrantChoice) => void
  isRejected: (grantId: string) => boolean
  snapshot: () => OAuthSnapshot
}

/**
 * One store per sandbox. The library's own memory adapter prints warnings. Payloads are copied, so that nothing
 * changes without being saved.
 */
export function createOAuthStore(initial: OAuthSnapshot, onChange: () => void): OAuthStore {
  const records = createOAuthRecords(initial.records)
  const { revokedGrants } = initial
  const context: AdapterContext = { records, revokedGrants, onChange }
  const rejected = new Set<string>()
  const grants = (choice: GrantChoice) =>
    records.live().filter(({ model, id }) => model === 'Grant' && choice(id))
  return {
    adapter: model => createAdapter(model, context),
    live: model => payloads(records.live().filter(record => record.model === model)),
    revokedGrants: () => revokedGrants,
    endAccessTokens(choice = () => true) {
      for (const { id } of grants(choice)) endTokens(context, 'AccessToken', id)
      onChange()
    },
    endGrants(choice = () => true) {
      for (const { id } of grants(choice)) endFamily(context, id)
      onChange()
    },
    rejectGrants(choice = () => true) {
      for (const { id } of grants(choice)) rejected.add(id)
    },
    isRejected: grantId => rejected.has(grantId),
    snapshot: () => ({ records: records.live(), revokedGrants }),
  }
}

type AdapterContext = { records: OAuthRecords; revokedGrants: AdapterPayload[]; onChange: () => void }

function createAdapter(model: string, context: AdapterContext): Adapter {
  const { records, onChange } = context
  return {
    async upsert(id, payload, expiresIn) {
      const expiresAt = expiresIn ? Date.now() + expiresIn * 1000 : null
      records.put({ model, id, payload: copy(payload), expiresAt })
      onChange()
    },
    async find(id) {
      const record = records.get(model, id)
      return record && copy(record.payload)
    },
    async findByUid(uid) {
      const record = records.getByUid(uid)
      return record && copy(record.payload)
    },
    // Only the device flow uses user codes, and it is disabled.
    findByUserCode: async () => undefined,
    async consume(id) {
      consume(context, model, id)
      onChange()
    },
    async destroy(id) {
      if (model === 'Grant') endGrant(context, id)
      else records.remove(model, id)
      onChange()
    },
    async revokeByGrantId(grantId) {
      endTokens(context, model, grantId)
      onChange()
    },
  }
}

/**
 * The library checks a token before it consumes it, so two concurrent requests may both find it unused. The second
 * one fails here, and as with any reuse (RFC 9700 §4.14.2) the token family is revoked.
 */
function consume(context: AdapterContext, model: string, id: string): void {
  const payload = context.records.get(model, id)?.payload
  if (!payload) throw new errors.InvalidGrant('not found')
  if (payload.consumed) {
    if (payload.grantId) endFamily(context, payload.grantId)
    throw new errors.InvalidGrant('already used')
  }
  payload.consumed = Math.floor(Date.now() / 1000)
}

function endFamily(context: AdapterContext, grantId: string): void {
  for (const model of ['AccessToken', 'RefreshToken', 'AuthorizationCode']) endTokens(context, model, grantId)
  endGrant(context, grantId)
}

function endTokens({ records }: AdapterContext, model: string, grantId: string): void {
  for (const { id } of records.ofGrant(model, grantId)) records.remove(model, id)
}

function endGrant({ records, revokedGrants }: AdapterContext, grantId: string): void {
  const grant = records.get('Grant', grantId)
  if (!grant) return
  revokedGrants.push(grant.payload)
  records.remove('Grant', grantId)
}

function payloads(records: OAuthRecord[]): AdapterPayload[] {
  return records.map(({ payload }) => payload)
}

/** Copied through JSON like the state file, so that a restart changes nothing. */
function copy(payload: AdapterPayload): AdapterPayload {
  return JSON.parse(JSON.stringify(payload))
}
