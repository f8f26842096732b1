import type { Queryable } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { sealBrokenHead, sealHead } from './audit-chain.ts'
import { auditStore } from './audit-store.ts'
import { verifyChain } from './audit-verify.ts'

/**
 * Seals the end of a chain that was copied from another installation, and verifies the chain. A chain that was broken there is
 * still marked as broken. The writer of an archive can write any chain, so one of an unknown installation is marked as not verified up to
 * its end. Returns false if a chain without a break is not intact.
 */
export const sealImportedChain = async (
  tx: Queryable,
  signer: Signer,
  { organizationId, isSourceKnown }: { organizationId: string; isSourceKnown: boolean },
): Promise<boolean> => {
  const [chain] = await auditStore.chains(tx, organizationId)
  if (!chain?.hash) return false
  const { sequence, hash, brokenAt } = chain
  const unverifiedUntil = isSourceKnown ? chain.unverifiedUntil : sequence
  const head = { organizationId, sequence, hash, unverifiedUntil }
  const seal = brokenAt === null ? sealHead(signer, head) : sealBrokenHead(signer, head, brokenAt)
  await auditStore.setSeal(tx, { organizationId, seal, unverifiedUntil })
  const { problem } = await verifyChain({ db: tx, signer }, { ...chain, seal, unverifiedUntil })
  return (problem === null) === (brokenAt === null)
}
