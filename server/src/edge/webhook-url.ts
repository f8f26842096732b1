import { Refusal } from '../core/refusal.ts'
import { type Egress, EgressError } from '../platform/egress/egress.ts'

/** The normalized URL to which requests of an organization can be sent. Throws if they would be blocked. `param`: its path in the request body. */
export const vetWebhookUrl = async (egress: Egress, text: string, param = 'url'): Promise<string> => {
  const url = URL.parse(text)
  if (!url) throw new Refusal('invalid_webhook_url', { param, message: 'This is not a valid URL.' })
  // It would never be sent, so it is a mistake.
  if (text.includes('#'))
    throw new Refusal('invalid_webhook_url', { param, message: 'The URL must not have a fragment (#).' })
  try {
    await egress.mayCall(url.href)
    return url.href
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    throw new Refusal('invalid_webhook_url', { param, message: error.message, cause: error })
  }
}
