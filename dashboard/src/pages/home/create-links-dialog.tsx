import type { Client, LinkTokenRequest } from '@carabiner/sdk'
import { useEffect, useRef, useState } from 'react'
import { useApi } from '../../api/use-api.ts'
import { type ApiQuery, useApiQuery } from '../../api/use-api-query.ts'
import { Button } from '../../ui/button.tsx'
import { download, toCsv } from '../../ui/data/download.ts'
import { ProgressBar } from '../../ui/data/progress-bar.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'

/** A user, and what their link is for. */
type Recipient = { userId: string; request: LinkTokenRequest }
type Props = {
  title: string
  queryKey: readonly unknown[]
  load: ApiQuery<{ recipients: readonly Recipient[]; hasMore: boolean }>['load']
  onClose: () => void
}
type CreatedLink = {
  id: string
  originId: string
  email: string
  url: string
  expiresAt: string
  error: string
}

/** Creates a link for each user of a group, one after the other, and saves them as CSV. */
const CreateLinksDialog = ({ title, queryKey, load, onClose }: Props) => {
  const { api } = useApi()
  const [links, setLinks] = useState<CreatedLink[]>([])
  const [isRunning, setRunning] = useState(false)
  const isStopped = useRef(false)
  useEffect(() => () => void (isStopped.current = true), [])
  const { data, error } = useApiQuery(queryKey, load)
  const users = data?.recipients ?? []
  const run = async (): Promise<void> => {
    setRunning(true)
    const created: CreatedLink[] = []
    for (const user of users) {
      if (isStopped.current) return
      created.push(await createLink(api, user))
      setLinks([...created])
    }
    setRunning(false)
    save(created)
  }
  const isDone = links.length > 0 && links.length === users.length
  const failed = links.filter(link => link.error !== '').length
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={title}
      description="Each user gets a separate link that works for 30 minutes. You download the links as a CSV file and send them yourself."
      actions={
        <>
          <Button onClick={onClose}>{isDone ? 'Close' : 'Cancel'}</Button>
          {isDone ? (
            <Button kind="primary" onClick={() => save(links)}>
              Save CSV again
            </Button>
          ) : (
            <Button
              kind="primary"
              isBusy={isRunning}
              disabled={users.length === 0}
              onClick={() => void run()}
            >
              Create {users.length.toLocaleString()} {users.length === 1 ? 'link' : 'links'}
            </Button>
          )}
        </>
      }
    >
      {error ? (
        <ErrorNote error={error} />
      ) : !data ? (
        <SkeletonRows label="Loading the users" rows={2} isInCard={false} />
      ) : (
        <div className="grid gap-2" aria-live="polite">
          {(isRunning || isDone) && (
            <ProgressBar
              label={isDone ? 'All links created' : 'Creating links'}
              value={links.length}
              max={users.length}
            />
          )}
          {failed > 0 && (
            <p className="text-sm text-bad">
              {failed.toLocaleString()} could not be created. The CSV file says why.
            </p>
          )}
          {data.hasMore && (
            <p className="text-sm text-muted">
              More than 1,000 users are affected. These are the ones with the latest calls.
            </p>
          )}
        </div>
      )}
    </Dialog>
  )
}

const createLink = async (api: Client, { userId: id, request }: Recipient): Promise<CreatedLink> => {
  const link: CreatedLink = { id, originId: '', email: '', url: '', expiresAt: '', error: '' }
  try {
    const user = await api.registeredUsers.get(id)
    // The organization’s own accounts belong to a user without an ID of the application.
    link.originId = user.origin_user_id || 'Organization account'
    link.email = user.email ?? ''
    const minted = await api.linkTokens.mint(id, request)
    return { ...link, url: minted.magic_link_url, expiresAt: minted.expires_at }
  } catch (failure) {
    return { ...link, error: failure instanceof Error ? failure.message : String(failure) }
  }
}

const save = (links: readonly CreatedLink[]): void =>
  download(
    'links.csv',
    'text/csv',
    toCsv([
      ['registered_user_id', 'origin_user_id', 'email', 'magic_link_url', 'expires_at', 'error'],
      ...links.map(link => [link.id, link.originId, link.email, link.url, link.expiresAt, link.error]),
    ]),
  )

export default CreateLinksDialog
