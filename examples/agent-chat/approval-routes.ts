import { CarabinerError, createClient } from '@carabiner/sdk'

export type ApprovalOptions = {
  carabinerUrl: string
  apiKey: string
  /** A key of the group `approvals`. It calls no tools, so the agent gains nothing with it; still, the agent never gets it. */
  approvalsKey: string
  /** Where the page of this application ends the window: it takes `approval_id` and `status`. */
  returnPage: string
}

/** Where to redirect the browser. */
type Redirect = string

/** The application vouches for its signed-in user: it opens the approval page for this user, and confirms this user's decision. */
export const createApprovalRoutes = ({ carabinerUrl, apiKey, approvalsKey, returnPage }: ApprovalOptions) => {
  const options = { baseUrl: carabinerUrl, retries: 1, timeoutMs: 10_000 }
  const carabiner = createClient({ ...options, apiKey })
  const approvals = createClient({ ...options, apiKey: approvalsKey }).approvals

  const userIdOf = async (user: string): Promise<string> => {
    const { id } = await carabiner.registeredUsers.upsert({ origin_user_id: `example-chat-${user}` })
    return id
  }
  const end = (approvalId: string, status: string): Redirect =>
    `${returnPage}?${new URLSearchParams({ approval_id: approvalId, status }).toString()}`

  return {
    /** `returnUrl`: the route that calls `confirm`. */
    show: async (approvalId: string, user: string, returnUrl: string): Promise<Redirect> => {
      try {
        const { url } = await approvals.createLink(approvalId, {
          registered_user_id: await userIdOf(user),
          return_url: returnUrl,
        })
        return url
      } catch (error) {
        // Decided or expired meanwhile. The repeated call tells which.
        if (error instanceof CarabinerError && error.code === 'approval_ended')
          return end(approvalId, 'ended')
        throw error
      }
    },
    /** `user` is the user of this application's session, not a value from the address. */
    confirm: async (address: URLSearchParams, user: string): Promise<Redirect> => {
      const approvalId = address.get('approval_id') ?? ''
      const code = address.get('code')
      if (code === null) return end(approvalId, address.get('status') ?? 'ended')
      const confirmed = await approvals.confirm({ code, registered_user_id: await userIdOf(user) })
      return end(confirmed.id, confirmed.status)
    },
  }
}
