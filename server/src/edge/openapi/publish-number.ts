type JsonObject = Record<string, unknown>

const DIGITS_ONLY = /^[\^$()[\]{}|,\-0-9]+$/

/** Parameters arrive as text, which routes check with a pattern. To a client, a text of digits is a number. */
export const publishNumber = ({ type, pattern, ...rest }: JsonObject): JsonObject =>
  typeof pattern === 'string' && DIGITS_ONLY.test(pattern)
    ? { type: 'integer', ...rest }
    : { ...(type !== undefined && { type }), ...(pattern !== undefined && { pattern }), ...rest }
