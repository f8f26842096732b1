import type { Client } from '@carabiner/sdk'
import { useParams } from '@tanstack/react-router'
import { clientFor, type Scope } from './client.ts'
import type { Mode } from './session.ts'

/** The organization and mode of the current URL. */
export const useScope = (): Scope => {
  const { organization, mode } = useParams({ strict: false })
  if (organization === undefined || mode === undefined)
    throw new Error('This component is used outside of an organization.')
  return { organization, mode }
}

/**
 * The client of the current organization and mode, and the prefix of its query keys. Settings of the organization exist once:
 * their pages pass `production`.
 */
export const useApi = (fixedMode?: Mode): { api: Client; scopeKey: readonly [string, Mode] } => {
  const { organization, mode: current } = useScope()
  const mode = fixedMode ?? current
  return { api: clientFor({ organization, mode }), scopeKey: [organization, mode] }
}
