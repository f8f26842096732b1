import type { FormMethod } from '@carabiner/contract'
import type { Secret } from '../../../core/secret.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { CheckDeps } from '../../connectors/check-credential.ts'
import type { ServedConnector } from '../../connectors/mcp-servers/mcp-connector.ts'
import { type ObtainedAccount, obtainCredential } from '../../connectors/obtain-credential.ts'
import { recordEvent } from '../../events/record-event.ts'
import { enteredFields } from '../../upstream/authorization-kinds/authorization-kinds.ts'
import type { CredentialSummary } from '../credential-read-store.ts'
import { sealSecret } from '../credential-secret.ts'
import { credentialStore } from '../credential-store.ts'
import { credentialVersion, decryptCredential, type HeldCredential } from '../held-credential.ts'

type Deps = CheckDeps & { db: Database; vault: Vault; log: Log }
type Replaceable = CredentialSummary & { organizationId: string }
type Entered = NonNullable<Awaited<ReturnType<typeof openEntered>>>

export type Replacement =
  | { kind: 'replaced' }
  /** The credential was disconnected or changed meanwhile. */
  | { kind: 'gone' }
  | Extract<ObtainedAccount, { kind: 'problem' }>
  | { kind: 'problem'; problem: 'other_account' }

/** Whether what the user has entered can be replaced: the account must be known, so that another one cannot take its place. */
export const isReplaceable = (
  credential: Pick<CredentialSummary, 'method' | 'account' | 'accountId' | 'status'>,
  method: FormMethod | null,
): boolean =>
  method?.type === credential.method &&
  credential.status !== 'revoked' &&
  (credential.accountId ?? credential.account) !== null

/** The stored credential of a user, and what the user has entered for it. Null: it was disconnected. */
export const openEntered = async (deps: Pick<Deps, 'vault' | 'log'>, credential: Replaceable) => {
  if (credential.sealed === null) return null
  const secret = await decryptCredential(deps, heldOf(credential))
  return { credential, tenant: secret.tenant, fields: enteredFields(secret) ?? {} }
}

/**
 * Replaces some of the values that the user has entered for a credential, such as a private key that was rotated. The credential remains
 * the same one, so approvals, shares and pauses of it stay; the provider must identify the same account.
 */
export const replaceEntered = async (
  deps: Deps,
  { credential, tenant, fields }: Entered,
  form: { connector: ServedConnector; method: FormMethod },
  changed: Record<string, Secret>,
): Promise<Replacement> => {
  const entered = { tenant, fields: { ...fields, ...changed } }
  const obtained = await obtainCredential(deps, credential.organizationId, form, entered)
  if (obtained.kind === 'problem') return obtained
  const { accountId, account } = obtained.checked
  if ((accountId ?? account) !== (credential.accountId ?? credential.account))
    return { kind: 'problem', problem: 'other_account' }
  return { kind: (await save(deps, heldOf(credential), obtained)) ? 'replaced' : 'gone' }
}

const heldOf = (credential: Replaceable): HeldCredential => ({ ...credential, credential })

const save = (
  { db, vault }: Deps,
  held: HeldCredential,
  { secret, expiresInSeconds, endsInSeconds }: Extract<ObtainedAccount, { kind: 'account' }>,
): Promise<boolean> =>
  db.transaction(async tx => {
    const { organizationId, registeredUserId, connectorSlug, credential } = held
    const user = await credentialStore.lockUser(tx, organizationId, registeredUserId)
    if (!user) return false
    const userKey = await vault.openUserKey(organizationId, registeredUserId, user.dataKey, tx)
    const secretId = newUuid()
    const sealed = sealSecret(userKey, { organizationId, registeredUserId, connectorSlug, secretId }, secret)
    const replaced = { secretId, sealed, expiresInSeconds, endsInSeconds }
    if (!(await credentialStore.replaceSecret(tx, credentialVersion(held), replaced))) return false
    const payload = { credential_id: credential.id, connector_slug: connectorSlug, label: credential.label }
    await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.refreshed', payload })
    return true
  })
