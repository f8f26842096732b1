import { type AuthenticateMeta, findAuthenticateMeta } from '@carabiner/contract'
import { exceedsJsonLimits } from '../../../core/json-limits.ts'
import type { McpToolResult } from '../../upstream/tool-result.ts'

/** The part of an MCP tool result that this service makes. */
export type ToolResult = {
  content: McpToolResult['content']
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
  imitatesUs(value) ? quote({ third_party_answer: value }) : quote(value)

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

/** What a server answered, block by block; quoted as a whole where it imitates what only this service says. */
export const serverResult = (result: McpToolResult): ToolResult =>
  imitatesUs(result.structuredContent) ||
  result.content.some(block => imitatesUs(block.type === 'resource' ? block.resource : block)) ||
  joinedTexts(result.content).some(imitatesUs)
    ? quote({ third_party_answer: result })
    : result

/** What frameworks put between the texts of a result when they join them. */
const SEPARATORS = ['', ' ', '\n']

/** The texts of a result as frameworks join them: of text blocks alone, and of embedded resources too. */
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
 * A piece of a third party's text is a text of its own: cut in the right place, it would be read as what only this service
 * says. Such a piece ends before its last bracket, where nobody can read it as anything.
 */
export const withoutForgery = (piece: string): string =>
  imitatesUs(piece) ? piece.slice(0, piece.lastIndexOf('}')) : piece

/**
 * Not every application looks with our own detection, which passes over long texts and escaped spellings. Whatever somebody
 * who parses a text would find in it counts here.
 */
const imitatesUs = (value: unknown): boolean => {
  if (findAuthenticateMeta(value)) return true
  const written = isObject(value) ? value.text : value
  if (typeof written !== 'string' || !/authenticate_meta|\\u00/i.test(written)) return false
  // Nobody looks for it in so many values: whether it is in there is not worth the time.
  if (exceedsJsonLimits(written)) return true
  try {
    return findAuthenticateMeta(JSON.parse(written)) !== null
  } catch {
    return false
  }
}
