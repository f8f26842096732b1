import type { NewApiKey } from '@carabiner/sdk'
import { Snippet } from '../../../ui/data/snippet.tsx'
import { SecretDialog, ShownOnce } from '../../../ui/overlays/secret-dialog.tsx'

/** With a request to try the key, if it may make one that changes nothing. */
export const NewKeyDialog = ({ apiKey, onClose }: { apiKey: NewApiKey; onClose: () => void }) => (
  <SecretDialog
    title={`Copy your new key “${apiKey.name}”`}
    description="This is the only time it is shown. Store it where your backend reads its secrets."
    confirmation="I have stored the key"
    onClose={onClose}
  >
    <ShownOnce text={apiKey.key} action="Copy key" />
    {(apiKey.groups?.includes('read') ?? true) && (
      <div className="grid min-w-0 gap-2">
        <p className="text-sm text-muted">Try it in a terminal:</p>
        <Snippet
          label="Request with the new key"
          codes={[{ language: 'curl', text: requestWith(apiKey.key) }]}
        />
      </div>
    )}
  </SecretDialog>
)

const requestWith = (key: string): string =>
  `curl ${window.location.origin}/api/v1/organization \\
  -H "Authorization: Bearer ${key}"`
