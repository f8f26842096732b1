export * from './authenticate.ts'
export {
  type Approval,
  type ApprovalOptions,
  type ApprovalOutcome,
  createApproval,
  findApprovalMeta,
  reportApproval,
} from './create-approval.ts'
export { createLink } from './create-link.ts'
export { LinkError } from './link-error.ts'
export { type ConnectionsOptions, showConnections } from './show-connections.ts'
export type * from './types.ts'
