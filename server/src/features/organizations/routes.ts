import {
  ApiKeyCreate,
  ApiKeys,
  CallbackOrigin,
  CallbackOriginBody,
  CallbackOrigins,
  NewApiKey,
  Organization,
  OrganizationPatch,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import { type IssuedKey, issueKey, regenerateProductionKey, regenerateTestKey } from './api-keys.ts'
import { originOf, parseExactUrl, parseOriginEntry } from './callback-origin.ts'
import { organizationStore, type StoredApiKey, type StoredOrganization } from './organization-store.ts'
import { CALLBACK_PARAMETERS, hasParameter } from './reserved-parameters.ts'

const settings = { productionKeyOnly: true } as const
const managing = { ...settings, permission: 'manage' } as const
const tags = ['Organization']
const KeyPath = Type.Object({ id: Type.String() })
const Nothing = Type.Object({}, { additionalProperties: false })

export const organizationRoutes = (api: Api, { db }: { db: Database }): void => {
  api.get(
    '/organization',
    { schema: { summary: 'Retrieve the organization', tags, response: { 200: Organization } } },
    async request => toOrganization(await organizationStore.find(db, request.principal.organizationId)),
  )

  api.patch(
    '/organization',
    {
      config: {
        ...managing,
        errors: ['unauthorized_origin', 'invalid_callback_url', 'reserved_callback_parameter'],
        audit: {
          action: 'organization.updated',
          target: 'answer.id',
          values: ['name', 'link_binding', 'capture'],
          before: async request =>
            toOrganization(await organizationStore.find(db, request.principal.organizationId)),
        },
      },
      schema: {
        summary: 'Update the name, the linking policy, or whether payloads of tool calls are stored',
        tags,
        body: OrganizationPatch,
        response: { 200: Organization },
      },
    },
    async request => {
      const { organizationId } = request.principal
      if (request.body.runtime_callback_url)
        await requireRuntimeCallback(db, organizationId, request.body.runtime_callback_url)
      return toOrganization(await organizationStore.update(db, organizationId, request.body))
    },
  )

  api.get(
    '/api-keys',
    { config: settings, schema: { summary: 'List API keys', tags, response: { 200: ApiKeys } } },
    async request => ({
      data: (await organizationStore.listKeys(db, request.principal.organizationId)).map(toApiKey),
    }),
  )

  api.post(
    '/api-keys',
    {
      config: {
        ...managing,
        idempotency: false,
        audit: { action: 'api_key.created', target: 'answer.id', values: ['name', 'mode', 'hint'] },
      },
      schema: { summary: 'Create a test key', tags, body: ApiKeyCreate, response: { 201: NewApiKey } },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(
          toNewApiKey(
            await issueKey(db, request.principal.organizationId, 'test', request.body.name ?? 'Test'),
          ),
        ),
  )

  api.post(
    '/api-keys/:id/regenerate',
    {
      config: {
        ...managing,
        idempotency: false,
        errors: ['api_key_not_found'],
        // The response contains the new key.
        audit: { action: 'api_key.regenerated', target: 'params.id', values: ['id', 'mode', 'hint'] },
      },
      schema: {
        summary: 'Regenerate a key',
        description: 'The old key stops working at once.',
        tags,
        params: KeyPath,
        body: Nothing,
        response: { 201: NewApiKey },
      },
    },
    async (request, reply) => {
      const { organizationId } = request.principal
      const key = (await organizationStore.listKeys(db, organizationId)).find(
        ({ id }) => id === request.params.id,
      )
      if (!key) throw new Refusal('api_key_not_found')
      const issued =
        key.mode === 'production'
          ? await regenerateProductionKey(db, organizationId)
          : await regenerateTestKey(db, organizationId, key.id)
      return reply.code(201).send(toNewApiKey(issued))
    },
  )

  api.delete(
    '/api-keys/:id',
    {
      config: {
        ...managing,
        errors: ['api_key_not_found', 'invalid_request'],
        audit: { action: 'api_key.revoked', target: 'params.id' },
      },
      schema: { summary: 'Revoke a test key', tags, params: KeyPath, response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const { organizationId } = request.principal
      const key = (await organizationStore.listKeys(db, organizationId)).find(
        ({ id }) => id === request.params.id,
      )
      if (!key || !isUuid(request.params.id)) throw new Refusal('api_key_not_found')
      if (key.mode === 'production') {
        throw new Refusal('invalid_request', {
          message: 'The production key cannot be deleted; regenerate it instead.',
        })
      }
      await organizationStore.revokeKey(db, organizationId, key.id)
      return reply.code(204).send(null)
    },
  )

  api.get(
    '/callback-origins',
    {
      config: settings,
      schema: { summary: 'List allowed callback origins', tags, response: { 200: CallbackOrigins } },
    },
    async request => ({
      data: (await organizationStore.listOrigins(db, request.principal.organizationId)).map(toCallbackOrigin),
    }),
  )

  api.post(
    '/callback-origins',
    {
      config: {
        ...managing,
        errors: ['invalid_origin'],
        audit: { action: 'callback_origin.added', target: 'answer.origin' },
      },
      schema: {
        summary: 'Allow a callback origin',
        tags,
        body: CallbackOriginBody,
        response: { 201: CallbackOrigin },
      },
    },
    async (request, reply) => {
      const origin = parseOriginEntry(request.body.origin)
      if (!origin) throw new Refusal('invalid_origin', { param: 'origin' })
      const stored = await organizationStore.addOrigin(db, request.principal.organizationId, origin)
      return reply.code(201).send(toCallbackOrigin(stored as NonNullable<typeof stored>))
    },
  )

  api.delete(
    '/callback-origins',
    {
      config: {
        ...managing,
        errors: ['invalid_origin', 'callback_origin_not_found'],
        audit: { action: 'callback_origin.removed', target: 'body.origin' },
      },
      schema: {
        summary: 'Remove an allowed callback origin',
        tags,
        body: CallbackOriginBody,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const origin = parseOriginEntry(request.body.origin)
      if (!origin) throw new Refusal('invalid_origin', { param: 'origin' })
      if (!(await organizationStore.removeOrigin(db, request.principal.organizationId, origin))) {
        throw new Refusal('callback_origin_not_found')
      }
      return reply.code(204).send(null)
    },
  )
}

/** Applies the checks of a mint request's `callback_url`, because under `code_only` every link minted at runtime uses this URL. */
const requireRuntimeCallback = async (
  db: Database,
  organizationId: string,
  address: string,
): Promise<void> => {
  const param = 'runtime_callback_url'
  const url = parseExactUrl(address)
  if (!url) throw new Refusal('invalid_callback_url', { param })
  if (hasParameter(url.search, CALLBACK_PARAMETERS))
    throw new Refusal('reserved_callback_parameter', { param })
  const origin = originOf(url)
  const listed = await organizationStore.listOrigins(db, organizationId)
  if (!listed.some(stored => stored.origin === origin)) throw new Refusal('unauthorized_origin', { param })
}

const toOrganization = (stored: StoredOrganization | null) => {
  if (!stored) throw new Refusal('not_found')
  return {
    id: stored.id,
    name: stored.name,
    plan: stored.plan,
    link_binding: stored.linkBinding,
    runtime_callback_url: stored.runtimeCallbackUrl,
    capture: stored.capture,
    created_at: stored.createdAt.toISOString(),
  }
}
const toApiKey = ({ id, mode, name, hint, createdAt, lastUsedAt }: StoredApiKey) => ({
  id,
  mode,
  name,
  hint,
  created_at: createdAt.toISOString(),
  last_used_at: lastUsedAt?.toISOString() ?? null,
})
const toNewApiKey = ({ stored, key }: IssuedKey) => ({ ...toApiKey(stored), key: key.reveal() })
const toCallbackOrigin = ({ origin, createdAt }: { origin: string; createdAt: Date }) => ({
  origin,
  created_at: createdAt.toISOString(),
})
