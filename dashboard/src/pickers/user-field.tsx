import type { RegisteredUser } from '@carabiner/sdk'
import { type FocusEvent, type KeyboardEvent, useEffect, useId, useState } from 'react'
import { describeError } from '../api/describe-error.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import { cx } from '../ui/cx.ts'
import { Field, useFieldControl } from '../ui/forms/field.tsx'
import { controlClass } from '../ui/forms/input.tsx'
import { popupClass, popupItemClass } from '../ui/overlays/popup-class.ts'
import { findUser } from './find-user.ts'

type Props = {
  /** ID of the chosen user, as in the URL. */
  value: string | undefined
  onChange: (userId: string | undefined) => void
}

export const nameOf = ({ origin_user_name, origin_user_id }: RegisteredUser): string =>
  origin_user_name ?? origin_user_id

/** The user with this ID, or null if there is none in this mode. */
export const useChosenUser = (id: string | undefined) =>
  useApiQuery(['users', 'found', id ?? ''], (api, options) => findUser(api, id as string, options), {
    enabled: id !== undefined,
  })

/** Chooses a user. The service searches names, e-mail addresses and IDs while the person types; any ID can be entered. */
export const UserField = ({ value, onChange }: Props) => {
  const chosen = useChosenUser(value)
  const shown = chosen.data?.origin_user_id ?? value ?? ''
  const [draft, setDraft] = useState<string | null>(null)
  const chosenId = chosen.data?.id
  useEffect(() => {
    // The application's own ID was entered; the URL has the ID of this service.
    if (chosenId !== undefined && chosenId !== value) onChange(chosenId)
  }, [chosenId, value, onChange])
  const commit = (text: string): void => {
    setDraft(null)
    const wanted = text.trim()
    if (wanted !== shown) onChange(wanted || undefined)
  }
  return (
    <Field
      label="Registered User"
      hint={chosen.data ? nameOf(chosen.data) : 'Search by name, e-mail address or ID.'}
      error={chosenProblem(value, chosen)}
    >
      <UserInput
        text={draft ?? shown}
        isSearching={draft !== null}
        onType={setDraft}
        onCommit={commit}
        onChoose={user => {
          setDraft(null)
          onChange(user.id)
        }}
      />
    </Field>
  )
}

const chosenProblem = (
  value: string | undefined,
  { data, error }: ReturnType<typeof useChosenUser>,
): string | undefined => {
  if (value === undefined) return undefined
  if (error) return sentenceOf(error)
  return data === null ? 'No user has this ID in this mode.' : undefined
}

const sentenceOf = (error: unknown): string => {
  const { title, action } = describeError(error)
  return `${title}. ${action}`
}

type InputProps = {
  text: string
  /** Whether the person has typed something that is not chosen yet. */
  isSearching: boolean
  onType: (text: string) => void
  onCommit: (text: string) => void
  onChoose: (user: RegisteredUser) => void
}

/**
 * A combobox as in the ARIA authoring practices: the focus stays in the input. The primitives of Base UI hide the rest of the page
 * from screen readers while the list is open, although its fields can be focused.
 */
const UserInput = ({ text, isSearching, onType, onCommit, onChoose }: InputProps) => {
  const listId = useId()
  const [isOpen, setOpen] = useState(false)
  const [activeId, setActiveId] = useState<string | null>(null)
  const search = useDelayed(isSearching ? text.trim() : '')
  const { data = [], error, isFetching } = useOfferedUsers(search, isOpen)
  const { held: users, hold } = useHeldWhilePressed(data)
  const active = users.findIndex(({ id }) => id === activeId)
  const open = (): void => {
    setOpen(true)
    setActiveId(null)
  }
  const close = (): void => setOpen(false)
  const choose = (user: RegisteredUser): void => {
    close()
    onChoose(user)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      if (!isOpen) open()
      // The input itself is between the last and the first user.
      else setActiveId(users[((active + 1 + step + users.length + 1) % (users.length + 1)) - 1]?.id ?? null)
    } else if (event.key === 'Enter') {
      event.preventDefault()
      const user = isOpen ? users[active] : undefined
      if (user) return choose(user)
      close()
      onCommit(event.currentTarget.value)
    } else if (event.key === 'Escape' && isOpen) {
      // The list closes, and not the dialog around it.
      event.stopPropagation()
      close()
    }
  }
  const onBlur = (event: FocusEvent<HTMLInputElement>): void => {
    close()
    if (isSearching) onCommit(event.target.value)
  }
  const optionId = (position: number): string => `${listId}-${position}`
  return (
    <div className="relative">
      <input
        {...useFieldControl()}
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isOpen}
        aria-controls={listId}
        aria-activedescendant={isOpen && users[active] ? optionId(active) : undefined}
        autoComplete="off"
        spellCheck={false}
        value={text}
        onChange={event => {
          open()
          onType(event.target.value)
        }}
        onClick={open}
        onKeyDown={onKeyDown}
        onBlur={onBlur}
        className={cx(controlClass, 'h-9 max-md:h-11')}
      />
      <div
        hidden={!isOpen}
        onPointerDown={event => {
          // The input keeps the focus.
          event.preventDefault()
          hold()
        }}
        className={cx(popupClass, 'absolute inset-x-0 top-full z-30 mt-1 max-h-80 min-w-64 overflow-y-auto')}
      >
        <p role="status" className="text-sm text-muted not-empty:px-2.5 not-empty:py-2">
          {isOpen && statusOf({ search, error, isFetching, count: users.length })}
        </p>
        <ul id={listId} role="listbox" aria-label="Users" aria-busy={isFetching}>
          {users.map((user, position) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keyboard chooses in the input
            <li
              key={user.id}
              id={optionId(position)}
              ref={position === active ? showRow : null}
              role="option"
              aria-selected={position === active}
              data-highlighted={position === active || undefined}
              onPointerMove={() => setActiveId(user.id)}
              onClick={() => choose(user)}
              className={popupItemClass}
            >
              <span className="grid min-w-0">
                <span className="truncate">{nameOf(user)}</span>
                <span className="truncate text-xs text-muted">
                  {[user.origin_user_id, user.email].filter(Boolean).join(' · ')}
                </span>
              </span>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

const showRow = (row: HTMLElement | null): void => row?.scrollIntoView({ block: 'nearest' })

type Found = { search: string; error: unknown; isFetching: boolean; count: number }

const statusOf = ({ search, error, isFetching, count }: Found): string | null => {
  if (error) return sentenceOf(error)
  if (count > 0) return null
  if (isFetching) return 'Searching…'
  if (search === '') return 'There are no users in this mode yet.'
  return `No user has a name, e-mail address or ID that begins with “${search}”.`
}

const MAX_OFFERED = 20
const useOfferedUsers = (search: string, enabled: boolean) =>
  useApiQuery(
    ['users', 'offered', search],
    async (api, options) =>
      (
        await api.registeredUsers
          .list({ limit: MAX_OFFERED, ...(search !== '' && { search }) }, options)
          .page()
      ).data,
    { enabled, keepPrevious: true },
  )

/** A list that does not change between the press and the release of a pointer, because the click would be lost or choose another row. */
const useHeldWhilePressed = <T,>(current: T): { held: T; hold: () => void } => {
  const [pressed, setPressed] = useState<{ value: T } | null>(null)
  const hold = (): void => {
    setPressed({ value: current })
    const stop = new AbortController()
    // The click follows the release, in the same task.
    const release = (): void => {
      stop.abort()
      setTimeout(() => setPressed(null))
    }
    for (const name of ['pointerup', 'pointercancel'])
      document.addEventListener(name, release, { signal: stop.signal })
  }
  return { held: pressed ? pressed.value : current, hold }
}

const DELAY_MS = 200
/** The text, when the person pauses. */
const useDelayed = (text: string): string => {
  const [delayed, setDelayed] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setDelayed(text), DELAY_MS)
    return () => clearTimeout(timer)
  }, [text])
  return delayed
}
