import { CommandError } from '../terminal/output.ts'
import { CarabinerError, type Client, type RegisteredUser } from './sdk.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isUuid = (text: string): boolean => UUID.test(text)

/** Finds a user by ID, or by the application's own ID, which may be a UUID too. */
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
  throw new CommandError(
    `There is no Registered User "${user}" in the mode of this API key. See \`carabiner users list\`.`,
    'registered_user_not_found',
  )
}

export const findUserId = async (client: Client, user: string): Promise<string> =>
  (await findUser(client, user)).id
