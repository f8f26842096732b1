import type { Queryable } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { sealBrokenHead, sealHead } from './audit-chain.ts'
import { auditStore } from './audit-store.ts'
import { verifyChain } from './audit-verify.ts'

/**
 * Seals the end of a chain that was copied from another installation, and verifies the chain. A chain that was broken there is
 * still marked as broken. Returns false if a chain without such a mark is not intact.
 */
export const sealImportedChain = async (
  tx: Queryable,
  signer: Signer,
  organizationId: string,
): Promise<boolean> => {
  const [chain] = await auditStore.chains(tx, organizationId)
  if (!chain?.hash) return false
  const { sequence, hash, brokenAt } = chain
  const head = { organizationId, sequence, hash }
  const seal = brokenAt === null ? sealHead(signer, head) : sealBrokenHead(signer, head, brokenAt)
  await auditStore.setSeal(tx, organizationId, seal)
  const { problem } = await verifyChain({ db: tx, signer }, { ...chain, seal })
  return (problem === null) === (brokenAt === null)
}
