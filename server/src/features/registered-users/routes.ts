import { operations } from '@carabiner/contract/operations'
import { parsePage, toPage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import type { TombstoneLog } from '../../platform/tombstone-log.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { deleteUser } from './delete-user.ts'
import { type Owner, registeredUserStore, type StoredUser } from './registered-user-store.ts'
import { createUser, patchUser, requireId } from './save-user.ts'

type Deps = {
  db: Database
  vault: Vault
  tombstones: TombstoneLog
  log: Log
  afterRevocation: () => void
}

export const registeredUserRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps

  serve(
    api,
    operations.createRegisteredUser,
    async (request, reply) => {
      const { user, created } = await createUser(deps, request.principal, request.body)
      if (created) reply.code(201)
      return toRegisteredUser(user)
    },
    { skipsWakeUp: true },
  )

  serve(api, operations.listRegisteredUsers, async request => {
    const { limit, after } = parsePage(request.query)
    requireOneFilter(request.query)
    const rows = await findUsers(db, request.principal, request.query, { after, limit: limit + 1 })
    const users = toPage(rows, limit)
    return { ...users, data: users.data.map(toRegisteredUser) }
  })

  serve(api, operations.getRegisteredUser, async request => {
    requireId(request.params.id)
    const user = await registeredUserStore.find(db, request.principal, request.params.id)
    if (!user) throw new Refusal('registered_user_not_found')
    return toRegisteredUser(user)
  })

  serve(
    api,
    operations.updateRegisteredUser,
    async request => {
      const user = await patchUser(deps, request.principal, request.params.id, request.body)
      if (!user.isActive) deps.afterRevocation()
      return toRegisteredUser(user)
    },
    {
      before: async request => {
        const { id } = request.params
        requireId(id)
        const user = await registeredUserStore.find(db, request.principal, id)
        return user && toRegisteredUser(user)
      },
    },
  )

  serve(api, operations.deleteRegisteredUser, async request => {
    await deleteUser(deps, request.principal, request.params.id)
    deps.afterRevocation()
  })
}

type UserFilter = { search?: string; ids?: string; origin_user_id?: string }

const requireOneFilter = ({ search, ids, origin_user_id }: UserFilter): void => {
  const [, second] = Object.entries({ origin_user_id, search, ids }).filter(
    ([, value]) => value !== undefined,
  )
  if (second)
    throw new Refusal('invalid_request', {
      param: second[0],
      message: '"origin_user_id", "search" and "ids" cannot be combined.',
    })
  requireText(search)
}

const findUsers = (
  db: Database,
  owner: Owner,
  { search, ids, origin_user_id: originUserId }: UserFilter,
  page: { after: string | null; limit: number },
) => {
  if (ids !== undefined) return registeredUserStore.listByIds(db, owner, { ...page, ids: ids.split(',') })
  if (search !== undefined) return registeredUserStore.search(db, owner, { ...page, search })
  return registeredUserStore.list(db, owner, { ...page, originUserId: originUserId ?? null })
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
