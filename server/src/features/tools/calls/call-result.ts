import type { ApprovalMeta, AuthenticateMeta } from '@carabiner/contract'
import type { ToolResult } from '../results/tool-result.ts'

/** `authRequest`: the result is an `authenticate_meta`. `approvalRequest`: it is an `approval_meta`. */
export type CallResult = {
  result: ToolResult
  authRequest?: AuthRequest
  approvalRequest?: ApprovalRequest
}
export type AuthRequest = {
  meta: AuthenticateMeta
  organizationId: string
  /** The insufficient credential as `id:version`; null if there was none. */
  credential: string | null
  /** The credential that has to become usable, if the call names its account. Otherwise any account of the connector may do. */
  credentialId: string | null
  /** The label or the ID of the account that has to become usable, if the pack fixes one. */
  fixedAccount: string | null
}
export type ApprovalRequest = {
  meta: ApprovalMeta
  organizationId: string
  /** The call becomes a task. */
  asTask: boolean
  /** The user’s own key, wrapped. */
  userKey: Buffer
}
