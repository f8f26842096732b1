import { useEffect, useMemo, useSyncExternalStore } from 'react'
import { useScope } from '../api/use-api.ts'
import { useSession } from '../shell/use-session.ts'
import { createDraftStore, type DraftKey } from './draft-store.ts'
import { isSame } from './is-same.ts'
import { useUnsavedChanges } from './unsaved-changes.ts'

const store = createDraftStore(sessionStorage)

export type Draft<T> = {
  /** What the editor shows: the saved values with the changes of this person. */
  values: T
  /** The fields that differ from the saved ones. */
  changes: Partial<T>
  count: number
  change: (changed: Partial<T>) => void
  discard: () => void
  /** After these changes were saved: what was changed again meanwhile stays. */
  settle: (submitted: Partial<T>) => void
}

/**
 * The unsaved changes of an editor. Only changed fields are kept, so that the editor otherwise shows what is saved, also when someone
 * else saves. They survive another page, a reload and a new sign-in, and leaving the page asks first. `saved` must not contain secrets.
 */
export const useDraft = <T extends object>(editor: string, saved: T): Draft<T> => {
  const { person } = useSession()
  const { organization } = useScope()
  const key: DraftKey = { person: person.id, organization, editor }
  const fields = useSyncExternalStore(store.subscribe, () => store.get(key)) as Partial<T> | undefined
  const changes = useMemo(() => differing(saved, fields ?? {}), [saved, fields])
  const count = Object.keys(changes).length
  const discard = (): void => store.set(key, undefined)
  const read = (): Partial<T> => (store.get(key) ?? {}) as Partial<T>
  const keep = (next: Partial<T>): void => store.set(key, Object.keys(next).length > 0 ? next : undefined)
  // A field that was changed back is kept until the editor is opened again: the request that saves its former value may be pending.
  // oxlint-disable-next-line react/exhaustive-deps -- Only when the editor opens.
  useEffect(() => keep(differing(saved, read())), [editor])
  useUnsavedChanges(count > 0, discard)
  return {
    values: useMemo(() => ({ ...saved, ...changes }), [saved, changes]),
    changes,
    count,
    change: changed => keep({ ...read(), ...changed }),
    discard,
    settle: submitted => keep(differing(submitted, read())),
  }
}

/** The fields with another value than in `saved`. */
const differing = <T extends object>(saved: Partial<T>, fields: Partial<T>): Partial<T> =>
  Object.fromEntries(
    Object.entries(fields).filter(([name, value]) => !isSame(value, saved[name as keyof T])),
  ) as Partial<T>
