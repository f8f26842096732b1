import type { Client, RegisteredUser } from '@carabiner/sdk'

/** Users that are needed at about the same time are loaded with one request. */
const COLLECTED_FOR_MS = 25
/** Limit of the API. */
const MAX_IDS = 100

type Batch = { ids: Set<string>; users: Promise<ReadonlyMap<string, RegisteredUser>> }
const open = new Map<Client, Batch>()

/** Loads one user, together with others. */
export const loadUser = async (api: Client, id: string): Promise<RegisteredUser> => {
  const users = await join(api, id).users
  // Throws the error of the API if the user does not exist.
  return users.get(id) ?? api.registeredUsers.get(id)
}

const join = (api: Client, id: string): Batch => {
  const batch = open.get(api) ?? start(api)
  batch.ids.add(id)
  if (batch.ids.size === MAX_IDS) open.delete(api)
  return batch
}

const start = (api: Client): Batch => {
  const ids = new Set<string>()
  const batch = { ids, users: load(api, ids, () => open.get(api) === batch && open.delete(api)) }
  open.set(api, batch)
  return batch
}

const load = async (api: Client, ids: ReadonlySet<string>, close: () => void) => {
  await new Promise(resolve => setTimeout(resolve, COLLECTED_FOR_MS))
  close()
  const { data } = await api.registeredUsers.list({ ids: [...ids].join(','), limit: MAX_IDS }).page()
  return new Map(data.map(user => [user.id, user]))
}
