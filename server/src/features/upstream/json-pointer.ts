const stepsOf = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map(step => step.replaceAll('~1', '/').replaceAll('~0', '~'))

const stepInto = (value: unknown, name: string): unknown =>
  value !== null && typeof value === 'object' && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined

/** RFC 6901. Undefined where nothing is. */
export const readPointer = (value: unknown, pointer: string): unknown =>
  stepsOf(pointer).reduce(stepInto, value)

/**
 * The same, where `*` stands for every item of a list: the list of what each of them holds. `base64:` in front decodes the
 * texts that are found, and `text:` joins them.
 */
export const selectPointer = (value: unknown, selector: string): unknown => {
  const [, form, pointer = ''] = /^(?:(base64|text):)?(.*)$/s.exec(selector) ?? []
  const found = select(value, stepsOf(pointer))
  if (form === 'base64') return decodeTexts(found)
  return form === 'text' ? joinTexts(found) : found
}

const joinTexts = (found: unknown): string | undefined =>
  found === undefined
    ? undefined
    : [found]
        .flat(Number.POSITIVE_INFINITY)
        .filter(text => typeof text === 'string')
        .join('')

/** Base64 in either alphabet. What is not text in the end, such as a picture, is left out. */
const decodeTexts = (found: unknown): unknown => {
  if (Array.isArray(found)) return found.map(decodeTexts).filter(text => text !== undefined)
  if (typeof found !== 'string') return undefined
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(found, 'base64'))
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

const select = (value: unknown, [step, ...rest]: string[]): unknown => {
  if (step === undefined) return value
  if (step !== '*' || !Array.isArray(value)) return select(stepInto(value, step), rest)
  return value.map(item => select(item, rest)).filter(item => item !== undefined)
}

/** Whether a third party says yes there: anything but absent, false, null, 0 or empty. */
export const isAffirmed = (value: unknown, pointer: string): boolean => {
  const found = readPointer(value, pointer)
  return Array.isArray(found) ? found.length > 0 : Boolean(found)
}

const MAX_NAME = 320

/** What stands there as a name to show or to compare, or null. A name is one line of what a person sees and a database keeps. */
export const readName = (value: unknown, pointer: string): string | null =>
  readText(value, pointer)
    ?.replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME) || null

export const readText = (value: unknown, pointer: string): string | null => {
  const found = readPointer(value, pointer)
  return (typeof found === 'string' && found !== '') || typeof found === 'number' ? String(found) : null
}
