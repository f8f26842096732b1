import type { LinkSuccess } from './types.ts'

export type LinkMessage = { carabiner: string; type: 'ready' | 'success' | 'close'; result?: LinkSuccess }

type Incoming = { origin: string; source: unknown; data: unknown }
type Expected = { origin: string; source: unknown; nonce: string }

/** Accepts only messages from Link's own window, with Link's origin and the expected nonce. */
export const isFromLink = <Event extends Incoming>(
  event: Event,
  { origin, source, nonce }: Expected,
): event is Event & { data: LinkMessage } =>
  event.origin === origin &&
  !!source &&
  event.source === source &&
  (event.data as LinkMessage | null)?.carabiner === nonce
