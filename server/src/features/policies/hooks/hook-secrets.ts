import { DAY, SECOND } from '../../../core/duration.ts'
import type { Secret } from '../../../core/secret.ts'
import { createSecret } from '../../../core/webhook-signature.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { DataKey } from '../../../platform/vault/sealing.ts'
import {
  openSigningSecret,
  type SignedFor,
  sealSigningSecret,
} from '../../../platform/vault/signing-secrets.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { policyHookStore } from './hook-store.ts'

export type NewHookSecret = { secret: Secret; sealed: Buffer }

/** How long the secret that was replaced signs as well. */
const OVERLAP_MS = DAY

export const signedFor = (organizationId: string, ruleId: string): SignedFor => ({
  purpose: 'policy-hook',
  organizationId,
  id: ruleId,
})

export const newHookSecret = (key: DataKey, organizationId: string, ruleId: string): NewHookSecret => {
  const { secret } = createSecret('v1')
  return { secret, sealed: sealSigningSecret(key, signedFor(organizationId, ruleId), secret) }
}

/** Both secrets sign for a day. Null: the rule has no hook. */
export const rotateHookSecret = async (
  { db, vault }: { db: Database; vault: Vault },
  organizationId: string,
  ruleId: string,
): Promise<Secret | null> => {
  const key = await vault.organizationKey(organizationId)
  return db.transaction(async tx => {
    const hook = await policyHookStore.lock(tx, organizationId, ruleId)
    if (!hook) return null
    const target = signedFor(organizationId, ruleId)
    const previous = await openSigningSecret(vault, target, hook.sealedSecret, { through: tx })
    const { secret, sealed } = newHookSecret(key, organizationId, ruleId)
    await policyHookStore.rotateSecret(tx, organizationId, ruleId, {
      sealedSecret: sealed,
      sealedPrevious: sealSigningSecret(key, target, previous, true),
      overlapSeconds: OVERLAP_MS / SECOND,
    })
    return secret
  })
}
