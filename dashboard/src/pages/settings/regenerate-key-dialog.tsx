import type { ApiKey, NewApiKey } from '@carabiner/sdk'
import { RelativeTime } from '../../ui/data/relative-time.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { useApiKeyChange } from './use-api-keys.ts'

type Props = { apiKey: ApiKey; onClose: () => void; onCreated: (key: NewApiKey) => void }

/** States what breaks. The production key must be named, because an application stops working at once. */
export const RegenerateKeyDialog = ({ apiKey, onClose, onCreated }: Props) => {
  const regenerate = useApiKeyChange((api, id: string) => api.apiKeys.regenerate(id), onCreated)
  const isProduction = apiKey.mode === 'production'
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => regenerate.mutate(apiKey.id)}
      title={`Regenerate ${apiKey.name}?`}
      action="Regenerate key"
      {...(isProduction && { typedName: apiKey.name })}
      isBusy={regenerate.isPending}
      error={regenerate.error}
    >
      <p>
        {apiKey.last_used_at ? (
          <>
            Last used <RelativeTime at={apiKey.last_used_at} />. Requests with the key{' '}
            <code className="font-mono text-xs">{apiKey.hint}</code> fail as soon as you confirm
          </>
        ) : (
          <>
            Never used. The key <code className="font-mono text-xs">{apiKey.hint}</code>, created{' '}
            <RelativeTime at={apiKey.created_at} />, stops working as soon as you confirm
          </>
        )}
        , and its open streams are closed.
      </p>
      <p className="mt-2">
        {isProduction
          ? 'Every request of your application fails until it uses the new key. Registered Users and their connected accounts are kept.'
          : 'Programs that use this test key fail until they use the new one.'}
      </p>
    </ConfirmDialog>
  )
}
