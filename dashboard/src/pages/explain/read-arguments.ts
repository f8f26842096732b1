/** Reads the typed arguments. Empty text means that none are given. */
export const readArguments = (
  text: string,
): { value: Record<string, unknown> | undefined } | { problem: string } => {
  if (text.trim() === '') return { value: undefined }
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> }
    return { problem: 'The arguments must be a JSON object.' }
  } catch (error) {
    return { problem: `This is not valid JSON. ${(error as Error).message}` }
  }
}
