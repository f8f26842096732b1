/** Reads a typed value: plain text for inputs that are strings, JSON for the others. */
export const readFixedValue = (
  schema: { type?: unknown } | undefined,
  text: string,
): { value: unknown } | { problem: string } => {
  const types = [schema?.type].flat()
  const allowsText = types.includes('string') || types[0] === undefined
  if (types.length === 1 && allowsText && types[0] === 'string') return { value: text }
  try {
    return { value: JSON.parse(text) as unknown }
  } catch {
    return allowsText
      ? { value: text }
      : {
          problem: `This input takes ${types.join(' or ')}. Write it as JSON, for example 10, true or ["a"].`,
        }
  }
}

export const writeFixedValue = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value)
