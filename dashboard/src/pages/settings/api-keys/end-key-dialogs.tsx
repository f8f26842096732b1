import type { ApiKey } from '@carabiner/sdk'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { toast } from '../../../ui/overlays/toast.tsx'
import { keyState } from './key-rows.ts'
import { useApiKeyChange } from './use-api-keys.ts'

type Props = { apiKey: ApiKey; onClose: () => void }

export const RevokeKeyDialog = ({ apiKey, onClose }: Props) => {
  const isExpired = keyState(apiKey, Date.now()) === 'expired'
  const revoke = useApiKeyChange(
    (api, id: string) => api.apiKeys.revoke(id),
    () => {
      onClose()
      toast({ title: isExpired ? `${apiKey.name} removed` : `${apiKey.name} revoked` })
    },
  )
  const confirm = { isOpen: true, onClose, onConfirm: () => revoke.mutate(apiKey.id), request: revoke }
  if (isExpired)
    return (
      <ConfirmDialog {...confirm} title={`Remove ${apiKey.name}?`} action="Remove key">
        The key has expired. This only removes it from the list.
      </ConfirmDialog>
    )
  return (
    <ConfirmDialog
      {...confirm}
      title={`Revoke ${apiKey.name}?`}
      action="Revoke key"
      {...(apiKey.mode === 'production' && { typedName: apiKey.name })}
    >
      Programs that use this key fail immediately, and there is no replacement.{' '}
      <LastUseNote apiKey={apiKey} /> Your data is kept.
    </ConfirmDialog>
  )
}

/** Ends the overlap of a rolled key. */
export const EndKeyDialog = ({ apiKey, onClose }: Props) => {
  const end = useApiKeyChange(
    (api, id: string) => api.apiKeys.end(id),
    () => {
      onClose()
      toast({ title: `The old ${apiKey.name} key no longer works` })
    },
  )
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => end.mutate(apiKey.id)}
      title="End the old key now?"
      action="End old key"
      request={end}
    >
      Requests with <code className="font-mono text-xs">{apiKey.hint}</code> fail immediately.{' '}
      <LastUseNote apiKey={apiKey} /> The new {apiKey.name} key keeps working.
    </ConfirmDialog>
  )
}

const LastUseNote = ({ apiKey: { last_used_at } }: { apiKey: ApiKey }) =>
  last_used_at === null ? (
    'It was never used.'
  ) : (
    <>
      It was last used <RelativeTime at={last_used_at} />.
    </>
  )
