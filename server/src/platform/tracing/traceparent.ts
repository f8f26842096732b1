/** The caller's span, of which ours is a child. */
export type TraceContext = { traceId: string; spanId: string; isSampled: boolean }

/** W3C Trace Context §3.2: version, trace ID, parent ID and flags. Future versions may append fields. */
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const MAX_LENGTH = 512
const SAMPLED = 1

/** §4.3: an invalid traceparent is ignored. */
export const parseTraceparent = (traceparent: unknown): TraceContext | null => {
  if (typeof traceparent !== 'string' || traceparent.length > MAX_LENGTH) return null
  const [, version, traceId, spanId, flags, more] = TRACEPARENT.exec(traceparent.trim()) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  if (version === '00' && more !== undefined) return null
  return { traceId, spanId, isSampled: (Number.parseInt(flags, 16) & SAMPLED) === SAMPLED }
}

export const formatTraceparent = ({ traceId, spanId, isSampled }: TraceContext): string =>
  `00-${traceId}-${spanId}-${isSampled ? '01' : '00'}`
