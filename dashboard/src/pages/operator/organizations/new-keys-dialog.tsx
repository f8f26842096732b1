import type { CreatedOrganization } from '@carabiner/contract'
import { SecretDialog, ShownOnce } from '../../../ui/overlays/secret-dialog.tsx'

const NewKeysDialog = ({ created, onClose }: { created: CreatedOrganization; onClose: () => void }) => (
  <SecretDialog
    title={`${created.name} created`}
    description="This is the only time its keys are shown. Send them over a secure channel, or create new ones later."
    confirmation="I have stored the keys"
    onClose={onClose}
  >
    <ShownOnce label="Production key" text={created.production_key} action="Copy production key" />
    <ShownOnce label="Test key" text={created.test_key} action="Copy test key" />
  </SecretDialog>
)

export default NewKeysDialog
