import type { ConfirmedCredential } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { Refusal } from '../../core/refusal.ts'
import { hashToken, parseToken } from '../../core/token.ts'
import { isUuid, NIL_UUID, newUuid } from '../../core/uuid.ts'
import { coalesce } from '../../platform/coalesce.ts'
import type { Database } from '../../platform/database.ts'
import { chooseCodeRefusal, isLeak } from './code-refusal.ts'
import { type ConfirmRow, codeStore } from './code-store.ts'

type Owner = { organizationId: string; mode: Mode }
type Deps = { db: Database; tokenRevokingConnectors: string[]; afterRevocation: () => void }

export type ConfirmCode = (
  owner: Owner,
  code: string,
  registeredUserId: string | null,
) => Promise<ConfirmedCredential>

/** §4.2: one statement redeems the code and stores the credential; only when it does not is anything else read. */
export const createConfirmCode = ({ db, tokenRevokingConnectors, afterRevocation }: Deps): ConfirmCode => {
  const redeem = coalesce(async (rows: ConfirmRow[]) => {
    const confirmed = await codeStore.confirm(db, rows, tokenRevokingConnectors)
    const byPosition = new Map(confirmed.map(row => [row.position, row]))
    return rows.map((_, index) => byPosition.get(index + 1) ?? null)
  })

  const refuse = async (owner: Owner, codeHash: Buffer, registeredUserId: string | null): Promise<never> => {
    const row = await codeStore.find(db, codeHash)
    const refusal = chooseCodeRefusal(
      row && {
        sameOrganization: row.organization_id === owner.organizationId,
        sameMode: row.mode === owner.mode,
        status: row.status,
        expired: row.expired,
        userActive: row.user_active,
        sameUser: registeredUserId === null || registeredUserId === row.registered_user_id,
      },
    )
    if (row && isLeak(refusal)) {
      await codeStore.end(db, row, 'code_rejected', refusal)
      afterRevocation()
    }
    throw new Refusal(refusal, {
      param: refusal === 'registered_user_mismatch' ? 'registered_user_id' : 'code',
    })
  }

  return async (owner, code, givenUserId) => {
    // What is no id at all can still be given; it matches nobody.
    const registeredUserId = givenUserId === null || isUuid(givenUserId) ? givenUserId : NIL_UUID
    const token = parseToken('authorizationCode', code)
    if (!token) throw new Refusal('invalid_authorization_code', { param: 'code' })
    const codeHash = hashToken(token)
    const won = await redeem({ codeHash, ...owner, registeredUserId, candidateId: newUuid() })
    if (!won) return refuse(owner, codeHash, registeredUserId)
    const { credential_id, connector_slug, registered_user_id } = won
    return { credential_id, connector_slug, registered_user_id }
  }
}
