import type { Mode } from '../../../core/mode.ts'

type Owner = { organizationId: string; mode: Mode; registeredUserId: string }

/** The MCP clients that a user has signed in with. The feature that owns them is above this one, so the service passes them in. */
export type UserClients = {
  list(owner: Owner): Promise<{ id: string; name: string; since: Date }[]>
  signOut(owner: Owner, id: string): Promise<void>
}
