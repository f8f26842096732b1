import { Type } from 'typebox'
import { Page } from '../resources.ts'
import { ApprovedSignIn, Grants, SignIn, SignInApproval, SignInWrite } from '../sign-in-resources.ts'
import { declareOperations } from './operation.ts'

export const signInOperations = declareOperations('Sign-in', {
  listGrants: {
    route: 'GET /registered-users/{id}/grants',
    client: 'registeredUsers.grants.list',
    summary: 'List grants',
    description: 'Lists the MCP clients that the user has signed in with at `{base_url}/mcp/{handle}`.',
    query: Page.Query,
    responses: { 200: Grants },
    errors: ['registered_user_not_found', 'invalid_cursor'],
  },
  revokeGrant: {
    route: 'DELETE /registered-users/{id}/grants/{grant_id}',
    group: 'tools',
    client: 'registeredUsers.grants.revoke',
    summary: 'Revoke a grant',
    description: 'The client’s tokens stop working immediately.',
    responses: { 204: Type.Null() },
    errors: ['registered_user_not_found', 'grant_not_found'],
    audit: { action: 'grant.revoked', target: 'params.grant_id' },
  },
  getSignIn: {
    route: 'GET /sign-in',
    client: 'signIn.get',
    summary: 'Retrieve the sign-in settings',
    description:
      'Returns how users sign in at the MCP endpoint. If sign-in is not configured, the response contains the redirect URI to register.',
    responses: { 200: SignIn },
  },
  replaceSignIn: {
    route: 'PUT /sign-in',
    group: ['settings', 'policies'],
    client: 'signIn.replace',
    summary: 'Replace the sign-in settings',
    description:
      'Sets how users of the key’s mode sign in at the MCP endpoint: with an OpenID Connect provider, or on a page of your application. Omitted fields get their defaults. Users can sign in here to decide about calls only if a key of the group `policies`, or a member with a recent sign-in, has saved the provider.',
    body: SignInWrite,
    responses: { 200: SignIn },
    errors: ['invalid_identity_provider', 'tool_pack_not_found'],
    permission: 'manage',
    audit: {
      action: 'sign_in.updated',
      values: [
        'sign_in_url',
        'create_users',
        'identity_provider.issuer',
        'identity_provider.client_id',
        'identity_provider.user_claim',
        'identity_provider.trust_email',
        'identity_provider.accept_assertions',
      ],
    },
  },
  deleteSignIn: {
    route: 'DELETE /sign-in',
    group: 'settings',
    client: 'signIn.delete',
    summary: 'Turn off sign-in',
    description: 'Calls of signed-in clients are rejected immediately.',
    responses: { 204: Type.Null() },
    errors: ['sign_in_not_configured'],
    permission: 'manage',
    audit: { action: 'sign_in.deleted' },
  },
  approveSignInRequest: {
    route: 'POST /sign-in/requests/{id}/approve',
    group: 'tools',
    client: { method: 'signIn.approve', argument: 'registered_user_id' },
    summary: 'Approve a sign-in request',
    description:
      'Signs in a user who has opened your `sign_in_url`. Call this after your application has signed the user in, with the value of the `request` parameter. Then redirect the user’s browser to `url`.',
    body: SignInApproval,
    responses: { 200: ApprovedSignIn },
    errors: ['sign_in_request_not_found', 'registered_user_not_found'],
    audit: false,
    idempotency: false,
  },
})
