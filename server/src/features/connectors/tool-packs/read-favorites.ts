import { Refusal } from '../../../core/refusal.ts'

const QUALIFIED_NAME = /^[a-z0-9-]+__[\x21-\x7e]+$/

/**
 * Validates the form of the names and rejects duplicates. Whether the tools exist is not checked: the tools of a server may be unknown
 * until an account is linked, and a favorite that the pack does not offer is not listed.
 */
export const readFavorites = (names: string[]): string[] => {
  for (const [index, name] of names.entries()) {
    const param = `favorites.${index}`
    if (!QUALIFIED_NAME.test(name))
      throw new Refusal('invalid_tool_choice', {
        param,
        message: `"${name}" is not the name of a tool, such as "gmail__send_message".`,
      })
    if (names.indexOf(name) < index)
      throw new Refusal('duplicate_choice', { param, message: `Duplicate entry: "${name}".` })
  }
  return names
}
