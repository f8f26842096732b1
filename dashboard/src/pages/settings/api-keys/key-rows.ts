import { KEY_GROUPS } from '@carabiner/contract/key-groups'
import type { ApiKey } from '@carabiner/sdk'

const SOON_MS = 7 * 24 * 60 * 60 * 1000

/** `rolled`: replaced by another key, and valid until its overlap ends. */
export type KeyState = 'active' | 'expiring' | 'rolled' | 'expired'

export const keyState = ({ expires_at, replaced_by }: ApiKey, now: number): KeyState => {
  if (expires_at === null) return 'active'
  const left = Date.parse(expires_at) - now
  if (left <= 0) return 'expired'
  if (replaced_by !== null) return 'rolled'
  return left <= SOON_MS ? 'expiring' : 'active'
}

/** Each key is followed by the ones that it replaces. */
export const orderKeys = (keys: readonly ApiKey[]): ApiKey[] => {
  const ids = new Set(keys.map(({ id }) => id))
  const previous = Map.groupBy(keys, ({ replaced_by }) => replaced_by)
  return keys
    .filter(({ replaced_by }) => replaced_by === null || !ids.has(replaced_by))
    .flatMap(key => [key, ...(previous.get(key.id) ?? [])])
}

/** The service keeps one such key, so that an organization cannot lock itself out. */
const isPermanent = ({ mode, groups, expires_at }: ApiKey): boolean =>
  mode === 'production' && groups === null && expires_at === null

export const isLastPermanent = (key: ApiKey, keys: readonly ApiKey[]): boolean =>
  isPermanent(key) && keys.filter(isPermanent).length === 1

export const describeAccess = ({ groups }: Pick<ApiKey, 'groups'>): string =>
  groups === null ? 'Unrestricted' : groups.map(group => KEY_GROUPS[group].label).join(', ')
