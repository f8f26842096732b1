import type { LinkState } from '@carabiner/contract'
import { type SessionFacts, sessionStanding } from './link-session.ts'

export type StateFacts = SessionFacts & {
  /** A code was issued, and its secret is still pending: neither redeemed nor destroyed. */
  codePending: boolean
  connectorSlug: string | null
  scopes: string[] | null
  attempt: {
    outcome: 'completed' | 'exited' | 'failed' | null
    reason: string | null
    connector: string
    returnedAt: Date | null
  } | null
}

/**
 * The state reported to subscribers of a session. `completed` means that the credential is stored; in code mode, that is
 * after confirmation.
 */
export const describeState = (facts: StateFacts): LinkState => {
  const status = statusOf(facts)
  const completed = status === 'completed'
  return {
    status,
    Connector: completed ? facts.connectorSlug : null,
    scopes: completed ? (facts.scopes ?? []) : [],
    last: completed ? null : lastOf(facts.attempt),
  }
}

const statusOf = (facts: StateFacts): LinkState['status'] => {
  switch (facts.status) {
    case 'completed':
      return 'completed'
    case 'code_issued':
      return facts.codePending ? 'awaiting_confirmation' : 'completed'
    case 'code_rejected':
    case 'code_expired':
    case 'code_ended':
      return 'ended'
    case 'minted': {
      const standing = sessionStanding(facts)
      if (standing === 'open') return 'open'
      return standing === 'expired' ? 'expired' : 'ended'
    }
  }
}

const lastOf = (attempt: StateFacts['attempt']): LinkState['last'] => {
  if (!attempt?.outcome || attempt.outcome === 'completed') return null
  const { connector, returnedAt, reason } = attempt
  // The time distinguishes two otherwise identical endings.
  const common = { Connector: connector, at: (returnedAt ?? new Date(0)).toISOString() }
  return attempt.outcome === 'exited'
    ? { outcome: 'exit', reason: null, ...common }
    : { outcome: 'error', reason: reason ?? 'internal', ...common }
}

export const isFinal = ({ status }: LinkState): boolean =>
  status === 'completed' || status === 'expired' || status === 'ended'
