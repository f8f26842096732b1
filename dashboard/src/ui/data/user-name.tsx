import type { RegisteredUser } from '@carabiner/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { useApiQuery } from '../../api/use-api-query.ts'

type Props = { id: string }

/** Rows that only pass by while the list is scrolled do not load a name. */
const SETTLED_MS = 200
/** Names start to load one after the other, because the requests of a whole screen at once would block the page. */
const START_EVERY_MS = 25
/** Rows that need a name, oldest first, with the time from which they may load it. */
const waiting = new Map<() => void, number>()
let timer: ReturnType<typeof setTimeout> | undefined

const startNext = (): void => {
  timer = undefined
  const [next] = waiting
  if (!next) return
  const [start, from] = next
  const delay = from - performance.now()
  if (delay <= 0) {
    waiting.delete(start)
    start()
  }
  timer = setTimeout(startNext, Math.max(delay, START_EVERY_MS))
}

const useTurn = (isNeeded: boolean): boolean => {
  const [isTurn, setTurn] = useState(false)
  useEffect(() => {
    if (!isNeeded) return
    const start = () => setTurn(true)
    waiting.set(start, performance.now() + SETTLED_MS)
    timer ??= setTimeout(startNext, SETTLED_MS)
    return () => void waiting.delete(start)
  }, [isNeeded])
  return isTurn
}

const keyOf = (id: string) => ['users', 'one', id] as const

const useKnownUser = (id: string): RegisteredUser | undefined => {
  const { scopeKey } = useApi()
  return useQueryClient().getQueryData<RegisteredUser>([...scopeKey, ...keyOf(id)])
}

/** The name of a Registered User, or the beginning of its ID until the name is known. */
export const UserName = ({ id }: Props) => {
  const known = useKnownUser(id)
  const isTurn = useTurn(known === undefined && id !== '')
  return isTurn ? <LoadedUserName id={id} /> : <UserLabel id={id} user={known} />
}

/** The name if it was loaded before, otherwise the beginning of the ID. */
export const KnownUserName = ({ id }: Props) => <UserLabel id={id} user={useKnownUser(id)} />

const LoadedUserName = ({ id }: Props) => {
  const { data } = useApiQuery(keyOf(id), (api, options) => api.registeredUsers.get(id, options))
  return <UserLabel id={id} user={data} />
}

const UserLabel = ({ id, user }: { id: string; user: RegisteredUser | undefined }) =>
  user ? (
    <span>{user.origin_user_name ?? user.origin_user_id}</span>
  ) : (
    <code className="font-mono text-xs text-muted">{id.slice(0, 8)}</code>
  )
