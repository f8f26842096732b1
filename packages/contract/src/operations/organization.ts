import { Type } from 'typebox'
import { ApiKeyCreate, ApiKeyRoll, ApiKeys, NewApiKey, RolledApiKey } from '../api-key-resources.ts'
import {
  CallbackOrigin,
  CallbackOriginBody,
  CallbackOrigins,
  CallbackUrlTest,
  CallbackUrlTested,
  Organization,
  OrganizationPatch,
} from '../resources.ts'
import { declareOperations } from './operation.ts'

/** Only an unrestricted production key or an administrator changes keys, so that no key can extend what it may do. */
const changingKeys = { group: null, productionKeyOnly: true, permission: 'manage' } as const

const Nothing = Type.Object({}, { additionalProperties: false })

export const organizationOperations = declareOperations('Organization', {
  listApiKeys: {
    route: 'GET /api-keys',
    client: 'apiKeys.list',
    summary: 'List API keys',
    description: 'Those that have expired are listed for another 30 days.',
    responses: { 200: ApiKeys },
    productionKeyOnly: true,
  },
  createApiKey: {
    route: 'POST /api-keys',
    client: 'apiKeys.create',
    summary: 'Create an API key',
    description:
      'The key is shown only once. With `groups` it is restricted: requests that need another group are rejected with `key_group_required`. Only an administrator who is signed in to the dashboard can give a key the groups `policies` and `approvals`.',
    body: ApiKeyCreate,
    responses: { 201: NewApiKey },
    errors: ['api_key_limit_reached', 'person_required', 'recent_sign_in_required'],
    ...changingKeys,
    audit: {
      action: 'api_key.created',
      target: 'response.id',
      values: ['name', 'mode', 'hint', 'groups', 'expires_at'],
    },
    idempotency: false,
  },
  revokeApiKey: {
    route: 'DELETE /api-keys/{id}',
    client: 'apiKeys.revoke',
    summary: 'Revoke an API key',
    description:
      'The key stops working immediately, and its open streams are closed. The same applies to keys that it replaced and whose overlap has not ended. One unrestricted production key without an expiry must remain.',
    responses: { 204: Type.Null() },
    errors: ['api_key_not_found', 'last_production_key'],
    ...changingKeys,
    audit: { action: 'api_key.revoked', target: 'params.id' },
  },
  regenerateApiKey: {
    route: 'POST /api-keys/{id}/regenerate',
    client: 'apiKeys.regenerate',
    summary: 'Regenerate an API key',
    description:
      'The old key stops working immediately, as do keys that it replaced and whose overlap has not ended. The new key has the same name, mode, groups and lifetime.',
    body: Nothing,
    responses: { 201: NewApiKey },
    errors: ['api_key_not_found', 'api_key_ended', 'person_required', 'recent_sign_in_required'],
    ...changingKeys,
    audit: { action: 'api_key.regenerated', target: 'params.id', values: ['id', 'mode', 'hint'] },
    // The response contains the new key.
    idempotency: false,
  },
  rollApiKey: {
    route: 'POST /api-keys/{id}/roll',
    client: 'apiKeys.roll',
    summary: 'Roll an API key',
    description:
      'Replaces the key with a new one with the same name, mode, groups and lifetime. Both work during the overlap. A key that still has an overlap from an earlier roll keeps it.',
    body: ApiKeyRoll,
    responses: { 201: RolledApiKey },
    errors: ['api_key_not_found', 'api_key_ended', 'person_required', 'recent_sign_in_required'],
    ...changingKeys,
    audit: {
      action: 'api_key.rolled',
      target: 'params.id',
      values: ['id', 'mode', 'hint', 'previous_key_expires_at'],
    },
    // The response contains the new key.
    idempotency: false,
  },
  endApiKey: {
    route: 'POST /api-keys/{id}/end',
    client: 'apiKeys.end',
    summary: 'End the overlap of a rolled API key',
    description: 'The rolled key stops working immediately. The key that replaces it is not affected.',
    body: Nothing,
    responses: { 204: Type.Null() },
    errors: ['api_key_not_found', 'api_key_not_rolled'],
    ...changingKeys,
    audit: { action: 'api_key.ended', target: 'params.id' },
  },
  listCallbackOrigins: {
    route: 'GET /callback-origins',
    client: 'callbackOrigins.list',
    summary: 'List allowed callback origins',
    responses: { 200: CallbackOrigins },
    productionKeyOnly: true,
  },
  addCallbackOrigin: {
    route: 'POST /callback-origins',
    group: 'settings',
    client: { method: 'callbackOrigins.add', argument: 'origin' },
    summary: 'Allow a callback origin',
    body: CallbackOriginBody,
    responses: { 201: CallbackOrigin },
    errors: ['invalid_origin'],
    productionKeyOnly: true,
    permission: 'manage',
    audit: { action: 'callback_origin.added', target: 'response.origin' },
  },
  removeCallbackOrigin: {
    route: 'DELETE /callback-origins',
    group: 'settings',
    client: { method: 'callbackOrigins.remove', argument: 'origin' },
    summary: 'Remove an allowed callback origin',
    body: CallbackOriginBody,
    responses: { 204: Type.Null() },
    errors: ['invalid_origin', 'callback_origin_not_found'],
    productionKeyOnly: true,
    permission: 'manage',
    audit: { action: 'callback_origin.removed', target: 'body.origin' },
  },
  testCallbackUrl: {
    route: 'POST /callback-origins/test',
    group: 'read',
    client: { method: 'callbackOrigins.test', argument: 'url' },
    summary: 'Test a callback URL',
    description: 'Runs the same checks on the URL as minting a link token. Nothing is stored or requested.',
    body: CallbackUrlTest,
    responses: { 200: CallbackUrlTested },
    productionKeyOnly: true,
    permission: 'read',
    audit: false,
    idempotency: false,
    tool: { name: 'test_callback_url', access: 'read' },
  },
  getOrganization: {
    route: 'GET /organization',
    client: 'organization.get',
    summary: 'Retrieve the organization',
    responses: { 200: Organization },
  },
  updateOrganization: {
    route: 'PATCH /organization',
    group: 'settings',
    client: 'organization.update',
    summary: 'Update the organization',
    description:
      'Changes the name, the linking policy, and whether payloads of tool calls are stored. Omitted fields stay unchanged.',
    body: OrganizationPatch,
    responses: { 200: Organization },
    errors: ['unauthorized_origin', 'invalid_callback_url', 'reserved_callback_parameter'],
    productionKeyOnly: true,
    permission: 'manage',
    audit: {
      action: 'organization.updated',
      target: 'response.id',
      values: ['name', 'link_binding', 'capture'],
    },
  },
})
