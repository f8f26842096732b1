import { CommandError } from '../terminal/output.ts'
import { CarabinerError, type Client, type RegisteredUser } from './sdk.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

/** Finds a user by ID, by the application's own ID, which may be a UUID too, or by a name or email address that only one user has. */
export const findUser = async (client: Client, user: string): Promise<RegisteredUser> => {
  if (isUuid(user)) {
    try {
      return await client.registeredUsers.get(user)
    } catch (error) {
      if (!(error instanceof CarabinerError) || error.status !== 404) throw error
    }
  }
  const { data } = await client.registeredUsers.list({ origin_user_id: user }).page()
  if (data[0]) return data[0]
  const named = await findNamedUser(client, user)
  if (named) return named
  throw new CommandError(
    `There is no Registered User "${user}" in the mode of this API key. See \`carabiner users list\`.`,
    'registered_user_not_found',
  )
}

const MAX_SEARCHED = 100

/**
 * Finds a user by the whole name or email address. The beginning of one is not enough, because a command may delete what it finds, and
 * neither is a name that several users have.
 */
export const findNamedUser = async (client: Client, text: string): Promise<RegisteredUser | null> => {
  const page = await client.registeredUsers.list({ search: text, limit: MAX_SEARCHED }).page()
  const wanted = text.toLowerCase()
  const found = page.data.filter(({ origin_user_name: name, email }) =>
    [name, email].some(value => value?.toLowerCase() === wanted),
  )
  const [user] = found
  if (user && found.length === 1 && page.next_cursor === null) return user
  if (found.length === 0) return null
  const ids = found.map(({ id, origin_user_id }) => `${id} (${origin_user_id})`).join(', ')
  throw new CommandError(
    `Several Registered Users may be called "${text}": ${ids}. Use an ID.`,
    'registered_user_ambiguous',
  )
}

export const findUserId = async (client: Client, user: string): Promise<string> =>
  (await findUser(client, user)).id
