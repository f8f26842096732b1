import {
  Credential,
  CredentialPause,
  Credentials,
  CredentialTest,
  DEFAULT_PAUSE_SECONDS,
  Revocations,
} from '@carabiner/contract'
import { Type } from 'typebox'
import type { Api } from '../../edge/api.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import type { McpConnectors } from '../connectors/mcp-servers/mcp-connectors.ts'
import type { CredentialOwner } from './credential-read-store.ts'
import { pauseCredential, resumeCredential } from './pause-credential.ts'
import {
  deleteCredential,
  listCredentials,
  listRevocations,
  requireCredential,
  toCredential,
} from './read-credentials.ts'
import type { RefreshDeps } from './refresh-credential.ts'
import { testCredential } from './test-credential.ts'

const tags = ['Credentials']
const UserPath = Type.Object({ id: Type.String() })
const CredentialPath = Type.Object({ id: Type.String(), credential_id: Type.String() })
const errors = ['registered_user_not_found', 'credential_not_found'] as const

type Deps = RefreshDeps & { vault: Vault; mcpConnectors: McpConnectors; afterRevocation: () => void }

export const credentialRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps
  const ownerOf = (
    { organizationId, mode }: Pick<CredentialOwner, 'organizationId' | 'mode'>,
    registeredUserId: string,
  ): CredentialOwner => ({ organizationId, mode, registeredUserId })

  api.get(
    '/registered-users/:id/credentials',
    {
      config: { errors: ['registered_user_not_found'] },
      schema: {
        summary: 'List the credentials of a Registered User',
        tags,
        params: UserPath,
        response: { 200: Credentials },
      },
    },
    async request => ({ data: await listCredentials(db, ownerOf(request.principal, request.params.id)) }),
  )

  api.get(
    '/registered-users/:id/credentials/:credential_id',
    {
      config: { errors: [...errors] },
      schema: {
        summary: 'Retrieve a credential',
        tags,
        params: CredentialPath,
        response: { 200: Credential },
      },
    },
    async request => {
      const { id, credential_id } = request.params
      return toCredential(await requireCredential(db, ownerOf(request.principal, id), credential_id))
    },
  )

  api.post(
    '/registered-users/:id/credentials/:credential_id/test',
    {
      config: { skipsWakeUp: true, errors: [...errors], audit: false },
      schema: {
        summary: 'Test a credential with a live call',
        description: 'Refreshes the credential first if it is due. Does not count as a tool call.',
        tags,
        params: CredentialPath,
        response: { 200: CredentialTest },
      },
    },
    async request => {
      const { id, credential_id } = request.params
      const credential = await requireCredential(db, ownerOf(request.principal, id), credential_id)
      return testCredential(deps, request.principal.organizationId, credential)
    },
  )

  const changeOf = (action: string) => ({
    errors: [...errors],
    audit: { action, target: 'params.credential_id', registeredUser: 'params.id' } as const,
  })

  api.post(
    '/registered-users/:id/credentials/:credential_id/pause',
    {
      config: changeOf('credential.paused'),
      schema: {
        summary: 'Pause a credential',
        description:
          'Tool calls are rejected with `connection_paused` until the time is over, or the credential is resumed or linked again. Pausing again replaces the time.',
        tags,
        params: CredentialPath,
        body: CredentialPause,
        response: { 200: Credential },
      },
    },
    async request => {
      const { id, credential_id } = request.params
      const owner = ownerOf(request.principal, id)
      await pauseCredential(db, owner, credential_id, request.body.seconds ?? DEFAULT_PAUSE_SECONDS)
      return toCredential(await requireCredential(db, owner, credential_id))
    },
  )

  api.post(
    '/registered-users/:id/credentials/:credential_id/resume',
    {
      config: changeOf('credential.resumed'),
      schema: {
        summary: 'Resume a paused credential',
        description: 'Has no effect if the credential is not paused.',
        tags,
        params: CredentialPath,
        response: { 200: Credential },
      },
    },
    async request => {
      const { id, credential_id } = request.params
      const owner = ownerOf(request.principal, id)
      await resumeCredential(db, owner, credential_id)
      return toCredential(await requireCredential(db, owner, credential_id))
    },
  )

  api.delete(
    '/registered-users/:id/credentials/:credential_id',
    {
      config: {
        errors: [...errors],
        audit: {
          action: 'credential.ended',
          target: 'params.credential_id',
          registeredUser: 'params.id',
        },
      },
      schema: {
        summary: 'Delete a credential',
        description:
          'The credential becomes invalid at once. A background job revokes it at the provider; its outcome is listed under revocations.',
        tags,
        params: CredentialPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id, credential_id } = request.params
      const owner = ownerOf(request.principal, id)
      await deleteCredential(db, owner, credential_id)
      deps.afterRevocation()
      return reply.code(204).send(null)
    },
  )

  api.get(
    '/registered-users/:id/revocations',
    {
      config: { errors: ['registered_user_not_found'] },
      schema: {
        summary: 'List the revocations at providers',
        tags,
        params: UserPath,
        response: { 200: Revocations },
      },
    },
    async request => ({ data: await listRevocations(db, ownerOf(request.principal, request.params.id)) }),
  )
}
