import {
  Page,
  RegisteredUser,
  RegisteredUserCreate,
  RegisteredUserPatch,
  RegisteredUsers,
} from '@carabiner/contract'
import { Type } from 'typebox'
import { parsePage, toPage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { TombstoneLog } from '../../platform/tombstone-log.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { deleteUser } from './delete-user.ts'
import { registeredUserStore, type StoredUser } from './registered-user-store.ts'
import { createUser, patchUser, requireId } from './save-user.ts'

const tags = ['Registered Users']
const UserPath = Type.Object({ id: Type.String() })
const ListQuery = Type.Object(
  {
    ...Page.Query.properties,
    origin_user_id: Type.Optional(Type.String({ maxLength: 255 })),
    search: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 320,
        description:
          'The beginning of a name, an e-mail address or an `origin_user_id`, in upper or lower case. Considers up to 1,000 matches of each.',
      }),
    ),
  },
  { additionalProperties: false },
)

// The audit trail records the values of these fields only; for names, addresses and metadata it records just the field name.
const values = ['is_active', 'rate_limit_per_minute'] as const

type Deps = {
  db: Database
  vault: Vault
  tombstones: TombstoneLog
  log: Log
  afterRevocation: () => void
}

export const registeredUserRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps

  api.post(
    '/registered-users',
    {
      config: {
        skipsWakeUp: true,
        errors: ['plan_required'],
        audit: {
          action: 'registered_user.created',
          actionOn: { 200: 'registered_user.updated' },
          target: 'answer.id',
          registeredUser: 'answer.id',
          values,
        },
      },
      schema: {
        summary: 'Create a Registered User, or update the one with this origin_user_id',
        tags,
        body: RegisteredUserCreate,
        response: { 200: RegisteredUser, 201: RegisteredUser },
      },
    },
    async (request, reply) => {
      const { user, created } = await createUser(deps, request.principal, request.body)
      return reply.code(created ? 201 : 200).send(toRegisteredUser(user))
    },
  )

  api.get(
    '/registered-users',
    {
      config: { errors: ['invalid_cursor', 'invalid_request'] },
      schema: {
        summary: 'List or search Registered Users',
        tags,
        querystring: ListQuery,
        response: { 200: RegisteredUsers },
      },
    },
    async request => {
      const { limit, after } = parsePage(request.query)
      const { origin_user_id: originUserId = null, search } = request.query
      if (search !== undefined && originUserId !== null)
        throw new Refusal('invalid_request', {
          param: 'search',
          message: '"search" and "origin_user_id" cannot be combined.',
        })
      requireText(search)
      const page = { after, limit: limit + 1 }
      const rows = await (search === undefined
        ? registeredUserStore.list(db, request.principal, { ...page, originUserId })
        : registeredUserStore.search(db, request.principal, { ...page, search }))
      const users = toPage(rows, limit)
      return { ...users, data: users.data.map(toRegisteredUser) }
    },
  )

  api.get(
    '/registered-users/:id',
    {
      config: { errors: ['registered_user_not_found'] },
      schema: {
        summary: 'Retrieve a Registered User',
        tags,
        params: UserPath,
        response: { 200: RegisteredUser },
      },
    },
    async request => {
      requireId(request.params.id)
      const user = await registeredUserStore.find(db, request.principal, request.params.id)
      if (!user) throw new Refusal('registered_user_not_found')
      return toRegisteredUser(user)
    },
  )

  api.patch(
    '/registered-users/:id',
    {
      config: {
        errors: ['registered_user_not_found', 'plan_required'],
        audit: {
          action: 'registered_user.updated',
          target: 'params.id',
          registeredUser: 'params.id',
          values,
          before: async request => {
            const { id } = request.params as { id: string }
            requireId(id)
            const user = await registeredUserStore.find(db, request.principal, id)
            return user && toRegisteredUser(user)
          },
        },
      },
      schema: {
        summary: 'Update a Registered User',
        description: 'Setting is_active to false revokes the credentials of the user.',
        tags,
        params: UserPath,
        body: RegisteredUserPatch,
        response: { 200: RegisteredUser },
      },
    },
    async request => {
      const user = await patchUser(deps, request.principal, request.params.id, request.body)
      if (!user.isActive) deps.afterRevocation()
      return toRegisteredUser(user)
    },
  )

  api.delete(
    '/registered-users/:id',
    {
      config: {
        errors: ['registered_user_not_found'],
        audit: { action: 'registered_user.deleted', target: 'params.id', registeredUser: 'params.id' },
      },
      schema: {
        summary: 'Delete a Registered User and all of its data',
        tags,
        params: UserPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      await deleteUser(deps, request.principal, request.params.id)
      deps.afterRevocation()
      return reply.code(204).send(null)
    },
  )
}

/** PostgreSQL rejects text with NUL characters or unpaired surrogates. */
const requireText = (search: string | undefined): void => {
  if (search?.includes('\0') || search?.isWellFormed() === false)
    throw new Refusal('invalid_request', {
      param: 'search',
      message: '"search" contains invalid characters.',
    })
}

const toRegisteredUser = (user: StoredUser) => ({
  id: user.id,
  origin_user_id: user.originUserId,
  origin_user_name: user.originUserName,
  ...(user.email !== null && { email: user.email }),
  is_active: user.isActive,
  is_test: user.mode === 'test',
  metadata: user.metadata,
  ...(user.rateLimitPerMinute !== null && { rate_limit_per_minute: user.rateLimitPerMinute }),
  linked_connectors: user.linkedConnectors,
  created_at: user.createdAt.toISOString(),
})
