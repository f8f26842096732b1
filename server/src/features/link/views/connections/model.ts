import type { ConnectionState, ConnectorDisplay, ConnectorText, FormTarget } from '../model.ts'

export type Connection = {
  connector: ConnectorDisplay
  /** The account, as the provider names it. */
  account: string | null
  /** The label of the account; null if the user has only this account and no name to tell it by. */
  label: string | null
  state: ConnectionState
}

export type ConnectionDetail = Connection & {
  since: Date
  /** Set if and only if the connection is paused. */
  pausedUntil: Date | null
  calls: ConnectionCall[]
}

/** An MCP client that the user has signed in with. */
export type SignedInClient = { name: string; since: Date; signOut: FormTarget }

export type ConnectionCall = { tool: ConnectorText; at: Date; succeeded: boolean }
