import {
  type ApprovalMeta,
  type AuthenticateMeta,
  findApprovalMeta,
  findAuthenticateMeta,
} from '@carabiner/contract'
import { exceedsJsonLimits } from '../../../core/json/json-limits.ts'
import { isObject } from '../../../core/json/object.ts'
import type { McpToolResult } from '../../upstream/mcp-tool-result.ts'
import type { WholeResponse } from '../../upstream/provider-response.ts'

/** An MCP tool result. */
export type ToolResult = {
  content: McpToolResult['content']
  structuredContent?: Record<string, unknown>
  isError: boolean
}

const serialized = new WeakMap<ToolResult, string>()

/** The JSON of a result: made once, and used for its size, its record and the response. */
export const serializeResult = (result: ToolResult): string => {
  const known = serialized.get(result)
  if (known !== undefined) return known
  const json = JSON.stringify(result)
  serialized.set(result, json)
  return json
}

/** What a result says in words. */
export const textOf = ({ content }: ToolResult): string =>
  content.flatMap(part => (part.type === 'text' ? part.text : [])).join('\n')

const text = (value: unknown) => [
  { type: 'text' as const, text: typeof value === 'string' ? value : JSON.stringify(value) },
]

/** Only this service may request a connection or an approval. A provider's answer in that shape is quoted, so that no client acts on it. */
export const successResult = (value: unknown): ToolResult =>
  imitatesUs(value) ? quote({ third_party_answer: value }) : quote(value)

const quote = (value: unknown): ToolResult => ({
  content: text(value),
  ...(isObject(value) && { structuredContent: value }),
  isError: false,
})

/** In `content` and in `structuredContent`, because clients read either. */
export const authenticateResult = (meta: AuthenticateMeta): ToolResult => ({
  content: text(meta),
  structuredContent: meta,
  isError: false,
})

export const approvalResult = (meta: ApprovalMeta): ToolResult => ({
  content: text(meta),
  structuredContent: meta,
  isError: false,
})

/** A response for code. Nobody searches it for requests of this service, so it need not be quoted. */
export const responseResult = (response: WholeResponse): ToolResult => ({
  content: [],
  structuredContent: response,
  isError: response.status >= 400,
})

export type ToolErrorBody = { error: Record<string, unknown> }

export const errorResult = (body: ToolErrorBody): ToolResult => ({
  content: text(body),
  structuredContent: body,
  isError: true,
})

/** The blocks of a server's answer, quoted as a whole if they imitate an `authenticate_meta`. */
export const serverResult = (result: McpToolResult): ToolResult =>
  imitatesUs(result.structuredContent) ||
  result.content.some(block => imitatesUs(block.type === 'resource' ? block.resource : block)) ||
  joinedTexts(result.content).some(imitatesUs)
    ? quote({ third_party_answer: result })
    : result

/** Separators that frameworks use to join the texts of a result. */
const SEPARATORS = ['', ' ', '\n']

/** The joined texts of a result: of text blocks only, and with embedded resources. */
const joinedTexts = (content: McpToolResult['content']): string[] => {
  const blocks = content.flatMap(block => (block.type === 'text' ? block.text : []))
  const all = content.flatMap(block => {
    if (block.type === 'resource') return 'text' in block.resource ? block.resource.text : []
    return block.type === 'text' ? block.text : []
  })
  const lists = all.length === blocks.length ? [blocks] : [blocks, all]
  return lists
    .filter(texts => texts.length > 1)
    .flatMap(texts => SEPARATORS.map(separator => texts.join(separator)))
}

/**
 * A truncated text could be a valid `authenticate_meta` although the whole text is not. Such a text is cut before its last bracket,
 * so that it does not parse.
 */
export const withoutForgery = (piece: string): string =>
  imitatesUs(piece) ? piece.slice(0, piece.lastIndexOf('}')) : piece

/**
 * Stricter than `findAuthenticateMeta`, which skips long texts and escaped spellings: an application may parse texts in its own way.
 */
const imitatesUs = (value: unknown): boolean => {
  if (findAuthenticateMeta(value) || findApprovalMeta(value)) return true
  const written = isObject(value) ? value.text : value
  if (typeof written !== 'string' || !/authenticate_meta|approval_meta|\\u00/i.test(written)) return false
  // Too many values: no detection searches so far.
  if (exceedsJsonLimits(written)) return true
  try {
    const parsed: unknown = JSON.parse(written)
    return findAuthenticateMeta(parsed) !== null || findApprovalMeta(parsed) !== null
  } catch {
    return false
  }
}
