import { keyMay } from '@carabiner/contract/key-groups'
import { Refusal } from '../../core/refusal.ts'
import { type Principal, requireKeyGroup } from '../../edge/principal.ts'

/**
 * Whether the caller may let more calls run. An agent may hold an unrestricted key, so that needs a key of the group `policies`, or a
 * member with a recent sign-in.
 */
export const mayLoosen = ({ actor, keyGroups = null, hasRecentSignIn = false }: Principal): boolean =>
  actor.type === 'api_key' ? keyMay(keyGroups, 'policies') : hasRecentSignIn

export const requireMayLoosen = (principal: Principal): void => {
  if (mayLoosen(principal)) return
  if (principal.actor.type === 'api_key') requireKeyGroup(principal, 'policies')
  throw new Refusal('recent_sign_in_required')
}
