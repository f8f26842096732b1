import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider'
import { createOAuthRecords, type OAuthRecord, type OAuthRecords } from './oauth-records.ts'

export type OAuthSnapshot = { records: OAuthRecord[]; revokedGrants: AdapterPayload[] }

/** What the OAuth server remembers: sessions, grants, codes, tokens, registered clients. */
export type OAuthStore = {
  adapter: AdapterFactory
  live: (model: string) => AdapterPayload[]
  /** Grants that were revoked here: proof, for a test, that a revocation arrived. */
  revokedGrants: () => AdapterPayload[]
  /** Every access token is over before its time; the grants stand. */
  endAccessTokens: () => void
  snapshot: () => OAuthSnapshot
}

/**
 * One store per sandbox: the library's own memory adapter is for quick starts and warns on the
 * console. Payloads are kept as copies, so that nothing changes here without being saved.
 */
export function createOAuthStore(initial: OAuthSnapshot, onChange: () => void): OAuthStore {
  const records = createOAuthRecords(initial.records)
  const { revokedGrants } = initial
  return {
    adapter: model => createAdapter(model, { records, revokedGrants, onChange }),
    live: model => payloads(records.live().filter(record => record.model === model)),
    revokedGrants: () => revokedGrants,
    endAccessTokens() {
      for (const { model, id } of records.live()) if (model === 'AccessToken') records.remove(model, id)
      onChange()
    },
    snapshot: () => ({ records: records.live(), revokedGrants }),
  }
}

type Keeping = { records: OAuthRecords; revokedGrants: AdapterPayload[]; onChange: () => void }

function createAdapter(model: string, keeping: Keeping): Adapter {
  const { records, onChange } = keeping
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
    // Only the device flow looks up user codes, and it is off.
    findByUserCode: async () => undefined,
    async consume(id) {
      consume(keeping, model, id)
      onChange()
    },
    async destroy(id) {
      if (model === 'Grant') endGrant(keeping, id)
      else records.remove(model, id)
      onChange()
    },
    async revokeByGrantId(grantId) {
      endTokens(keeping, model, grantId)
      onChange()
    },
  }
}

/**
 * The library looks before it consumes, so two requests at once may both find a token unspent. The
 * second to arrive here loses, and as with any reuse (RFC 9700 §4.14.2) the family ends with it.
 */
function consume(keeping: Keeping, model: string, id: string): void {
  const payload = keeping.records.get(model, id)?.payload
  if (!payload) throw new errors.InvalidGrant('not found')
  if (payload.consumed) {
    if (payload.grantId) endFamily(keeping, payload.grantId)
    throw new errors.InvalidGrant('already used')
  }
  payload.consumed = Math.floor(Date.now() / 1000)
}

function endFamily(keeping: Keeping, grantId: string): void {
  for (const model of ['AccessToken', 'RefreshToken', 'AuthorizationCode']) endTokens(keeping, model, grantId)
  endGrant(keeping, grantId)
}

function endTokens({ records }: Keeping, model: string, grantId: string): void {
  for (const { id } of records.ofGrant(model, grantId)) records.remove(model, id)
}

function endGrant({ records, revokedGrants }: Keeping, grantId: string): void {
  const grant = records.get('Grant', grantId)
  if (!grant) return
  revokedGrants.push(grant.payload)
  records.remove('Grant', grantId)
}

function payloads(records: OAuthRecord[]): AdapterPayload[] {
  return records.map(({ payload }) => payload)
}

/** Through JSON, as the state file does it, so that a restart changes nothing. */
function copy(payload: AdapterPayload): AdapterPayload {
  return JSON.parse(JSON.stringify(payload))
}
