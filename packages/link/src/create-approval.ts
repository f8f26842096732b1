import { findApprovalMeta as find } from '@carabiner/contract/find-meta'
import type { ApprovalMeta } from './types.ts'

/** Finds the payload in a tool result, a streamed event, a JSON-RPC response or JSON text. Never throws. */
export const findApprovalMeta: (value: unknown) => ApprovalMeta | null = find

export type ApprovalOutcome = {
  approvalId: string
  /** As the page of your backend reports it. The repeated call is the only proof: it runs only if a person has approved it. */
  status: string
}

export type ApprovalOptions = {
  /** `approval_id` of the `approval_meta`. */
  approvalId: string
  /** A route of your backend that creates the link for the signed-in user and redirects to it. */
  url: string
  /** Called when the window returns with a decision. Then repeat exactly the same call. */
  onDecided: (outcome: ApprovalOutcome) => void
}

export type Approval = {
  /** Shows the approval page in a window of its own. Call it directly from a click handler. Returns false if the browser blocked it. */
  open: () => boolean
  /** Closes the window. No callback is called afterwards. The call continues to wait until it expires. */
  destroy: () => void
}

const CHANNEL = 'carabiner-approval'
const SIZE = 'popup,width=520,height=780'

/**
 * The approval page cannot be framed, so it is shown in a window. Providers sever the connection to a window, so a closed window
 * says nothing about the decision: the page on which the window ends reports it with `reportApproval`.
 */
export const createApproval = ({ approvalId, url, onDecided }: ApprovalOptions): Approval => {
  const channel = new BroadcastChannel(CHANNEL)
  let shown: Window | null = null
  const destroy = (): void => {
    channel.close()
    shown?.close()
  }
  channel.addEventListener('message', ({ data }) => {
    const outcome = data as ApprovalOutcome
    if (outcome.approvalId !== approvalId) return
    destroy()
    onDecided(outcome)
  })
  return {
    open: () => {
      if (shown && !shown.closed) shown.focus()
      else shown = open(url, `${CHANNEL}-${approvalId}`, SIZE)
      return shown !== null
    },
    destroy,
  }
}

/**
 * For the page on which the window ends, on the same origin as the page that opened it. Reports `approval_id` and `status` from the
 * address, and closes the window. Some browsers do not allow closing it, so the page needs a text.
 */
export const reportApproval = (): ApprovalOutcome | null => {
  const address = new URLSearchParams(location.search)
  const approvalId = address.get('approval_id')
  const status = address.get('status')
  if (approvalId === null || status === null) return null
  const outcome = { approvalId, status }
  const channel = new BroadcastChannel(CHANNEL)
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a channel has one origin
  channel.postMessage(outcome)
  channel.close()
  close()
  return outcome
}
