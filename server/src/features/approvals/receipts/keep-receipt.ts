import type { Mode } from '../../../core/mode.ts'
import type { Transaction } from '../../../platform/database/database.ts'
import type { ReceiptKey } from '../../../platform/vault/receipt-key.ts'
import { usePasskey, type VerifiedPasskey } from '../../members/passkeys/verify-passkey.ts'
import { receiptStore } from './receipt-store.ts'
import { signReceipt } from './sign-receipt.ts'

/** Uses up the assertion of a decision and stores its receipt, in the transaction of the decision. */
export const keepReceipt = async (
  tx: Transaction,
  key: ReceiptKey,
  of: { organizationId: string; mode: Mode; id: string },
  { passkey, decidedAt }: { passkey: VerifiedPasskey; decidedAt: Date },
): Promise<void> => {
  const { personId, publicKey, rpId, origin } = passkey
  const { credential_id, ...assertion } = passkey.assertion
  await usePasskey(tx, passkey)
  const facts = await receiptStore.findFacts(tx, of, personId)
  if (!facts) throw new Error(`approval ${of.id} or person ${personId} does not exist`)
  const receipt = signReceipt(key, {
    approval_id: of.id,
    approval_digest: facts.digest.toString('hex'),
    decision: 'approve',
    decided_at: decidedAt.toISOString(),
    organization: { id: of.organizationId, name: facts.organizationName },
    person: { id: personId, name: facts.personName, email: facts.personEmail },
    call: {
      mode: of.mode,
      registered_user_id: facts.registeredUserId,
      tool_pack_id: facts.toolPackId,
      connector_slug: facts.connectorSlug,
      tool: facts.tool,
      credential_id: facts.credentialId,
      account_label: facts.accountLabel,
      requested_by: { type: facts.callerType, id: facts.callerId },
      requested_at: facts.requestedAt.toISOString(),
    },
    passkey: { credential_id, public_key: publicKey, rp_id: rpId, origin },
    assertion,
  })
  if (!(await receiptStore.keep(tx, of, { personId, receipt })))
    throw new Error(`approval ${of.id} has no decision to keep a receipt of`)
}
