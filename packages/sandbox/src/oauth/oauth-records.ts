import type { AdapterPayload } from 'oidc-provider'

export type OAuthRecord = { model: string; id: string; payload: AdapterPayload; expiresAt: number | null }

/** The records by model and ID, with the two other indexes that the OAuth server needs. */
export type OAuthRecords = {
  get: (model: string, id: string) => OAuthRecord | undefined
  getByUid: (uid: string) => OAuthRecord | undefined
  /** All records of this model that belong to the grant. */
  ofGrant: (model: string, grantId: string) => OAuthRecord[]
  live: () => OAuthRecord[]
  put: (record: OAuthRecord) => void
  remove: (model: string, id: string) => void
}

const SWEEP_INTERVAL_WRITES = 1_000

export function createOAuthRecords(initial: OAuthRecord[]): OAuthRecords {
  const records = new Map<string, OAuthRecord>()
  const byGrant = new Map<string, Set<OAuthRecord>>()
  const byUid = new Map<string, OAuthRecord>()
  let puts = 0

  const remove = (model: string, id: string) => {
    const record = records.get(keyOf(model, id))
    if (!record) return
    records.delete(keyOf(model, id))
    const { grantId, uid } = record.payload
    const siblings = grantId ? byGrant.get(grantId) : undefined
    siblings?.delete(record)
    if (grantId && siblings?.size === 0) byGrant.delete(grantId)
    if (uid && byUid.get(uid) === record) byUid.delete(uid)
  }

  const put = (record: OAuthRecord) => {
    remove(record.model, record.id)
    records.set(keyOf(record.model, record.id), record)
    const { grantId, uid } = record.payload
    if (grantId) byGrant.set(grantId, (byGrant.get(grantId) ?? new Set()).add(record))
    if (uid) byUid.set(uid, record)
    puts += 1
    if (puts % SWEEP_INTERVAL_WRITES === 0) {
      for (const old of records.values()) if (!isLive(old)) remove(old.model, old.id)
    }
  }

  for (const record of initial) put(record)
  return {
    get: (model, id) => ifLive(records.get(keyOf(model, id))),
    getByUid: uid => ifLive(byUid.get(uid)),
    ofGrant: (model, grantId) => [...(byGrant.get(grantId) ?? [])].filter(record => record.model === model),
    live: () => [...records.values()].filter(isLive),
    put,
    remove,
  }
}

function ifLive(record: OAuthRecord | undefined): OAuthRecord | undefined {
  return record && isLive(record) ? record : undefined
}

function isLive({ expiresAt }: OAuthRecord): boolean {
  return expiresAt === null || expiresAt > Date.now()
}

function keyOf(model: string, id: string): string {
  return `${model}:${id}`
}
