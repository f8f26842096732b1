import { anyTokenPattern } from '@carabiner/contract'
import pino, { type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/**
 * What a log line may say. Anything else is dropped by name: a field that nobody thought about is more likely a secret
 * than something an operator misses.
 */
const ALLOWED = new Set([
  'alert',
  'request_id',
  'method',
  'route',
  'status',
  'ms',
  'code',
  'param',
  'reason',
  'organization_id',
  'registered_user_id',
  'session_id',
  'attempt_id',
  'credential_id',
  'connector',
  'tool',
  'tool_call_id',
  'outcome',
  'job',
  'step',
  'count',
  'port',
  'address',
  'engine',
  'migrations',
  'error',
  'attempts',
  'protocol_error',
  'node',
  'version',
])

const describeError = (error: unknown, depth = 0): unknown => {
  // What an object holds is not ours to print: a cause may be a whole answer or query of a third party.
  if (!(error instanceof Error)) return typeof error === 'string' ? scrub(error) : `[${typeof error}]`
  const { name, message, stack, cause, code } = error as Error & { code?: unknown }
  return {
    name,
    message: scrub(message),
    ...(typeof code === 'string' && { code }),
    ...(stack && depth === 0 && { stack: scrub(stack) }),
    ...(cause !== undefined && depth < 3 && { cause: describeError(cause, depth + 1) }),
  }
}

/** Our own secrets are recognisable, and so are bearer headers and query values; none of them is worth a log line. */
export const scrub = (text: string): string =>
  text
    .replace(anyTokenPattern, '[secret]')
    .replace(/\b(bearer|basic)\s+[\w\-.~+/=]+/gi, '$1 [secret]')
    .replace(
      /(?<![\w-])((?:code|state|token|link_token|access_token|refresh_token|client_secret|code_verifier)=)[^&\s"'\\]+/gi,
      '$1[secret]',
    )

const allowed = (fields: Record<string, unknown>): Record<string, unknown> => {
  const kept: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) {
    if (name === 'error' || name === 'err') kept.error = describeError(value)
    else if (ALLOWED.has(name)) kept[name] = typeof value === 'object' && value !== null ? '[object]' : value
  }
  return kept
}

/** Lines that wait while the destination takes none; later ones are dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** A full disk or a closed pipe loses log lines, and nothing else. `target`: a file descriptor or a path. */
export const openLogDestination = (target: number | string = 2): DestinationStream => {
  const destination = pino.destination({ dest: target, sync: true, maxLength: MAX_BUFFERED_BYTES })
  destination.on('error', () => undefined)
  return destination
}

export const createLog = (level: string, destination: DestinationStream = openLogDestination()): Log =>
  pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }), log: allowed },
      // The whole line, whichever way a text got into it.
      hooks: { streamWrite: scrub },
    },
    destination,
  )
