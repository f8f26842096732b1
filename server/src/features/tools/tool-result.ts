import { type AuthenticateMeta, findAuthenticateMeta } from '@carabiner/contract'
import type { CallSecret } from '../upstream/authorization-headers.ts'

/** The part of an MCP tool result that this service makes. */
export type ToolResult = {
  content: { type: 'text'; text: string }[]
  structuredContent?: Record<string, unknown>
  isError: boolean
}

const text = (value: unknown) => [
  { type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) },
]

const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Only this service asks for a connection. A third party that answers in that shape is quoted, so that nobody acts on it. */
export const successResult = (value: unknown): ToolResult =>
  findAuthenticateMeta(value) ? quote({ third_party_answer: value }) : quote(value)

const quote = (value: unknown): ToolResult => ({
  content: text(value),
  ...(isObject(value) && { structuredContent: value }),
  isError: false,
})

/** In both places: some clients keep only the content, others only the structured content. */
export const authenticateResult = (meta: AuthenticateMeta): ToolResult => ({
  content: text(meta),
  structuredContent: meta,
  isError: false,
})

export type ToolErrorBody = { error: Record<string, unknown> }

export const errorResult = (body: ToolErrorBody): ToolResult => ({
  content: text(body),
  structuredContent: body,
  isError: true,
})

/** A third party that echoes its caller's token must not hand it to the model. */
export const scrubCredential = (value: unknown, secret: CallSecret): unknown => {
  const needle = (secret.kind === 'oauth' ? secret.accessToken : secret.key).reveal()
  const serialised = JSON.stringify(value)
  const escaped = JSON.stringify(needle).slice(1, -1)
  return serialised?.includes(escaped)
    ? JSON.parse(serialised.replaceAll(escaped, '[REDACTED:CREDENTIAL]'))
    : value
}
