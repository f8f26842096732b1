import type { ExplainRequest, Explanation } from './api-types.ts'
import type { CallOptions, Send } from './send.ts'

/** Explains whether a tool call would run for a user, and what keeps it from running. It makes no call and changes nothing. */
export const explain =
  (send: Send) =>
  (body: ExplainRequest, options?: CallOptions): Promise<Explanation> =>
    send<Explanation>('POST', '/explain', options, { body, once: true })
