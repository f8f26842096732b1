import { Refusal } from '../../../core/refusal.ts'

/**
 * Rejects duplicates. Whether the tools exist is not checked: the tools of a server may be unknown until an account is linked, and a
 * favorite that the pack does not offer is not listed.
 */
export const readFavorites = (names: string[]): string[] => {
  for (const [index, name] of names.entries())
    if (names.indexOf(name) < index)
      throw new Refusal('duplicate_choice', {
        param: `favorites.${index}`,
        message: `Duplicate entry: "${name}".`,
      })
  return names
}
