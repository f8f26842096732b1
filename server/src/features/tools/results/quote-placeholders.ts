import { isJson } from '../../../core/json/is-json.ts'
import { exceedsJsonLimits } from '../../../core/json/json-limits.ts'

const PLACEHOLDER = /\[REDACTED:[A-Z0-9_]+\]/y

/**
 * Keeps a redacted JSON text valid: a number that became a placeholder is written as a string. Text that was not JSON, or does not
 * become JSON this way, is returned unchanged.
 */
export const quotePlaceholders = (original: string, redacted: string): string => {
  if (original === redacted || !/^\s*[{[]/.test(original) || exceedsJsonLimits(original)) return redacted
  if (!isJson(original) || isJson(redacted)) return redacted
  const quoted = quoteOutsideStrings(redacted)
  return isJson(quoted) ? quoted : redacted
}

const quoteOutsideStrings = (text: string): string => {
  let result = ''
  let copied = 0
  let inString = false
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === '"') inString = !inString
    else if (character === '[' && !inString) {
      PLACEHOLDER.lastIndex = at
      const found = PLACEHOLDER.exec(text)?.[0]
      if (found === undefined) continue
      result += `${text.slice(copied, at)}"${found}"`
      copied = at + found.length
      at = copied - 1
    }
  }
  return result + text.slice(copied)
}
