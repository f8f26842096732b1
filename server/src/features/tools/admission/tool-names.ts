/** `<connector>__<tool>`, at most 64 characters: what the strictest model API takes. */
export const toolName = (slug: string, tool: string): string => `${slug}__${tool}`

/** Stands for a connector whose tools cannot be listed before somebody has linked it. */
export const authenticateToolName = (slug: string): string => `authenticate_${slug}`

export type ToolAddress = { slug: string; tool: string | null }

/** As long as the protocol lets a name be, and of characters that can be looked for. */
const LOOKS_LIKE_A_NAME = /^[\x21-\x7e]{1,128}$/

/** `tool` is null for the tool that only asks to be linked. */
export const parseToolName = (name: string): ToolAddress | null => {
  if (!LOOKS_LIKE_A_NAME.test(name)) return null
  const asking = /^authenticate_([a-z0-9-]+)$/.exec(name)?.[1]
  if (asking !== undefined) return { slug: asking, tool: null }
  const at = name.indexOf('__')
  return at < 1 ? null : { slug: name.slice(0, at), tool: name.slice(at + 2) }
}
