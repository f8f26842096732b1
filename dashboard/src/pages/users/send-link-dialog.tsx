import type { LinkToken, LinkTokenRequest, RegisteredUser } from '@carabiner/sdk'
import { type FormEvent, useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useConnectors } from '../../api/use-connectors.ts'
import { LinkShare } from '../../linking/link-share.tsx'
import { nameOf } from '../../pickers/user-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

const ANY = ''

type Props = { user: RegisteredUser; onClose: () => void }

/** A magic link for one user: for one connector, or for a choice of the user. */
const SendLinkDialog = ({ user, onClose }: Props) => {
  const { data: connectors = [] } = useConnectors()
  const [slug, setSlug] = useState(ANY)
  const [link, setLink] = useState<LinkToken | null>(null)
  const mint = useApiMutation((api, body: LinkTokenRequest) => api.linkTokens.mint(user.id, body), {
    invalidates: [['users', 'link-sessions', user.id]],
    onSuccess: setLink,
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (!mint.isPending) mint.mutate(slug === ANY ? {} : { connector_slug: slug })
  }
  const name = nameOf(user)
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={`Send a link to ${name}`}
      description="The link opens a page where the user connects an account. It is valid for 30 minutes."
    >
      {link ? (
        <LinkShare
          link={link}
          name={name}
          email={user.email}
          connector={connectors.find(connector => connector.slug === slug)?.name}
        />
      ) : (
        <form className="grid gap-5" onSubmit={submit}>
          <Field label="Connector">
            <Select
              value={slug}
              onChange={setSlug}
              options={[
                { value: ANY, label: 'The user chooses' },
                ...connectors
                  .filter(({ methods }) => methods.length > 0)
                  .map(connector => ({ value: connector.slug, label: connector.name })),
              ]}
            />
          </Field>
          {mint.error && <ErrorNote error={mint.error} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" isBusy={mint.isPending}>
              Create the link
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  )
}

export default SendLinkDialog
