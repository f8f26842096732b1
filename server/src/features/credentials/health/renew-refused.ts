import { isRenewable } from '../../upstream/authorization-kinds/authorization-kinds.ts'
import type { CredentialSecret } from '../credential-secret.ts'
import {
  credentialVersion,
  type HeldCredential,
  type RefreshDeps,
  type UsableCredential,
} from '../held-credential.ts'
import { isRefreshable, refreshCredential } from '../refresh-credential.ts'
import { refusalStore } from './refusal-store.ts'

/**
 * Refreshes the tokens of a credential that was refused. Returns null if they cannot be refreshed, or were a short time ago because of the same
 * refusal.
 */
export const renewRefused = async (
  deps: RefreshDeps,
  { held, secret }: { held: HeldCredential; secret: CredentialSecret },
): Promise<UsableCredential | null> => {
  if (!isRenewable(secret) || !(await isRefreshable(deps, held))) return null
  if (!(await refusalStore.mayRefresh(deps.db, credentialVersion(held)))) return null
  return refreshCredential(deps, held)
}
