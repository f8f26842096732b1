import { exceedsJsonLimits } from '../../../core/json/json-limits.ts'
import { nextTurnIfLarge } from '../../../platform/isolation/next-turn.ts'
import { parseView, selectFields, type View } from '../../upstream/json-view.ts'
import type { ContentBlock, McpToolResult } from '../../upstream/mcp-tool-result.ts'
import { serializeResult, serverResult, type ToolResult } from './tool-result.ts'

/**
 * Selects the fields of a result that a Tool Pack has chosen, in the structured content and in texts that are JSON. A part without any of the
 * fields has another form (a text, a message) and is unchanged, and so are errors. It runs after the security rules, so it can only remove.
 * The remaining part is checked for an imitated `authenticate_meta` again, as a truncated text is.
 */
export const applyView = async (result: ToolResult, fields: readonly string[]): Promise<ToolResult> => {
  if (result.isError) return result
  await nextTurnIfLarge(serializeResult(result).length)
  const view = parseView(fields)
  const { structuredContent } = result
  const selected = structuredContent && selectFields(structuredContent, view)
  return serverResult({
    ...result,
    content: result.content.map(block => viewBlock(block, view)),
    ...(selected !== undefined && {
      structuredContent: selected as McpToolResult['structuredContent'] & object,
    }),
  })
}

/** The value that a view of the result selects from. Undefined if the result is an error or contains no JSON. */
export const structureOf = ({ structuredContent, content, isError }: ToolResult): unknown =>
  isError
    ? undefined
    : (structuredContent ??
      content
        .map(block => (block.type === 'text' ? parseJson(block.text) : undefined))
        .find(value => value !== undefined))

const viewBlock = (block: ContentBlock, view: View): ContentBlock => {
  if (block.type !== 'text') return block
  const value = parseJson(block.text)
  const selected = value === undefined ? undefined : selectFields(value, view)
  return selected === undefined ? block : { ...block, text: JSON.stringify(selected) }
}

/** Undefined if the text is not an object or an array in JSON, or is too complex to parse. */
const parseJson = (text: string): unknown => {
  if (!/^\s*[{[]/.test(text) || exceedsJsonLimits(text)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
