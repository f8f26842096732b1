import type { ApiKey, NewApiKey } from '@carabiner/sdk'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { EndKeyDialog, RevokeKeyDialog } from './end-key-dialogs.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RegenerateKeyDialog, RollKeyDialog } from './replace-key-dialogs.tsx'

/** The open dialog. A new key is shown after it was created. */
export type KeyAction =
  | { action: 'create'; mode: ApiKey['mode'] }
  | { action: 'roll' | 'regenerate' | 'revoke' | 'end'; key: ApiKey }
  | { action: 'show'; key: NewApiKey }

type Props = { dialog: KeyAction; onClose: () => void; onChange: (dialog: KeyAction) => void }

const KeyDialogs = ({ dialog, onClose, onChange }: Props) => {
  const onCreated = (key: NewApiKey): void => onChange({ action: 'show', key })
  switch (dialog.action) {
    case 'create':
      return <CreateKeyDialog mode={dialog.mode} onClose={onClose} onCreated={onCreated} />
    case 'roll':
      return <RollKeyDialog apiKey={dialog.key} onClose={onClose} onCreated={onCreated} />
    case 'regenerate':
      return <RegenerateKeyDialog apiKey={dialog.key} onClose={onClose} onCreated={onCreated} />
    case 'revoke':
      return <RevokeKeyDialog apiKey={dialog.key} onClose={onClose} />
    case 'end':
      return <EndKeyDialog apiKey={dialog.key} onClose={onClose} />
    case 'show':
      return <NewKeyDialog apiKey={dialog.key} onClose={onClose} />
  }
}

export default KeyDialogs
