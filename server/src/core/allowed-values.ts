const MAX_LISTED = 20
const MAX_TEXT = 80
/** Characters of all values in one message. */
const MAX_LIST_TEXT = 500

const isShort = (value: unknown): boolean =>
  typeof value === 'string'
    ? value.length <= MAX_TEXT
    : value === null || typeof value === 'number' || typeof value === 'boolean'

export type AllowedValues = { message: string; listed: unknown[] }

/** The values of an `enum` or `const`, as far as they are short enough to be listed. */
export const describeAllowed = (values: readonly unknown[]): AllowedValues => {
  const listed = values.slice(0, MAX_LISTED).filter(isShort)
  const texts: string[] = []
  let length = 0
  for (const value of listed) {
    const text = JSON.stringify(value)
    length += text.length + 2
    if (length > MAX_LIST_TEXT) break
    texts.push(text)
  }
  const hidden = values.length - texts.length
  if (texts.length === 0) return { message: 'must be equal to one of the allowed values', listed }
  if (values.length === 1) return { message: `must be ${texts[0]}`, listed }
  const more = hidden > 0 ? ` or ${hidden === 1 ? 'one other value' : `one of ${hidden} other values`}` : ''
  return { message: `must be one of ${texts.join(', ')}${more}`, listed }
}
