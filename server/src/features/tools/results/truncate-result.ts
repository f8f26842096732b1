import type { ContentBlock } from '../../upstream/mcp-tool-result.ts'
import { encodedLength, textWithin } from './encoded-text.ts'
import { type ToolResult, withoutForgery } from './tool-result.ts'

/** Bytes reserved for the notice about the truncation. */
const NOTICE = 700
/** The envelope: `content`, `isError`, and the separators around a block. */
const ENVELOPE = 60
const BLOCK_ENVELOPE = 40

/**
 * Truncates a result to the limit of its Tool Pack. The result keeps its shape, no character is split, and a notice says what is
 * missing. `size`: bytes of the result as JSON. `handle`: where the whole result can be read.
 */
export const truncateResult = (
  result: ToolResult,
  { size, limit, handle }: { size: number; limit: number; handle: string | null },
): ToolResult => {
  if (size <= limit) return result
  const remaining = { bytes: limit - NOTICE - ENVELOPE, leftOut: [] as string[] }
  const content = result.content.flatMap(block => fitBlock(block, remaining))
  if (result.structuredContent) remaining.leftOut.push('the structured content')
  const text = notice({ size, limit, handle, leftOut: remaining.leftOut })
  return { content: [...content, { type: 'text', text }], isError: result.isError }
}

type Remaining = { bytes: number; leftOut: string[] }

const fitBlock = (block: ContentBlock, remaining: Remaining): ContentBlock[] => {
  const whole = Buffer.byteLength(JSON.stringify(block)) + 1
  if (whole <= remaining.bytes) {
    remaining.bytes -= whole
    return [block]
  }
  const cut = cutBlock(block, remaining.bytes - BLOCK_ENVELOPE)
  remaining.leftOut.push(describeMissing(block, cut))
  if (!cut) return []
  // Nothing follows a truncated text: a reader would take what follows for its continuation.
  remaining.bytes = 0
  return [cut]
}

const cutBlock = (block: ContentBlock, bytes: number): ContentBlock | null => {
  if (bytes <= 0) return null
  if (block.type === 'text') {
    const text = withoutForgery(textWithin(block.text, bytes))
    return text === '' ? null : { ...block, text }
  }
  if (block.type !== 'resource' || !('text' in block.resource)) return null
  const around = Buffer.byteLength(JSON.stringify(block)) - encodedLength(block.resource.text)
  const text = withoutForgery(textWithin(block.resource.text, bytes - around))
  return text === '' ? null : { ...block, resource: { ...block.resource, text } }
}

const number = new Intl.NumberFormat('en-US')

const describeMissing = (block: ContentBlock, cut: ContentBlock | null): string => {
  switch (block.type) {
    case 'text':
      return missingText(block.text, cut?.type === 'text' ? cut.text : '')
    case 'image':
    case 'audio':
      return `${block.type} (${plainType(block.mimeType)}, ${decodedSize(block.data)} bytes)`
    case 'resource_link':
      return 'a link'
    case 'resource': {
      const { resource } = block
      if ('blob' in resource)
        return `a file (${plainType(resource.mimeType)}, ${decodedSize(resource.blob)} bytes)`
      const shown = cut?.type === 'resource' && 'text' in cut.resource ? cut.resource.text : ''
      return missingText(resource.text, shown)
    }
  }
}

/** A server's MIME type in our notice: short, and restricted to the characters of a type. */
const plainType = (given = ''): string => given.replace(/[^\w.+/-]/g, '').slice(0, 40) || 'unknown type'

const missingText = (whole: string, shown: string): string =>
  `${number.format(whole.length - shown.length)} of ${number.format(whole.length)} characters of text`

const decodedSize = (base64: string): string => number.format(Math.floor((base64.length * 3) / 4))

const MAX_NAMED = 4

const notice = (cut: { size: number; limit: number; handle: string | null; leftOut: string[] }): string => {
  const named = cut.leftOut.slice(0, MAX_NAMED)
  const more = cut.leftOut.length - named.length
  const missing = [...named, ...(more > 0 ? [`${number.format(more)} more parts`] : [])].join('; ')
  const rest =
    cut.handle === null
      ? 'To get a smaller result, narrow the query, ask for fewer fields or a smaller page.'
      : `The complete result is stored for one hour: read on with fetch_result {"handle":"${cut.handle}"}, or narrow the query.`
  return `[This result was truncated: it has ${number.format(cut.size)} bytes, and the limit is ${number.format(cut.limit)}. Left out: ${missing}. ${rest}]`
}
