import { getRouteApi } from '@tanstack/react-router'
import { Search } from 'lucide-react'
import { useEffect, useEffectEvent, useState } from 'react'
import { useConnectors, useFoundTools } from '../../api/use-connectors.ts'
import { optionOf, useOfferedUsers } from '../../pickers/user-field.tsx'
import { Combobox, type ComboboxOption } from '../../ui/forms/combobox.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { recognizeId } from './call-filter.ts'
import { findErrors } from './error-words.ts'

const route = getRouteApi('/o/$organization/$mode/logs')

/** Suggestions of one kind. More are found by typing more. */
const MAX_OF_KIND = 5

/** One field for everything that calls can be found by. A suggestion becomes a filter. */
export const CallSearch = () => {
  const navigate = route.useNavigate()
  const [text, setText] = useState('')
  const [isEntered, setEntered] = useState(false)
  const { options, isFetching } = useSuggestions(text.trim())
  const apply = (id: string): void => {
    const at = id.indexOf(':')
    setText('')
    setEntered(false)
    void navigate({ search: previous => ({ ...previous, [id.slice(0, at)]: id.slice(at + 1) }) })
  }
  // Enter takes the first suggestion, as soon as all have been loaded.
  const applyFirst = useEffectEvent(() => {
    const [first] = options
    if (first) apply(first.id)
    setEntered(false)
  })
  useEffect(() => {
    if (isEntered && !isFetching) applyFirst()
  }, [isEntered, isFetching])
  return (
    <div className="w-full md:w-80">
      <Combobox
        text={text}
        options={text.trim() === '' ? [] : options}
        status={null}
        isBusy={isFetching}
        listLabel="Filters"
        label="Find calls"
        placeholder="User, tool, error, account or ID"
        isSearch
        icon={
          <Search
            className="pointer-events-none absolute start-3 top-1/2 size-4 -translate-y-1/2 text-faint"
            aria-hidden="true"
          />
        }
        onType={typed => {
          setText(typed)
          setEntered(false)
        }}
        onChoose={apply}
        onEnter={typed => setEntered(typed.trim() !== '')}
      />
    </div>
  )
}

const useSuggestions = (text: string): { options: ComboboxOption[]; isFetching: boolean } => {
  const delayed = useDelayed(text)
  const users = useOfferedUsers(delayed, delayed !== '')
  const tools = useFoundTools(delayed)
  const { data: connectors = [] } = useConnectors()
  const id = recognizeId(text)
  if (id) return { options: [{ id: `${id.filter}:${text}`, label: text, kind: id.label }], isFetching: false }
  const word = text.toLowerCase()
  const found = tools.data?.data.flatMap(({ connector_slug, tools: each }) =>
    each.map(({ name }) => `${connector_slug}__${name}`),
  )
  const isFetching = text !== delayed || users.isFetching || tools.isFetching
  const options = [
    ...(users.data ?? []).slice(0, MAX_OF_KIND).map(user => ({
      ...optionOf(user),
      id: `user:${user.id}`,
      kind: 'User',
    })),
    ...(found ?? []).slice(0, MAX_OF_KIND).map(name => ({ id: `tool:${name}`, label: name, kind: 'Tool' })),
    ...connectors
      .filter(({ slug, name }) => `${slug} ${name}`.toLowerCase().includes(word))
      .slice(0, MAX_OF_KIND)
      .map(({ slug, name }) => ({ id: `connector:${slug}`, label: name, kind: 'Connector' })),
    ...findErrors(word)
      .slice(0, MAX_OF_KIND)
      .map(({ code, words }) => ({ id: `error:${code}`, label: code, detail: words, kind: 'Error' })),
    // Also what is not known here, such as a tool that was removed. Not before the rest, or it would be chosen by mistake.
    ...(isFetching || found?.includes(text)
      ? []
      : [{ id: `tool:${text}`, label: `“${text}”`, kind: 'Tool' }]),
    ...(isFetching ? [] : [{ id: `account:${text}`, label: `“${text}”`, kind: 'Account' }]),
  ]
  return { options, isFetching }
}
