import type { ApprovalDecision } from '@carabiner/contract'
import type {
  ConnectionState,
  ConnectorDisplay,
  ConnectorText,
  FormTarget,
  ReconnectReason,
} from '../model.ts'

export type Connection = {
  connector: ConnectorDisplay
  /** The account, as the provider names it. */
  account: string | null
  /** The label of the account; null if the user has only this account and no name to tell it by. */
  label: string | null
  state: ConnectionState
}

export type ConnectionDetail = Connection & {
  reconnectReason?: ReconnectReason | null
  since: Date
  /** Set if and only if the connection is paused. */
  pausedUntil: Date | null
  calls: ConnectionCall[]
}

/** An account of another user or of the organization. */
export type SharedConnection = Connection & { isOfOrganization: boolean }

/** An MCP client that the user has signed in with. */
export type SignedInClient = { name: string; since: Date; signOut: FormTarget }

export type ConnectionCall = { tool: ConnectorText; at: Date; succeeded: boolean }

/** An action that the assistant wanted to take. */
export type AskedAction = { connector: string; title: ConnectorText; accountLabel: string | null }
export type PendingAction = AskedAction & { since: Date; deny: FormTarget }
export type DecidedAction = AskedAction & { decision: ApprovalDecision; at: Date }
/** An action that the assistant can repeat without asking. */
export type RememberedAction = AskedAction & {
  anyText: boolean
  until: Date
  left: number
  revoke: FormTarget
}
