import { isUtf8 } from 'node:buffer'
import { exceedsJsonLimits } from '../../core/json/json-limits.ts'
import type { EgressResponse } from '../../platform/egress/egress.ts'

/** The body of a provider's response, classified by its Content-Type. */
export type AnswerBody =
  | { kind: 'json'; value: unknown }
  | { kind: 'text'; text: string }
  | { kind: 'binary'; type: string; bytes: number }
  | { kind: 'empty' }
  /** Declared as JSON but not valid JSON. */
  | { kind: 'broken' }
  /** Valid JSON that exceeds the JSON limits. */
  | { kind: 'too_complex' }

const JSON_TYPE = /^(?:application|text)\/json$/
const JSON_SUFFIX = /\+json$/
const TEXT_TYPE =
  /^(?:text\/.*|application\/(?:xml|xhtml\+xml|javascript|x-javascript|graphql|yaml|x-yaml|toml|sql|csv|x-ndjson|x-www-form-urlencoded)|.*\+(?:xml|yaml))$/

export const readBody = ({ headers, body }: EgressResponse): AnswerBody => {
  if (body.length === 0) return { kind: 'empty' }
  const header = headers['content-type'] ?? ''
  const type = header.split(';')[0]?.trim().toLowerCase() ?? ''
  if (JSON_TYPE.test(type)) return asJson(decode(body, header)) ?? { kind: 'broken' }
  // Some providers send raw files under a vendor type with a +json suffix.
  if (JSON_SUFFIX.test(type)) return asJson(decode(body, header)) ?? asText(body, header, type)
  if (!UNSPECIFIC_TYPES.has(type) && !TEXT_TYPE.test(type))
    return { kind: 'binary', type, bytes: body.length }
  const text = asText(body, header, type)
  return text.kind === 'text' && /^\s*[[{]/.test(text.text) ? (asJson(text.text) ?? text) : text
}

/** Types that do not describe the content. Raw files are often sent with them. */
const UNSPECIFIC_TYPES = new Set(['', 'application/octet-stream', 'binary/octet-stream'])

const asJson = (text: string): AnswerBody | null => {
  if (exceedsJsonLimits(text)) return { kind: 'too_complex' }
  try {
    return { kind: 'json', value: JSON.parse(text) }
  } catch {
    return null
  }
}

const asText = (body: Buffer, header: string, type: string): AnswerBody => {
  const hasCharset = /charset=/i.test(header)
  const readable = hasCharset || (isUtf8(body) && !body.includes(0)) || type.startsWith('text/')
  return readable
    ? { kind: 'text', text: decode(body, header) }
    : { kind: 'binary', type: type || 'application/octet-stream', bytes: body.length }
}

const decode = (body: Buffer, header: string): string => {
  const charset = /charset="?([\w.:-]+)/i.exec(header)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset).decode(body)
  } catch {
    return new TextDecoder().decode(body)
  }
}
