import type { ConfirmedCredential } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { isServed } from '../../../core/organization-state.ts'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, parseToken, routingCodeOf, type Token } from '../../../core/token.ts'
import { isUuid, NIL_UUID, newUuid } from '../../../core/uuid.ts'
import type { Cells } from '../../../platform/cells.ts'
import { coalesce } from '../../../platform/database/coalesce.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type Redemption, redeemSecrets, rejectPending } from '../../credentials/pending-secrets.ts'
import { chooseCodeRefusal, isLeak } from './code-refusal.ts'
import { codeStore } from './code-store.ts'

/** A batch redeems at most one code per user, so a valid code may need a retry. More retries than this indicate another problem. */
const MAX_ATTEMPTS = 5

/** SQLSTATE unique_violation: a concurrent confirmation has just stored an account of the same label, which the next attempt reads. */
const retryIfTaken = (error: unknown): null => {
  if ((error as { code?: unknown }).code === '23505') return null
  throw error
}

type Owner = { organizationId: string; mode: Mode }
type Deps = {
  db: Database
  cells: Cells | null
  tokenRevokingConnectors: string[]
  afterRevocation: () => void
}

export type ConfirmCode = (
  owner: Owner,
  code: string,
  registeredUserId: string | null,
) => Promise<ConfirmedCredential>

/** §4.2: one statement redeems the code and stores the credential. The code's state is read only if that fails. */
export const createConfirmCode = ({
  db,
  cells,
  tokenRevokingConnectors,
  afterRevocation,
}: Deps): ConfirmCode => {
  const redeem = coalesce((rows: Redemption[]) => redeemSecrets(db, rows, tokenRevokingConnectors))

  /** The other cell destroys its code when it expires, after five minutes at most. Only a key of that cell can redeem it. */
  const isOfOtherCell = (token: Token): boolean => {
    const cell = cells?.cellOf(routingCodeOf(token)) ?? null
    return cell !== null && cell !== cells?.own
  }

  /** Throws the error for the code, or returns if the code is valid and may be retried. */
  const throwIfInvalid = async (
    token: Token,
    { organizationId, mode, codeHash, registeredUserId }: Redemption,
  ): Promise<void> => {
    const issued = await codeStore.find(db, codeHash)
    if (issued?.organizationId === organizationId && !isServed(issued.organizationState))
      throw new Refusal('invalid_authorization_code', { param: 'code' })
    if (!issued && isOfOtherCell(token))
      throw new Refusal('code_does_not_belong_to_organization', { param: 'code' })
    const refusal = chooseCodeRefusal(
      issued && {
        sameOrganization: issued.organizationId === organizationId,
        sameMode: issued.mode === mode,
        status: issued.status,
        waiting: issued.waiting,
        expired: issued.expired,
        userActive: issued.userActive,
        sameUser: registeredUserId === null || registeredUserId === issued.registeredUserId,
      },
    )
    if (refusal === null) return
    // The rows of an organization that is being moved are not changed here.
    if (issued?.organizationState === 'active' && isLeak(refusal)) {
      await rejectPending(db, issued.organizationId, codeHash)
      afterRevocation()
    }
    throw new Refusal(refusal, {
      param: refusal === 'registered_user_mismatch' ? 'registered_user_id' : 'code',
    })
  }

  return async (owner, code, givenUserId) => {
    const token = parseToken('authorizationCode', code)
    if (!token) throw new Refusal('invalid_authorization_code', { param: 'code' })
    // A malformed ID is treated as an ID that matches no user.
    const registeredUserId = givenUserId === null || isUuid(givenUserId) ? givenUserId : NIL_UUID
    const { organizationId, mode } = owner
    const redemption = {
      organizationId,
      mode,
      codeHash: hashToken(token),
      registeredUserId,
      candidateId: newUuid(),
    }
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const redeemed = await redeem(redemption).catch(retryIfTaken)
      if (redeemed) {
        return {
          credential_id: redeemed.credentialId,
          connector_slug: redeemed.connectorSlug,
          registered_user_id: redeemed.registeredUserId,
        }
      }
      await throwIfInvalid(token, redemption)
    }
    throw new Refusal('unavailable', { retryAfterSeconds: 1 })
  }
}
