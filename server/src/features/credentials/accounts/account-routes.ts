import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { CredentialOwner } from '../credential-read-store.ts'
import { type ReadDeps, requireCredential, toCredential } from '../read-credentials.ts'
import { renameCredential } from './rename-credential.ts'
import { shareCredential } from './share-credential.ts'

/** The name of an account among those of its user, and who else may use it. */
export const accountRoutes = (api: Api, { db, health }: ReadDeps): void => {
  const ownerOf = (
    { organizationId, mode }: Pick<CredentialOwner, 'organizationId' | 'mode'>,
    registeredUserId: string,
  ): CredentialOwner => ({ organizationId, mode, registeredUserId })

  serve(api, operations.updateCredential, async request => {
    const { id, credential_id } = request.params
    const owner = ownerOf(request.principal, id)
    await renameCredential(db, owner, credential_id, request.body.label)
    return toCredential(health, await requireCredential(db, owner, credential_id))
  })

  serve(api, operations.shareCredential, async request => {
    const { id, credential_id } = request.params
    const owner = ownerOf(request.principal, id)
    await shareCredential(db, owner, credential_id, request.body)
    return toCredential(health, await requireCredential(db, owner, credential_id))
  })
}
