import type { ApiKey, NewApiKey } from '@carabiner/sdk'
import { CreateKeyDialog } from './create-key-dialog.tsx'
import { NewKeyDialog } from './new-key-dialog.tsx'
import { RegenerateKeyDialog } from './regenerate-key-dialog.tsx'
import { RevokeKeyDialog } from './revoke-key-dialog.tsx'

/** The open dialog. A new key is shown after it was created. */
export type Asked =
  | { action: 'create' }
  | { action: 'regenerate' | 'revoke'; key: ApiKey }
  | { action: 'show'; key: NewApiKey }

type Props = { asked: Asked; onClose: () => void; onChange: (asked: Asked) => void }

const KeyDialogs = ({ asked, onClose, onChange }: Props) => {
  const show = (key: NewApiKey): void => onChange({ action: 'show', key })
  switch (asked.action) {
    case 'create':
      return <CreateKeyDialog onClose={onClose} onCreated={show} />
    case 'regenerate':
      return <RegenerateKeyDialog apiKey={asked.key} onClose={onClose} onCreated={show} />
    case 'revoke':
      return <RevokeKeyDialog apiKey={asked.key} onClose={onClose} />
    case 'show':
      return <NewKeyDialog apiKey={asked.key} onClose={onClose} />
  }
}

export default KeyDialogs
