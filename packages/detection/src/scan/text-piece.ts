/** A text in a JSON value, and its path. */
export type TextPiece = { text: string; path: (string | number)[] }

/** Members that contain a part of a text: in MCP's content blocks and in the rich text of many APIs. */
const TEXT_MEMBERS = ['text', 'plain_text', 'content']

/** Returns the text of a content block, and its path in the block; null if the item has none. */
export const textPieceOf = (item: unknown): TextPiece | null => {
  if (typeof item !== 'object' || item === null) return null
  const members = item as Record<string, unknown>
  for (const member of TEXT_MEMBERS) {
    const text = members[member]
    if (typeof text === 'string') return { text, path: [member] }
  }
  // {"type": "resource", "resource": {"text": …}}
  const { resource } = members
  if (typeof resource !== 'object' || resource === null) return null
  const { text } = resource as Record<string, unknown>
  return typeof text === 'string' ? { text, path: ['resource', 'text'] } : null
}
