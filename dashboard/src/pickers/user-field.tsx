import type { RegisteredUser } from '@carabiner/sdk'
import { useEffect, useState } from 'react'
import { describeError } from '../api/describe-error.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import { Combobox, type ComboboxOption } from '../ui/forms/combobox.tsx'
import { Field } from '../ui/forms/field.tsx'
import { useDelayed } from '../ui/use-delayed.ts'
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

/** Chooses a user. The service searches names, email addresses and IDs while the person types; any ID can be entered. */
export const UserField = ({ value, onChange }: Props) => {
  const chosen = useChosenUser(value)
  const shown = chosen.data ? nameOf(chosen.data) : (value ?? '')
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
      hint={chosen.data ? `Your ID: ${chosen.data.origin_user_id}` : 'Search by name, email address or ID.'}
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

const UserInput = ({ text, isSearching, onType, onCommit, onChoose }: InputProps) => {
  const [isOpen, setOpen] = useState(false)
  const search = useDelayed(isSearching ? text.trim() : '')
  const { data: users = [], error, isFetching } = useOfferedUsers(search, isOpen)
  return (
    <Combobox
      text={text}
      options={users.map(optionOf)}
      status={statusOf({ search, error, isFetching, count: users.length })}
      isBusy={isFetching}
      listLabel="Users"
      onType={onType}
      onChoose={id => {
        const user = users.find(each => each.id === id)
        if (user) onChoose(user)
      }}
      onEnter={onCommit}
      onBlur={left => isSearching && onCommit(left)}
      onOpenChange={setOpen}
    />
  )
}

export const optionOf = (user: RegisteredUser): ComboboxOption => ({
  id: user.id,
  label: nameOf(user),
  detail: [user.origin_user_id, user.email].filter(Boolean).join(' · '),
})

type Found = { search: string; error: unknown; isFetching: boolean; count: number }

const statusOf = ({ search, error, isFetching, count }: Found): string | null => {
  if (error) return sentenceOf(error)
  if (count > 0) return null
  if (isFetching) return 'Searching…'
  if (search === '') return 'No users in this mode yet.'
  return `No user has a name, email address or ID that begins with “${search}”.`
}

const MAX_OFFERED = 20
export const useOfferedUsers = (search: string, enabled: boolean) =>
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
