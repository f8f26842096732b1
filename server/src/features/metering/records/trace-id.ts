/** W3C Trace Context §3.2: version, trace ID, parent ID and flags. Future versions may append fields. */
const TRACEPARENT = /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?$/

/** §4.3: an invalid traceparent is ignored. */
export const traceIdOf = (traceparent: string | string[] | undefined): string | null => {
  if (typeof traceparent !== 'string' || traceparent.length > 512) return null
  const [, version, traceId, more] = TRACEPARENT.exec(traceparent.trim()) ?? []
  if (version === '00' && more !== undefined) return null
  return traceId ?? null
}
