import { useState } from 'react'
import { useScope } from '../../api/use-api.ts'
import { useSession } from '../../shell/use-session.ts'
import type { ErrorGroup } from './summary-query.ts'

/** Until a later call fails like these, or until a time. Times are in milliseconds. */
type Hidden = { lastAt: number } | { until: number }

const DAY_MS = 86_400_000
/** Groups contain the calls of a day, so that older entries cannot apply again. */
const KEPT_MS = 2 * DAY_MS

export const keyOf = ({ outcome, error_code, connector }: ErrorGroup): string =>
  [outcome, error_code, connector].join('/')

const isHiddenBy = (hidden: Hidden, { last_at: lastAt }: ErrorGroup, now: number): boolean =>
  'until' in hidden ? now < hidden.until : Date.parse(lastAt) <= hidden.lastAt

const read = (name: string): Record<string, Hidden> => {
  try {
    return JSON.parse(localStorage.getItem(name) ?? '{}') as Record<string, Hidden>
  } catch {
    return {}
  }
}

/** The groups that the person has dismissed or snoozed. They are kept in this browser. */
export const useHiddenGroups = () => {
  const { person } = useSession()
  const { organization, mode } = useScope()
  const name = `carabiner.attention.${person.id}.${organization}.${mode}`
  const [entries, setEntries] = useState(() => read(name))
  const keep = (next: Record<string, Hidden>): void => {
    setEntries(next)
    localStorage.setItem(name, JSON.stringify(next))
  }
  const hide = (group: ErrorGroup, hidden: Hidden): void => {
    const oldest = Date.now() - KEPT_MS
    const current = Object.entries(entries).filter(
      ([, entry]) => ('until' in entry ? entry.until : entry.lastAt) > oldest,
    )
    keep({ ...Object.fromEntries(current), [keyOf(group)]: hidden })
  }
  return {
    isHidden: (group: ErrorGroup): boolean => {
      const hidden = entries[keyOf(group)]
      return hidden !== undefined && isHiddenBy(hidden, group, Date.now())
    },
    /** Until it happens again. */
    dismiss: (group: ErrorGroup): void => hide(group, { lastAt: Date.parse(group.last_at) }),
    snooze: (group: ErrorGroup): void => hide(group, { until: Date.now() + DAY_MS }),
    showAll: (): void => keep({}),
  }
}
