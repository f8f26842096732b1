import { Credential, CredentialAccess, CredentialUpdate } from '@carabiner/contract'
import { Type } from 'typebox'
import type { Api } from '../../../edge/api.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { CredentialOwner } from '../credential-read-store.ts'
import { requireCredential, toCredential } from '../read-credentials.ts'
import { renameCredential } from './rename-credential.ts'
import { shareCredential } from './share-credential.ts'

const tags = ['Credentials']
const CredentialPath = Type.Object({ id: Type.String(), credential_id: Type.String() })
const errors = ['registered_user_not_found', 'credential_not_found'] as const

/** The name of an account among those of its user, and who else may use it. */
export const accountRoutes = (api: Api, { db }: { db: Database }): void => {
  const ownerOf = (
    { organizationId, mode }: Pick<CredentialOwner, 'organizationId' | 'mode'>,
    registeredUserId: string,
  ): CredentialOwner => ({ organizationId, mode, registeredUserId })

  api.patch(
    '/registered-users/:id/credentials/:credential_id',
    {
      config: {
        errors: [...errors, 'account_label_taken'],
        audit: {
          action: 'credential.renamed',
          target: 'params.credential_id',
          registeredUser: 'params.id',
        },
      },
      schema: {
        summary: 'Change the label of an account',
        description: 'Tool calls name the account by its label. A call that is in flight is not affected.',
        tags,
        params: CredentialPath,
        body: CredentialUpdate,
        response: { 200: Credential },
      },
    },
    async request => {
      const { id, credential_id } = request.params
      const owner = ownerOf(request.principal, id)
      await renameCredential(db, owner, credential_id, request.body.label)
      return toCredential(await requireCredential(db, owner, credential_id))
    },
  )

  api.put(
    '/registered-users/:id/credentials/:credential_id/access',
    {
      config: {
        errors: [...errors, 'tool_pack_not_found'],
        audit: { action: 'credential.shared', target: 'params.credential_id', registeredUser: 'params.id' },
      },
      schema: {
        summary: 'Share an account',
        description:
          'Replaces the list of users and Tool Packs that may make calls with the credential. They cannot read, rename, revoke or relink it. An empty list ends the sharing; the next call is rejected.',
        tags,
        params: CredentialPath,
        body: CredentialAccess,
        response: { 200: Credential },
      },
    },
    async request => {
      const { id, credential_id } = request.params
      const owner = ownerOf(request.principal, id)
      await shareCredential(db, owner, credential_id, request.body)
      return toCredential(await requireCredential(db, owner, credential_id))
    },
  )
}
