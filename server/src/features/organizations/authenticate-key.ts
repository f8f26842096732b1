import { type CheckRoutingCode, isServed } from '../../core/organization-state.ts'
import { Refusal } from '../../core/refusal.ts'
import { hashToken, parseToken, routingCodeOf } from '../../core/token.ts'
import type { AuthenticateKey } from '../../edge/principal.ts'
import { coalesce } from '../../platform/database/coalesce.ts'
import type { Database } from '../../platform/database/database.ts'
import type { LastUses } from '../../platform/last-uses.ts'
import { apiKeyStore } from './api-key-store.ts'

/** A mistyped key fails its checksum; other keys are looked up on every request. */
export const createKeyAuthenticator = ({
  db,
  keyUses,
  checkRoutingCode,
}: {
  db: Database
  keyUses: LastUses
  checkRoutingCode: CheckRoutingCode
}): AuthenticateKey => {
  const lookUp = coalesce(async (hashes: Buffer[]) => {
    const rows = await apiKeyStore.owners(db, hashes)
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
    if (!owner.isValid) throw expired(owner)
    keyUses.note(owner.hash)
    return {
      organizationId: owner.organizationId,
      mode: owner.mode,
      actor: { type: 'api_key', id: owner.id, hint: owner.hint },
      role: null,
      keyGroups: owner.groups,
    }
  }
}

const expired = ({ isReplaced }: { isReplaced: boolean }): Refusal =>
  new Refusal('api_key_expired', {
    param: 'Authorization',
    ...(isReplaced && {
      message: 'This API key was rolled, and its overlap is over. Use the key that replaced it.',
    }),
  })
