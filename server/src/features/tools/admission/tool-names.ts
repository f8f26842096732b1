/** `<connector>__<tool>`, at most 64 characters: the limit of the strictest model API. */
export const toolName = (slug: string, tool: string): string => `${slug}__${tool}`

/** The tool of a connector whose tools cannot be listed before a user has linked it. */
export const authenticateToolName = (slug: string): string => `authenticate_${slug}`

export type ToolAddress = { slug: string; tool: string | null }

/** The maximum length of the protocol, and characters that the database can store. */
const LOOKS_LIKE_A_NAME = /^[\x21-\x7e]{1,128}$/

/** `tool` is null for the tool that only requests linking. */
export const parseToolName = (name: string): ToolAddress | null => {
  if (!LOOKS_LIKE_A_NAME.test(name)) return null
  const asking = /^authenticate_([a-z0-9-]+)$/.exec(name)?.[1]
  if (asking !== undefined) return { slug: asking, tool: null }
  const at = name.indexOf('__')
  return at < 1 ? null : { slug: name.slice(0, at), tool: name.slice(at + 2) }
}
