// This module loads no schemas, so that pages, the command line and the error reference can use it.

/** Who can decide about a call. The owner of the organization’s account, and of no account, are the members. */
export const approverTypes = ['user', 'account_owner', 'members'] as const
export type ApproverType = (typeof approverTypes)[number]
export const DEFAULT_APPROVERS: readonly ApproverType[] = ['members']

/** For how long, and how often, an action can run without asking again, once the user has chosen so. */
export const rememberBounds = {
  hour: { minutes: 60, uses: 10 },
  day: { minutes: 24 * 60, uses: 50 },
  month: { minutes: 30 * 24 * 60, uses: 300 },
} as const
export type RememberPeriod = keyof typeof rememberBounds

export const approvalBounds = {
  reasonLength: 300,
  /** Minutes until a person must have decided. */
  pendingMinutes: 15,
  /** Minutes in which an approved call must be made. */
  approvedMinutes: 5,
  /** Minutes for which a signed-in browser, or one that has opened a link, can decide. */
  visitMinutes: 10,
  /** Minutes in which the application must confirm a decision. */
  confirmMinutes: 5,
  /** Minutes in which the same call is neither asked about again after it was denied, nor carried out a second time. */
  quietMinutes: 10,
  pendingOfUser: 20,
  pendingOfCaller: 10,
  requestsPerHour: 60,
  /** Hours for which arguments and request are kept after the end. */
  callHours: 24,
} as const
