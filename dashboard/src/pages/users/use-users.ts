import type { CallOptions } from '@carabiner/sdk'
import { CarabinerError, type Client, type Page, type Pages, type RegisteredUser } from '@carabiner/sdk'
import { useApiQuery } from '../../api/use-api-query.ts'
import { type List, useList } from '../../api/use-list.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** All users, or those whose ID, name or email address begins with the text. */
export const useUsers = (text: string): List<RegisteredUser> =>
  useList(['users', 'list', text], (api, options) => listUsers(api, text, options))

const listUsers = (api: Client, text: string, options: CallOptions): Pages<RegisteredUser> => {
  const byOwnId = api.registeredUsers.list(text === '' ? {} : { search: text }, options)
  if (!UUID.test(text)) return byOwnId
  return {
    ...byOwnId,
    // An application may use UUIDs of its own, so both are tried.
    page: async cursor => {
      const [own, here] = await Promise.all([byOwnId.page(cursor), findUser(api, text, options)])
      return {
        ...own,
        data: here && own.data.every(({ id }) => id !== here.id) ? [here, ...own.data] : own.data,
      }
    },
  } satisfies { page: (cursor?: string) => Promise<Page<RegisteredUser>> } & typeof byOwnId
}

const findUser = (api: Client, id: string, options: CallOptions): Promise<RegisteredUser | null> =>
  api.registeredUsers.get(id.toLowerCase(), options).catch((error: unknown) => {
    if (error instanceof CarabinerError && error.status === 404) return null
    throw error
  })

export const useUser = (id: string) =>
  useApiQuery(['users', 'one', id], (api, options) => api.registeredUsers.get(id, options))

export const useCredentials = (userId: string) =>
  useApiQuery(['users', 'credentials', userId], (api, options) =>
    api.registeredUsers.credentials.list(userId, options),
  )
