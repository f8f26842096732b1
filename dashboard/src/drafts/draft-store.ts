/** Raise this when the stored form of a draft changes, so that drafts of an earlier version of the dashboard are not read. */
const VERSION = 1
const PREFIX = `carabiner.draft.${VERSION}`

export type DraftKey = { person: string; organization: string; editor: string }
type Fields = Record<string, unknown>

export type DraftStore = {
  /** The same object until the draft changes, or undefined. */
  get: (key: DraftKey) => Fields | undefined
  /** Undefined removes the draft. */
  set: (key: DraftKey, fields: Fields | undefined) => void
  subscribe: (listener: () => void) => () => void
}

/**
 * Unsaved changes of the editors, by person, organization and editor. They are kept for this tab of the browser, so that they survive
 * another page, a reload and a new sign-in. When another person signs in, the drafts of the previous one are deleted. Drafts contain no
 * secrets: those stay in the state of the form.
 */
export const createDraftStore = (storage: Storage): DraftStore => {
  const drafts = new Map<string, Fields | undefined>()
  const listeners = new Set<() => void>()
  let owner: string | null = null
  const nameOf = ({ person, organization, editor }: DraftKey): string => {
    if (person !== owner) deleteDraftsOfOthers(person)
    return `${prefixOf(person)}${organization}.${editor}`
  }
  const deleteDraftsOfOthers = (person: string): void => {
    owner = person
    drafts.clear()
    for (const name of Object.keys(storage))
      if (name.startsWith('carabiner.draft.') && !name.startsWith(prefixOf(person))) storage.removeItem(name)
  }
  return {
    get: key => {
      const name = nameOf(key)
      if (!drafts.has(name)) drafts.set(name, parse(storage.getItem(name)))
      return drafts.get(name)
    },
    set: (key, fields) => {
      const name = nameOf(key)
      drafts.set(name, fields)
      write(storage, name, fields)
      for (const listener of listeners) listener()
    },
    subscribe: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const prefixOf = (person: string): string => `${PREFIX}.${person}.`

const parse = (text: string | null): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text ?? 'null')
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Fields)
      : undefined
  } catch {
    return undefined
  }
}

const write = (storage: Storage, name: string, fields: Fields | undefined): void => {
  try {
    if (fields) storage.setItem(name, JSON.stringify(fields))
    else storage.removeItem(name)
  } catch {
    // The storage is full: the draft is kept in memory only, and leaving the page asks first.
  }
}
