import type { Credential, LinkToken, LinkTokenRequest } from '@carabiner/sdk'
import { type FormEvent, useEffect, useState } from 'react'
import { fieldError } from '../../api/field-error.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useConnectors } from '../../api/use-connectors.ts'
import { LinkShare } from '../../linking/link-share.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/forms/field.tsx'
import { Input } from '../../ui/forms/input.tsx'
import { Select } from '../../ui/forms/select.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogActions } from '../../ui/overlays/dialog-actions.tsx'
import { toast } from '../../ui/overlays/toast.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'

type Props = {
  /** The current accounts. The dialog closes when a new one appears. */
  accounts: readonly Credential[]
  /** Of the organization. */
  name: string
  onClose: () => void
}

const LinkAccountDialog = ({ accounts, name, onClose }: Props) => {
  const { data: connectors = [] } = useConnectors()
  const linkable = connectors.filter(({ methods }) => methods.length > 0)
  const [chosen, setChosen] = useState<string | undefined>()
  const slug = chosen ?? linkable[0]?.slug ?? ''
  const [label, setLabel] = useState('')
  const [link, setLink] = useState<LinkToken | null>(null)
  const mint = useApiMutation((api, body: LinkTokenRequest) => api.organizationAccounts.linkToken(body), {
    onSuccess: setLink,
  })
  useCloseWhenLinked(accounts, onClose)
  const labelProblem = fieldError(mint.error, 'account_label')
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (mint.isPending) return
    mint.mutate({ connector_slug: slug, ...(label.trim() !== '' && { account_label: label.trim() }) })
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Link an account of the organization"
      description={
        link
          ? 'Open the link, or send it to the person who can sign in. This page shows the account as soon as it is linked.'
          : 'You get a link to sign in with the account. Nobody may use the account before you share it.'
      }
    >
      {link ? (
        <LinkShare
          link={link}
          name={name}
          connector={connectors.find(connector => connector.slug === slug)?.name}
        />
      ) : (
        <form className="grid gap-5" onSubmit={submit}>
          <Field label="Connector">
            <Select
              value={slug}
              onChange={setChosen}
              options={linkable.map(connector => ({ value: connector.slug, label: connector.name }))}
            />
          </Field>
          <Field
            label="Label (optional)"
            hint="How tool calls name the account, for example “Support”. Default: the name of the account."
            error={labelProblem}
          >
            <Input
              maxLength={100}
              value={label}
              autoComplete="off"
              onChange={event => setLabel(event.target.value)}
            />
          </Field>
          {mint.error && labelProblem === undefined && <ErrorNote error={mint.error} />}
          <DialogActions>
            <Button onClick={onClose}>Cancel</Button>
            <Button type="submit" kind="primary" isBusy={mint.isPending} disabled={slug === ''}>
              Create the link
            </Button>
          </DialogActions>
        </form>
      )}
    </Dialog>
  )
}

const useCloseWhenLinked = (accounts: readonly Credential[], onClose: () => void): void => {
  const [known] = useState(() => new Set(accounts.map(stateOf)))
  const isLinked = accounts.some(account => account.status === 'active' && !known.has(stateOf(account)))
  // biome-ignore lint/correctness/useExhaustiveDependencies: only once, when the account has appeared.
  useEffect(() => {
    if (!isLinked) return
    onClose()
    toast({ title: 'Account linked', description: 'Choose who may use it: Access.' })
  }, [isLinked])
}

const stateOf = ({ credential_id, status }: Credential): string => `${credential_id} ${status}`

export default LinkAccountDialog
