/** `status`: default `pending`. `user`: approvals of this user. `approval`: the open one. */
export type ApprovalSearch = { status?: string; user?: string; approval?: string }
