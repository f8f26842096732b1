import type { Credential } from '@carabiner/sdk'

/** "Shared with 2 users and 1 Tool Pack". Null: the account is not shared. */
export const describeAccess = ({ shared_with: access }: Credential): string | null => {
  if (access.everyone) return 'Shared with everyone'
  const counts = [
    [access.registered_user_ids.length, 'user'],
    [access.tool_pack_ids.length, 'Tool Pack'],
  ] as const
  const parts = counts.flatMap(([count, noun]) =>
    count > 0 ? `${count} ${noun}${count > 1 ? 's' : ''}` : [],
  )
  return parts.length > 0 ? `Shared with ${parts.join(' and ')}` : null
}
