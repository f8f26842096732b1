import { PERMISSIONS, roles } from '@carabiner/contract'

export const MAY_APPROVE: readonly string[] = roles
  .filter(role => PERMISSIONS[role].includes('approve'))
  .map(role => `'${role}'`)

/** Why an open approval `a` must not be used. Null: it may be used. */
export const VOID_REASON = `approval_void_reason(a, array[${MAY_APPROVE.join(', ')}])`
/** The status of an approval `a`, also if it has ended since a job has ended the last ones. */
export const CURRENT_STATUS = `case when a.status not in ('pending', 'confirming', 'approved') then a.status
     when a.expires_at <= app_now() then 'expired' when ${VOID_REASON} is not null then 'void' else a.status end`
/** Why an approval `a` with the status `void` is void. */
export const CURRENT_VOID_REASON = `case when (${CURRENT_STATUS}) = 'void' then ${VOID_REASON} end`
