import type { ConnectorFile } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import { latestRequestedScopes } from '../../link/sessions/requested-scopes.ts'
import type { CallAdmission } from '../admission/admission-rows.ts'

/**
 * A link for more scopes is offered once. If the account was last connected by such a link and the same scopes are missing again,
 * another link would be refused in the same way.
 */
export const refuseRepeatedScopes = async (
  db: Queryable,
  { organizationId, userId, credential }: Pick<CallAdmission, 'organizationId' | 'userId' | 'credential'>,
  { slug, name }: ConnectorFile,
  missing: string[],
): Promise<void> => {
  const requested = await latestRequestedScopes(db, {
    organizationId,
    registeredUserId: userId,
    connectorSlug: slug,
    credentialId: credential?.id ?? null,
  })
  if (!requested || !missing.every(scope => requested.includes(scope))) return
  const scopes = missing.length > 0 ? ` (${missing.join(', ')})` : ''
  throw new Refusal('third_party_forbidden', {
    message: `${name} did not grant the permissions that this tool needs${scopes}, although they were requested when the account was last connected. Check which permissions the account and its administrator allow. To be asked for them again, disconnect ${name} and connect it again.`,
    retryable: false,
  })
}
