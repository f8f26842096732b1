import type { ApprovalMeta, AuthenticateMeta } from '@carabiner/contract'

/** What a client can be asked to open a URL for. */
export type ElicitedMeta = AuthenticateMeta | ApprovalMeta

/** A request that the client opens a URL for its user. `name`: in `inputRequests`. */
export type Question = { name: string; id: string; url: string; message: string }

export const questionOf = (meta: ElicitedMeta): Question =>
  meta.type === 'authenticate_meta'
    ? {
        name: 'connect',
        id: meta.link_token.slice(-12),
        url: meta.magic_link_url,
        message: meta.message,
      }
    : {
        name: 'approve',
        id: meta.approval_id,
        url: meta.approval_url,
        message: 'A person must approve this call before it is made. The page shows the call.',
      }

/** The form of MCP. */
export const urlElicitation = ({ url, message }: Question) => ({ mode: 'url', url, message })
