import type { ApiKey } from '@carabiner/sdk'
import { Ellipsis } from 'lucide-react'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Menu, MenuItem, MenuSeparator } from '../../../ui/overlays/menu.tsx'
import type { KeyAction } from './key-dialogs.tsx'
import { keyState } from './key-rows.ts'

type Props = { apiKey: ApiKey; isLast: boolean; onAction: (dialog: KeyAction) => void }

/** What can be done with a key depends on its state: a rolled key is ended, an expired one is removed from the list. */
export const KeyActions = ({ apiKey: key, isLast, onAction }: Props) => {
  const state = keyState(key, Date.now())
  if (state === 'rolled')
    return (
      <Button
        size="sm"
        kind="quiet-danger"
        onClick={() => onAction({ action: 'end', key })}
        aria-label={`End now: old key of ${key.name}`}
      >
        End now
      </Button>
    )
  if (state === 'expired')
    return (
      <Button
        size="sm"
        kind="quiet-danger"
        onClick={() => onAction({ action: 'revoke', key })}
        aria-label={`Remove ${key.name}`}
      >
        Remove
      </Button>
    )
  return (
    <span className="inline-flex items-center gap-1">
      <Button size="sm" onClick={() => onAction({ action: 'roll', key })} aria-label={`Roll ${key.name}`}>
        Roll
      </Button>
      <Menu
        trigger={
          <IconButton
            label={`More actions for ${key.name}`}
            icon={<Ellipsis className="size-4.5" aria-hidden="true" />}
            className="-my-1.5"
          />
        }
      >
        <MenuItem onSelect={() => onAction({ action: 'regenerate', key })}>Regenerate</MenuItem>
        {!isLast && (
          <>
            <MenuSeparator />
            <MenuItem isDanger onSelect={() => onAction({ action: 'revoke', key })}>
              Revoke
            </MenuItem>
          </>
        )}
      </Menu>
    </span>
  )
}
