import { Search } from 'lucide-react'
import { useState } from 'react'
import { Combobox } from '../ui/forms/combobox.tsx'
import { FilterChip } from '../ui/lists/filter-chip.tsx'
import { useDelayed } from '../ui/use-delayed.ts'
import { nameOf, optionOf, useChosenUser, useOfferedUsers } from './user-field.tsx'

type Props = { value: string | undefined; onChange: (userId: string | undefined) => void }

/** Filters a list by a user, who is found by name, email address or ID. */
export const UserFilter = ({ value, onChange }: Props) => {
  const [text, setText] = useState('')
  const search = useDelayed(text.trim())
  const { data: users = [], isFetching } = useOfferedUsers(search, search !== '')
  const isCurrent = search === text.trim() && !isFetching
  const choose = (id: string): void => {
    setText('')
    onChange(id)
  }
  return (
    <>
      <div className="w-full md:w-80">
        <Combobox
          text={text}
          options={search === '' ? [] : users.map(optionOf)}
          status={search !== '' && isCurrent && users.length === 0 ? 'No user found' : null}
          isBusy={isFetching}
          listLabel="Users"
          label="Find a user"
          placeholder="Name, email or ID of a user"
          isSearch
          icon={
            <Search
              className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-faint"
              aria-hidden="true"
            />
          }
          onType={setText}
          onChoose={choose}
          onEnter={() => users[0] && isCurrent && choose(users[0].id)}
        />
      </div>
      {value !== undefined && <UserChip id={value} onRemove={() => onChange(undefined)} />}
    </>
  )
}

export const UserChip = ({ id, onRemove }: { id: string; onRemove: () => void }) => {
  const { data } = useChosenUser(id)
  return <FilterChip label="User" value={data ? nameOf(data) : id} onRemove={onRemove} />
}
