import { type CallOptions, CarabinerError, type Client, type RegisteredUser } from '@carabiner/sdk'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Finds a user by the application's own ID or by the ID of this service. */
export const findUser = async (
  api: Client,
  text: string,
  options: CallOptions,
): Promise<RegisteredUser | null> => {
  const [own] = (await api.registeredUsers.list({ origin_user_id: text, limit: 1 }, options).page()).data
  if (own || !UUID.test(text)) return own ?? null
  return api.registeredUsers.get(text.toLowerCase(), options).catch((error: unknown) => {
    if (error instanceof CarabinerError && error.status === 404) return null
    throw error
  })
}
