import type { ConnectorFile } from '@carabiner/contract'
import type { Egress } from '../../platform/egress.ts'
import { EgressError } from '../../platform/egress.ts'
import { authorizationHeaders, type CallSecret } from './authorization-headers.ts'

export type Identity =
  | { kind: 'account'; account: string | null }
  | { kind: 'rejected' }
  | { kind: 'unavailable' }

const MAX_IDENTITY_BYTES = 64 * 1024

/** Asks the third party whose credential this is; for an API key that is also the live check of the key. */
export const fetchAccount = async (
  { egress }: { egress: Egress },
  connector: ConnectorFile,
  secret: CallSecret,
): Promise<Identity> => {
  try {
    const answer = await egress.request({
      url: connector.identity.url,
      method: 'GET',
      headers: {
        accept: 'application/json',
        ...authorizationHeaders(connector, secret, connector.identity.url),
      },
      maxBytes: MAX_IDENTITY_BYTES,
    })
    if (answer.status === 401 || answer.status === 403) return { kind: 'rejected' }
    if (answer.status !== 200) return { kind: 'unavailable' }
    return {
      kind: 'account',
      account: readPointer(JSON.parse(answer.body.toString('utf8')), connector.identity.account),
    }
  } catch (error) {
    if (error instanceof EgressError || error instanceof SyntaxError) return { kind: 'unavailable' }
    throw error
  }
}

/** RFC 6901, as far as naming an account needs it. */
export const readPointer = (value: unknown, pointer: string): string | null => {
  let current = value
  for (const step of pointer.split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, name)) return null
    current = (current as Record<string, unknown>)[name]
  }
  return typeof current === 'string' || typeof current === 'number' ? String(current).slice(0, 320) : null
}
