import { Type } from 'typebox'
import {
  Credential,
  CredentialAccess,
  CredentialPause,
  Credentials,
  CredentialsAtRisk,
  CredentialTest,
  CredentialUpdate,
  OrganizationAccounts,
  Revocations,
} from '../credential-resources.ts'
import { LinkToken, LinkTokenRequest } from '../resources.ts'
import { LINK_TOKEN_TTL_MS, mintErrors } from './linking.ts'
import { declareOperations } from './operation.ts'

export const credentialOperations = declareOperations('Credentials', {
  listOrganizationAccounts: {
    route: 'GET /organization-accounts',
    client: 'organizationAccounts.list',
    summary: 'List organization accounts',
    description:
      'The accounts belong to a Registered User that is not listed. Use its ID in requests for credentials, for example to share an account.',
    responses: { 200: OrganizationAccounts },
  },
  createOrganizationLinkToken: {
    route: 'POST /organization-accounts/link-token',
    group: 'users',
    client: 'organizationAccounts.linkToken',
    summary: 'Create a link token for an organization account',
    description:
      'An administrator opens the link and signs in. No user can use the account until it is shared.',
    body: LinkTokenRequest,
    responses: { 201: LinkToken },
    errors: mintErrors,
    audit: { action: 'organization_account.link_created' },
    idempotency: LINK_TOKEN_TTL_MS,
  },
  listCredentials: {
    route: 'GET /registered-users/{id}/credentials',
    client: 'registeredUsers.credentials.list',
    summary: 'List credentials',
    description:
      'Lists the accounts that a Registered User has connected. The response never contains their secrets.',
    responses: { 200: Credentials },
    errors: ['registered_user_not_found'],
    tool: { name: 'list_connections', access: 'read' },
  },
  listCredentialsAtRisk: {
    route: 'GET /credentials-at-risk',
    client: 'credentialsAtRisk.list',
    summary: 'List credentials at risk',
    description:
      'Lists the credentials of active users that work and may end soon, with the most urgent risk of each. The earliest end comes first.',
    responses: { 200: CredentialsAtRisk },
  },
  getCredential: {
    route: 'GET /registered-users/{id}/credentials/{credential_id}',
    client: 'registeredUsers.credentials.get',
    summary: 'Retrieve a credential',
    responses: { 200: Credential },
    errors: ['registered_user_not_found', 'credential_not_found'],
  },
  updateCredential: {
    route: 'PATCH /registered-users/{id}/credentials/{credential_id}',
    group: 'users',
    client: 'registeredUsers.credentials.update',
    summary: 'Update a credential',
    description: 'Changes the label that tool calls use for the account. Calls in flight are not affected.',
    body: CredentialUpdate,
    responses: { 200: Credential },
    errors: ['registered_user_not_found', 'credential_not_found', 'account_label_taken'],
    audit: { action: 'credential.renamed', target: 'params.credential_id' },
  },
  deleteCredential: {
    route: 'DELETE /registered-users/{id}/credentials/{credential_id}',
    group: 'users',
    client: 'registeredUsers.credentials.delete',
    summary: 'Delete a credential',
    description:
      'The credential becomes invalid immediately. A background job revokes it at the provider; its outcome is listed under revocations.',
    responses: { 204: Type.Null() },
    errors: ['registered_user_not_found', 'credential_not_found'],
    audit: { action: 'credential.ended', target: 'params.credential_id' },
  },
  pauseCredential: {
    route: 'POST /registered-users/{id}/credentials/{credential_id}/pause',
    group: 'users',
    client: 'registeredUsers.credentials.pause',
    summary: 'Pause a credential',
    description:
      'Tool calls are rejected with `connection_paused` until the pause ends, or until the credential is resumed or linked again. Pausing again replaces the end of the pause.',
    body: CredentialPause,
    responses: { 200: Credential },
    errors: ['registered_user_not_found', 'credential_not_found'],
    audit: { action: 'credential.paused', target: 'params.credential_id' },
    tool: { name: 'pause_connection', access: 'write' },
  },
  resumeCredential: {
    route: 'POST /registered-users/{id}/credentials/{credential_id}/resume',
    group: 'users',
    client: 'registeredUsers.credentials.resume',
    summary: 'Resume a credential',
    description: 'Has no effect if the credential is not paused.',
    responses: { 200: Credential },
    errors: ['registered_user_not_found', 'credential_not_found'],
    audit: { action: 'credential.resumed', target: 'params.credential_id' },
    tool: { name: 'resume_connection', access: 'write' },
  },
  testCredential: {
    route: 'POST /registered-users/{id}/credentials/{credential_id}/test',
    group: 'users',
    client: 'registeredUsers.credentials.test',
    summary: 'Test a credential',
    description:
      'Makes a live call with the credential, after a refresh if one is due. Does not count as a tool call.',
    responses: { 200: CredentialTest },
    errors: ['registered_user_not_found', 'credential_not_found'],
    audit: false,
    tool: { name: 'test_connection', access: 'write', callsProvider: true },
  },
  shareCredential: {
    route: 'PUT /registered-users/{id}/credentials/{credential_id}/access',
    group: 'users',
    client: 'registeredUsers.credentials.share',
    summary: 'Share an account',
    description:
      'Replaces the list of users and Tool Packs that may make calls with the credential. They cannot read, rename, revoke or relink it. An empty list ends the sharing, starting with the next call.',
    body: CredentialAccess,
    responses: { 200: Credential },
    errors: ['registered_user_not_found', 'credential_not_found', 'tool_pack_not_found'],
    audit: { action: 'credential.shared', target: 'params.credential_id' },
  },
  listRevocations: {
    route: 'GET /registered-users/{id}/revocations',
    client: 'registeredUsers.revocations',
    summary: 'List revocations',
    description: 'Lists the outcomes of revoking a user’s credentials at their providers.',
    responses: { 200: Revocations },
    errors: ['registered_user_not_found'],
  },
})
