import type { CallbackUrlTested } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { parseCallbackUrl } from './callback-url.ts'

/** What minting a link token would answer for this `callback_url`. */
export const testCallbackUrl = (url: string, allowedOrigins: ReadonlySet<string>): CallbackUrlTested => {
  try {
    const { origin } = parseCallbackUrl(url)
    return allowedOrigins.has(origin)
      ? { allowed: true, origin, reason: null, message: null }
      : rejected(new Refusal('unauthorized_origin'), origin)
  } catch (error) {
    if (error instanceof Refusal) return rejected(error, null)
    throw error
  }
}

const rejected = ({ code, message }: Refusal, origin: string | null): CallbackUrlTested => ({
  allowed: false,
  origin,
  reason: code as CallbackUrlTested['reason'],
  message,
})
