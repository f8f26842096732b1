import type { RegisteredUser } from '@carabiner/sdk'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { loadUser } from '../../api/load-user.ts'
import { useApi } from '../../api/use-api.ts'
import { useApiQuery } from '../../api/use-api-query.ts'

type Props = { id: string }

/** Rows that only pass by while the list is scrolled do not load a name. */
const SETTLED_MS = 200

const useSettled = (isNeeded: boolean): boolean => {
  const [isSettled, setSettled] = useState(false)
  useEffect(() => {
    if (!isNeeded) return
    const timer = setTimeout(() => setSettled(true), SETTLED_MS)
    return () => clearTimeout(timer)
  }, [isNeeded])
  return isSettled
}

const keyOf = (id: string) => ['users', 'one', id] as const

const useKnownUser = (id: string): RegisteredUser | undefined => {
  const { scopeKey } = useApi()
  return useQueryClient().getQueryData<RegisteredUser>([...scopeKey, ...keyOf(id)])
}

/** The name of a Registered User, or the beginning of its ID until the name is known. */
export const UserName = ({ id }: Props) => {
  const known = useKnownUser(id)
  const isSettled = useSettled(known === undefined && id !== '')
  return isSettled ? <LoadedUserName id={id} /> : <UserLabel id={id} user={known} />
}

/** The name if it was loaded before, otherwise the beginning of the ID. */
export const KnownUserName = ({ id }: Props) => <UserLabel id={id} user={useKnownUser(id)} />

const LoadedUserName = ({ id }: Props) => {
  const { data } = useApiQuery(keyOf(id), api => loadUser(api, id))
  return <UserLabel id={id} user={data} />
}

const UserLabel = ({ id, user }: { id: string; user: RegisteredUser | undefined }) =>
  user ? (
    <span title={id}>{user.origin_user_name ?? user.origin_user_id}</span>
  ) : (
    <code title={id} className="font-mono text-xs text-muted">
      {id.slice(0, 8)}
    </code>
  )
