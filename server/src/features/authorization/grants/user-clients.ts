import type { Mode } from '../../../core/mode.ts'
import type { Database } from '../../../platform/database/database.ts'
import { grantStore } from './grant-store.ts'
import { endGrant } from './issue-tokens.ts'

/** More than a person signs in with; the others are listed by the API. */
const MAX_SHOWN = 50

type Owner = { organizationId: string; mode: Mode; registeredUserId: string }

/** What the My connections page shows about the clients of its user. */
export const createUserClients = (db: Database) => ({
  list: async (owner: Owner) => {
    const grants = await grantStore.list(db, owner, { after: null, limit: MAX_SHOWN })
    return grants.map(({ id, clientName, clientId, createdAt }) => ({
      id,
      name: clientName || clientId.slice(0, 80),
      since: createdAt,
    }))
  },
  signOut: async (owner: Owner, id: string): Promise<void> => {
    await endGrant(db, owner, id, 'by_user')
  },
})
