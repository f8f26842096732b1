import type { ApiKey, NewApiKey } from '@carabiner/sdk'
import { useState } from 'react'
import { RelativeTime } from '../../../ui/data/relative-time.tsx'
import { SelectField } from '../../../ui/forms/select-field.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { FormDialog } from '../../../ui/overlays/form-dialog.tsx'
import { useApiKeyChange } from './use-api-keys.ts'

type Props = { apiKey: ApiKey; onClose: () => void; onCreated: (key: NewApiKey) => void }

const OVERLAPS = [
  { value: '15', label: '15 minutes' },
  { value: '60', label: '1 hour' },
  { value: '360', label: '6 hours' },
  { value: '1440', label: '24 hours' },
] as const
type Overlap = (typeof OVERLAPS)[number]['value']

export const RollKeyDialog = ({ apiKey, onClose, onCreated }: Props) => {
  const [overlap, setOverlap] = useState<Overlap>('60')
  const roll = useApiKeyChange(
    (api, id: string) => api.apiKeys.roll(id, { overlap_minutes: Number(overlap) }),
    onCreated,
  )
  return (
    <FormDialog
      title={`Roll ${apiKey.name}?`}
      description={
        <>
          You get a new key with the same access{apiKey.expires_at !== null && ' and lifetime'}. The key{' '}
          <code className="font-mono text-xs">{apiKey.hint}</code> keeps working until the overlap ends, so
          you can deploy the new one without downtime.
        </>
      }
      action="Roll key"
      onClose={onClose}
      onSubmit={() => roll.mutate(apiKey.id)}
      request={roll}
    >
      <SelectField
        label="Old key works for"
        hint="You can end it earlier at any time."
        value={overlap}
        onChange={setOverlap}
        options={OVERLAPS}
      />
    </FormDialog>
  )
}

/** States what breaks. A production key must be named, because a program stops working at once. */
export const RegenerateKeyDialog = ({ apiKey, onClose, onCreated }: Props) => {
  const regenerate = useApiKeyChange((api, id: string) => api.apiKeys.regenerate(id), onCreated)
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      onConfirm={() => regenerate.mutate(apiKey.id)}
      title={`Regenerate ${apiKey.name}?`}
      action="Regenerate key"
      {...(apiKey.mode === 'production' && { typedName: apiKey.name })}
      request={regenerate}
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
        , and its open streams are closed. Old keys that it replaced stop working too.
      </p>
      <p className="mt-2">
        Programs that use this key fail until they use the new one. To avoid an interruption, roll the key
        instead.
      </p>
    </ConfirmDialog>
  )
}
