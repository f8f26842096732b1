import type { Actor } from '../../core/audited-change.ts'
import type { Mode } from '../../core/mode.ts'
import { type CheckRoutingCode, isServed } from '../../core/organization-state.ts'
import { hashToken, parseToken, routingCodeOf } from '../../core/token.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import type { Database } from '../../platform/database/database.ts'
import type { LastUses } from '../../platform/last-uses.ts'
import { organizationStore } from './organization-store.ts'

export type KeyOwner = { organizationId: string; mode: Mode; actor: Actor; role: null }

/** A mistyped key fails its checksum; other keys are looked up on every request. */
export const createKeyAuthenticator = ({
  db,
  keyUses,
  checkRoutingCode,
}: {
  db: Database
  keyUses: LastUses
  checkRoutingCode: CheckRoutingCode
}): ((key: string) => Promise<KeyOwner | null>) => {
  const lookUp = coalesce(async (hashes: Buffer[]) => {
    const rows = await organizationStore.keyOwners(db, hashes)
    const owners = new Map(rows.map(owner => [owner.hash.toString('hex'), owner]))
    return hashes.map(hash => owners.get(hash.toString('hex')) ?? null)
  })
  return async key => {
    const token = parseToken('productionKey', key) ?? parseToken('testKey', key)
    if (!token) return null
    const owner = await lookUp(hashToken(token))
    if (!owner || !isServed(owner.organizationState)) {
      await checkRoutingCode(routingCodeOf(token))
      return null
    }
    keyUses.note(owner.hash)
    return {
      organizationId: owner.organizationId,
      mode: owner.mode,
      actor: { type: 'api_key', id: owner.id, hint: owner.hint },
      role: null,
    }
  }
}
