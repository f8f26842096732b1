import type { Plan } from '@carabiner/contract'
import { type Actor, SERVICE_ACTOR, type Sender } from '../../core/audited-change.ts'
import type { Secret } from '../../core/secret.ts'
import { routingCode } from '../../core/token.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { appendEntries } from '../events/audit-trail.ts'
import { issueKey } from './api-keys.ts'
import { type NewOrganization, organizationStore, type StoredOrganization } from './organization-store.ts'

export type CreatedOrganization = {
  organization: StoredOrganization
  productionKey: Secret
  testKey: Secret
  toolPackId: string
}

/** The operator or system process that creates an organization. */
export type Author = { actor: Actor; sender: Sender; requestId: string }

const SERVICE: Author = {
  actor: SERVICE_ACTOR,
  sender: { address: null, userAgent: null },
  requestId: 'start',
}

type CreateOptions = {
  author?: Author
  /** Default: `enterprise`, without limits. */
  plan?: Plan | undefined
  /** Replaces the plan's number of calls. */
  callLimit?: number | null
  /** The production key is printed at the first start in development, so production must reject it. */
  keyForDevelopment?: boolean
  /** Whether another installation has an organization with this routing code. */
  isCodeTaken?: (code: string) => boolean
}

/** Creates an organization in one transaction with its vault key, two API keys, default Tool Pack and first audit trail entry. */
export const createOrganization = (
  { db, vault }: { db: Database; vault: Vault },
  name: string,
  {
    author = SERVICE,
    plan = 'enterprise',
    callLimit = null,
    keyForDevelopment = false,
    isCodeTaken = () => false,
  }: CreateOptions = {},
): Promise<CreatedOrganization> =>
  db.transaction(async tx => {
    const organization = await insertWithFreeCode(tx, { name, plan, callLimit }, isCodeTaken)
    const { id } = organization
    await vault.createOrganizationKey(tx, id)
    const toolPackId = newUuid()
    await organizationStore.createDefaultPack(tx, id, toolPackId)
    const key = { organizationId: id, createdBy: author.actor }
    const production = await issueKey(tx, {
      ...key,
      mode: 'production',
      name: 'Production',
      forDevelopment: keyForDevelopment,
    })
    const test = await issueKey(tx, { ...key, mode: 'test', name: 'Test' })
    const change = {
      ...author,
      organizationId: id,
      action: 'organization.created',
      target: { type: 'organization', id },
      registeredUserId: null,
      changes: [
        { field: 'name', to: name },
        { field: 'plan', to: organization.plan },
        ...(callLimit === null ? [] : [{ field: 'call_limit', to: callLimit }]),
      ],
    }
    const begin = { signer: vault.signer, startsChainOf: id, onBreak: () => undefined }
    await appendEntries(tx, begin, [{ change, outcome: 'done' }])
    return { organization, productionKey: production.key, testKey: test.key, toolPackId }
  })

/** Two IDs in 15 million have the same routing code, so this rarely needs a second ID. */
const insertWithFreeCode = async (
  tx: Queryable,
  organization: NewOrganization,
  isCodeTaken: (code: string) => boolean,
): Promise<StoredOrganization> => {
  for (;;) {
    const id = newUuid()
    const inserted = isCodeTaken(routingCode(id))
      ? null
      : await organizationStore.insert(tx, id, organization)
    if (inserted) return inserted
  }
}
