import { readPointer, stepInto, stepsOf } from '../../core/json/json-pointer.ts'

/**
 * As `readPointer`, with `*` for every item of an array. A `base64:` prefix decodes the texts found, and `text:`
 * joins them.
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

/** Base64 in either alphabet. Binary content, such as an image, is omitted. */
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

/** Whether the value at the pointer is truthy: anything but absent, false, null, 0 or empty. */
export const isAffirmed = (value: unknown, pointer: string): boolean => {
  const found = readPointer(value, pointer)
  return Array.isArray(found) ? found.length > 0 : Boolean(found)
}

const MAX_NAME_LENGTH = 320

/** The value at the pointer as a name to display or compare: one line without control characters. */
export const readName = (value: unknown, pointer: string): string | null => asName(readText(value, pointer))

export const asName = (text: string | null): string | null =>
  text
    ?.replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_NAME_LENGTH) || null

export const readText = (value: unknown, pointer: string): string | null => {
  const found = readPointer(value, pointer)
  return (typeof found === 'string' && found !== '') || typeof found === 'number' ? String(found) : null
}
