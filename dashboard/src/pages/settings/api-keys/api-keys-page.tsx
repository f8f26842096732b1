import { getRouteApi } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { useScope } from '../../../api/use-api.ts'
import { useMay } from '../../../shell/use-session.ts'
import { AddButton } from '../../../ui/add-button.tsx'
import { Card } from '../../../ui/card.tsx'
import { NotLoaded } from '../../../ui/states/not-loaded.tsx'
import { SettingsPage } from '../settings-page.tsx'
import type { KeyAction } from './key-dialogs.tsx'
import { KeyTable } from './key-table.tsx'
import { useApiKeys } from './use-api-keys.ts'

const route = getRouteApi('/o/$organization/$mode/settings/api-keys')
const KeyDialogs = lazy(() => import('./key-dialogs.tsx'))

const ApiKeysPage = () => {
  const { mode } = useScope()
  const mayManage = useMay('manage')
  const { data, error, refetch } = useApiKeys()
  const isAsked = route.useSearch().new === 'key'
  const navigate = route.useNavigate()
  const [chosen, setChosen] = useState<KeyAction | null>(null)
  const dialog = chosen ?? (isAsked && mayManage ? { action: 'create' as const, mode } : null)
  const close = (): void => {
    setChosen(null)
    if (isAsked) void navigate({ search: {}, replace: true })
  }
  return (
    <SettingsPage
      title="API keys"
      note="Your backend sends a key with every request. Keep keys on your server, never in a browser or an app."
      actions={
        mayManage && (
          <AddButton onClick={() => setChosen({ action: 'create', mode })}>Create {mode} key</AddButton>
        )
      }
    >
      <Card isFlush>
        {data ? (
          <KeyTable keys={data} mayManage={mayManage} onAction={setChosen} />
        ) : (
          <NotLoaded error={error} onRetry={refetch} label="Loading keys" rows={3} />
        )}
      </Card>
      <Suspense>{dialog && <KeyDialogs dialog={dialog} onClose={close} onChange={setChosen} />}</Suspense>
    </SettingsPage>
  )
}

export default ApiKeysPage
