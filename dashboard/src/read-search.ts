const MAX_LENGTH = 500

/** A text parameter of a URL, or nothing. The router parses "12" and "true" as JSON, so such values are turned back. */
export const readText = <Name extends string>(
  search: Record<string, unknown>,
  name: Name,
): { [N in Name]?: string } => {
  const value = search[name]
  if (typeof value !== 'string' && typeof value !== 'number' && typeof value !== 'boolean') return {}
  return value === '' ? {} : ({ [name]: String(value).slice(0, MAX_LENGTH) } as { [N in Name]?: string })
}

/** One of the given values, or the first one. */
export const readChoice = <Value extends string>(
  search: Record<string, unknown>,
  name: string,
  values: readonly [Value, ...Value[]],
): Value => values.find(value => value === search[name]) ?? values[0]

/** The same, left out of the URL if it is the first value, which is the default. */
export const readOption = <Name extends string, Value extends string>(
  search: Record<string, unknown>,
  name: Name,
  values: readonly [Value, ...Value[]],
): { [N in Name]?: Value } => {
  const value = readChoice(search, name, values)
  return value === values[0] ? {} : ({ [name]: value } as { [N in Name]?: Value })
}
