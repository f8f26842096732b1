import type { Mode } from '../../core/mode.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { type NamedRow, readHandle, writeHandle } from '../pages/handle.ts'
import { asksUser } from './deciders.ts'
import type { WaitingApproval } from './request-approval.ts'

/** The path below which users decide. */
export const APPROVE_PATH = '/approve'
const PURPOSE = 'approval'

export const approvalHandle = (signer: Signer, approval: NamedRow): string =>
  writeHandle(signer, PURPOSE, approval)
export const readApprovalHandle = (signer: Signer, handle: string): NamedRow | null =>
  readHandle(signer, PURPOSE, handle)

type Place = { organizationId: string; mode: Mode }

/** The page for the people who decide. The address alone shows nothing about the call, and decides nothing. */
export const approvalUrl = (
  { baseUrl, signer }: { baseUrl: string; signer: Signer },
  { organizationId, mode }: Place,
  { id, rules }: WaitingApproval,
): string =>
  asksUser(rules)
    ? `${baseUrl}${APPROVE_PATH}/${approvalHandle(signer, { organizationId, id })}`
    : dashboardUrl(baseUrl, { organizationId, mode }, id)

export const approvalsUrl = (baseUrl: string, { organizationId, mode }: Place): string =>
  `${baseUrl}/dashboard/o/${organizationId}/${mode}/approvals`

export const dashboardUrl = (baseUrl: string, place: Place, id: string): string =>
  `${approvalsUrl(baseUrl, place)}?approval=${id}`
