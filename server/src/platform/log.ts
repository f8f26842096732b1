import { anyTokenPattern } from '@carabiner/contract'
import pino, { type DestinationStream, type Logger } from 'pino'

export type Log = Logger

/**
 * The fields that a log line may contain. All others are dropped, because an unexpected field is more likely a secret
 * than useful to an operator.
 */
const ALLOWED_FIELDS = new Set([
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
  'process',
  'exit_code',
  'signal',
  'restart_in_ms',
])

const describeError = (error: unknown, depth = 0): unknown => {
  // Other objects are not logged: a cause may be a whole response or request of a provider.
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

/** Removes secrets of this service, authorization headers and secret query parameters. */
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
    else if (ALLOWED_FIELDS.has(name))
      kept[name] = typeof value === 'object' && value !== null ? '[object]' : value
  }
  return kept
}

/** Lines buffered while the destination is blocked. Further lines are dropped. */
const MAX_BUFFERED_BYTES = 1024 * 1024

/** A full disk or a closed pipe only loses log lines. `target`: a file descriptor or a path. */
export const openLogDestination = (target: number | string = 2): DestinationStream => {
  const destination = pino.destination({ dest: target, sync: true, maxLength: MAX_BUFFERED_BYTES })
  destination.on('error', () => undefined)
  return destination
}

export const createLog = (level: string, destination: DestinationStream = openLogDestination()): Log =>
  pino(
    {
      level,
      base: { pid: process.pid },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: label => ({ level: label }), log: allowed },
      // Applied to the whole line, so that no field is missed.
      hooks: { streamWrite: scrub },
    },
    destination,
  )
