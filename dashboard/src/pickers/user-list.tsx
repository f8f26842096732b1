import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { loadUser } from '../api/load-user.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import { UserName } from '../ui/data/user-name.tsx'
import { Input } from '../ui/forms/input.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { useDelayed } from '../ui/use-delayed.ts'
import { UserField } from './user-field.tsx'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** A list of this length has a search. */
const SEARCHED_FROM = 8

type Props = {
  value: readonly string[]
  onChange: (ids: string[]) => void
  /** Whether an ID was entered whose user is not known yet, or does not exist. */
  onPending: (isPending: boolean) => void
  /** A user who cannot be chosen. */
  excluded: string
  isDisabled?: boolean
  error?: string | undefined
}

/** Chooses any number of users: a field that adds one, and the list of those that were added. */
export const UserList = ({ value, onChange, onPending, excluded, isDisabled = false, error }: Props) => {
  const listId = useId()
  /** An ID of the application, until the field has found its user. */
  const [searched, setSearched] = useState<string | undefined>()
  const [text, setText] = useState('')
  const { shown, isFetching } = useMatching(value, useDelayed(text.trim().toLowerCase()))
  const add = (id: string | undefined): void => {
    const isFound = id !== undefined && UUID.test(id)
    setSearched(isFound ? undefined : id)
    onPending(!isFound && id !== undefined)
    if (isFound && id !== excluded && !value.includes(id)) onChange([...value, id])
  }
  return (
    <section className="grid gap-2">
      {isDisabled ? (
        <h3 className="text-sm font-medium">Registered Users</h3>
      ) : (
        <UserField value={searched} onChange={add} />
      )}
      {value.length >= SEARCHED_FROM && (
        <Input
          type="search"
          aria-label="Find a user with access"
          placeholder={`Search ${value.length.toLocaleString()} users`}
          value={text}
          onChange={event => setText(event.target.value)}
        />
      )}
      {value.length > 0 && shown.length === 0 && (
        <p role="status" className="text-sm text-muted">
          {isFetching ? 'Searching…' : 'No user with access has this name, email address or ID.'}
        </p>
      )}
      {shown.length > 0 ? (
        <ul
          aria-label="Users with access"
          className="max-h-44 divide-y divide-line overflow-y-auto rounded-control border border-line text-sm"
        >
          {shown.map(id => (
            <li key={id} className="flex min-h-9 items-center gap-2 ps-3">
              <span id={`${listId}-${id}`} className="min-w-0 flex-1 truncate">
                <UserName id={id} />
              </span>
              {!isDisabled && (
                <IconButton
                  label="Remove user"
                  aria-describedby={`${listId}-${id}`}
                  icon={<X className="size-4" aria-hidden="true" />}
                  onClick={() => onChange(value.filter(one => one !== id))}
                />
              )}
            </li>
          ))}
        </ul>
      ) : (
        isDisabled && value.length === 0 && <p className="text-sm text-muted">None</p>
      )}
      {error && (
        <p role="alert" className="text-xs font-medium text-bad">
          {error}
        </p>
      )}
    </section>
  )
}

/** The users whose name, email address or ID contains the text. The names of all are loaded with the first search, in batches. */
const useMatching = (ids: readonly string[], text: string) => {
  const { data = [], isFetching } = useApiQuery(
    ['users', 'of-list', ids],
    async api => Promise.allSettled(ids.map(id => loadUser(api, id))),
    { enabled: text !== '' },
  )
  if (text === '') return { shown: ids, isFetching: false }
  const found = data.flatMap(each => {
    if (each.status === 'rejected') return []
    const { id, origin_user_id, origin_user_name, email } = each.value
    return [id, origin_user_id, origin_user_name, email].some(field => field?.toLowerCase().includes(text))
      ? [id]
      : []
  })
  return { shown: found, isFetching }
}
