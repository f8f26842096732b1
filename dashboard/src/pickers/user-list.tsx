import { X } from 'lucide-react'
import { useId, useState } from 'react'
import { UserName } from '../ui/data/user-name.tsx'
import { IconButton } from '../ui/icon-button.tsx'
import { UserField } from './user-field.tsx'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

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
      {value.length > 0 ? (
        <ul
          aria-label="Users with access"
          className="max-h-44 divide-y divide-line overflow-y-auto rounded-control border border-line text-sm"
        >
          {value.map(id => (
            <li key={id} className="flex min-h-9 items-center gap-2 ps-3">
              <span id={`${listId}-${id}`} className="min-w-0 flex-1 truncate">
                <UserName id={id} />
              </span>
              {!isDisabled && (
                <IconButton
                  label="Remove the user"
                  aria-describedby={`${listId}-${id}`}
                  icon={<X className="size-4" aria-hidden="true" />}
                  onClick={() => onChange(value.filter(one => one !== id))}
                />
              )}
            </li>
          ))}
        </ul>
      ) : (
        isDisabled && <p className="text-sm text-muted">None</p>
      )}
      {error && (
        <p role="alert" className="text-xs font-medium text-bad">
          {error}
        </p>
      )}
    </section>
  )
}
