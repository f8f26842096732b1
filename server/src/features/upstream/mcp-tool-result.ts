import { isObject, type JsonObject } from '../../core/json/object.ts'
import { cleanLine } from './text.ts'

/** A tool result reduced to the fields of the protocol. */
export type McpToolResult = {
  content: ContentBlock[]
  structuredContent?: JsonObject
  isError: boolean
}
/** The annotations that are passed on with a content block. */
export type Annotations = { audience?: ('user' | 'assistant')[]; priority?: number; lastModified?: string }
export type ContentBlock = { annotations?: Annotations } & (
  | { type: 'text'; text: string }
  | { type: 'image' | 'audio'; data: string; mimeType: string }
  | { type: 'resource'; resource: { uri: string; mimeType?: string } & ({ text: string } | { blob: string }) }
  | {
      type: 'resource_link'
      uri: string
      name: string
      title?: string
      description?: string
      mimeType?: string
      size?: number
    }
)

const MAX_BLOCKS = 1000

/** Null if this is not a tool result. Blocks of unknown types are omitted, and a note lists them. */
export const readToolResult = (result: JsonObject): McpToolResult | null => {
  const { content = [], structuredContent, isError } = result
  if (!Array.isArray(content)) return null
  const omitted: string[] = []
  const blocks = content.slice(0, MAX_BLOCKS).flatMap((part: unknown) => {
    const block = isObject(part) ? readBlock(part) : null
    if (!block) omitted.push(isObject(part) && typeof part.type === 'string' ? cleanLine(part.type, 40) : '?')
    return block ?? []
  })
  if (content.length > MAX_BLOCKS) omitted.push(`${content.length - MAX_BLOCKS} more`)
  if (omitted.length > 0) blocks.push({ type: 'text', text: note(omitted) })
  const structured = isObject(structuredContent) ? structuredContent : null
  if (blocks.length === 0 && structured) blocks.push({ type: 'text', text: JSON.stringify(structured) })
  return {
    content: blocks,
    ...(structured && { structuredContent: structured }),
    isError: isError === true,
  }
}

const note = (types: string[]): string =>
  `[Omitted from this result: ${types.length} part(s) of an unsupported type (${[...new Set(types)].slice(0, 5).join(', ')}).]`

/** `_meta` is dropped: its meaning is unknown here. */
const readBlock = (part: JsonObject): ContentBlock | null => {
  const block = readPart(part)
  const annotations = block && isObject(part.annotations) ? readAnnotations(part.annotations) : null
  return block && annotations ? { ...block, annotations } : block
}

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T[\d:.]{5,15}(Z|[+-]\d{2}:\d{2})?)?$/

const readAnnotations = ({ audience, priority, lastModified }: JsonObject): Annotations | null => {
  const listed = Array.isArray(audience) ? audience : []
  const known = (['user', 'assistant'] as const).filter(one => listed.includes(one))
  const annotations: Annotations = {
    ...(known.length > 0 && { audience: known }),
    ...(typeof priority === 'number' && priority >= 0 && priority <= 1 && { priority }),
    ...(typeof lastModified === 'string' && ISO_TIME.test(lastModified) && { lastModified }),
  }
  return Object.keys(annotations).length > 0 ? annotations : null
}

const readPart = (part: JsonObject): ContentBlock | null => {
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? { type: 'text', text: part.text } : null
    case 'image':
    case 'audio':
      return isBase64(part.data) && typeof part.mimeType === 'string'
        ? { type: part.type, data: part.data, mimeType: part.mimeType }
        : null
    case 'resource':
      return isObject(part.resource) ? readResource(part.resource) : null
    case 'resource_link':
      return typeof part.uri === 'string' && typeof part.name === 'string'
        ? {
            type: 'resource_link',
            uri: part.uri,
            name: part.name,
            ...texts(part, ['title', 'description', 'mimeType']),
            ...(Number.isSafeInteger(part.size) && { size: part.size as number }),
          }
        : null
    default:
      return null
  }
}

const readResource = (resource: JsonObject): ContentBlock | null => {
  const { uri, text, blob } = resource
  if (typeof uri !== 'string') return null
  const known = { uri, ...texts(resource, ['mimeType']) }
  if (typeof text === 'string') return { type: 'resource', resource: { ...known, text } }
  return isBase64(blob) ? { type: 'resource', resource: { ...known, blob } } : null
}

const isBase64 = (value: unknown): value is string =>
  typeof value === 'string' && /^[A-Za-z0-9+/_-]*={0,2}$/.test(value)

const texts = <Key extends string>(from: JsonObject, keys: Key[]): { [key in Key]?: string } =>
  Object.fromEntries(keys.flatMap(key => (typeof from[key] === 'string' ? [[key, from[key]]] : []))) as {
    [key in Key]?: string
  }
