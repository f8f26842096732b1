import type { CredentialHealth } from '@carabiner/contract'
import type { ReconnectReason } from '../../pages/views/index.ts'

/** Why a user should connect an account again. Null: there is no reason. */
export const reconnectReason = ({ state, reason, ends_at }: CredentialHealth): ReconnectReason | null => {
  if (state === 'healthy') return null
  if (state === 'needs_reauth') return { kind: 'ended' }
  if (ends_at === null) return { kind: 'failing' }
  return { kind: reason === 'rotation_due' ? 'newKeyBy' : 'endsOn', at: new Date(ends_at) }
}
