import { DEFAULT_PAUSE_SECONDS } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { CredentialOwner } from './credential-read-store.ts'
import { pauseCredential, resumeCredential } from './pause-credential.ts'
import {
  deleteCredential,
  listCredentials,
  listRevocations,
  type ReadDeps,
  requireCredential,
  toCredential,
} from './read-credentials.ts'

type Deps = ReadDeps & { afterRevocation: () => void }

export const credentialRoutes = (api: Api, deps: Deps): void => {
  const { db, health } = deps
  const ownerOf = (
    { organizationId, mode }: Pick<CredentialOwner, 'organizationId' | 'mode'>,
    registeredUserId: string,
  ): CredentialOwner => ({ organizationId, mode, registeredUserId })

  serve(api, operations.listCredentials, async request => ({
    data: await listCredentials(deps, ownerOf(request.principal, request.params.id)),
  }))

  serve(api, operations.getCredential, async request => {
    const { id, credential_id } = request.params
    return toCredential(health, await requireCredential(db, ownerOf(request.principal, id), credential_id))
  })

  serve(api, operations.pauseCredential, async request => {
    const { id, credential_id } = request.params
    const owner = ownerOf(request.principal, id)
    await pauseCredential(db, owner, credential_id, request.body.seconds ?? DEFAULT_PAUSE_SECONDS)
    return toCredential(health, await requireCredential(db, owner, credential_id))
  })

  serve(api, operations.resumeCredential, async request => {
    const { id, credential_id } = request.params
    const owner = ownerOf(request.principal, id)
    await resumeCredential(db, owner, credential_id)
    return toCredential(health, await requireCredential(db, owner, credential_id))
  })

  serve(api, operations.deleteCredential, async request => {
    const { id, credential_id } = request.params
    const owner = ownerOf(request.principal, id)
    await deleteCredential(db, owner, credential_id)
    deps.afterRevocation()
  })

  serve(api, operations.listRevocations, async request => ({
    data: await listRevocations(db, ownerOf(request.principal, request.params.id)),
  }))
}
