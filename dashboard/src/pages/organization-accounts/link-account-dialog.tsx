import type { Credential, LinkToken, LinkTokenRequest } from '@carabiner/sdk'
import { useEffect, useEffectEvent, useState } from 'react'
import { LinkShare } from '../../accounts/link-share.tsx'
import { fieldError } from '../../api/field-error.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useConnectors } from '../../api/use-connectors.ts'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogForm } from '../../ui/overlays/form-dialog.tsx'
import { toast } from '../../ui/overlays/toast.tsx'

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
  const submit = (): void =>
    mint.mutate({ connector_slug: slug, ...(label.trim() !== '' && { account_label: label.trim() }) })
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title="Link an organization account"
      description={
        link
          ? 'Open the link, or send it to someone who can sign in to the account. This page shows the account as soon as it is linked.'
          : 'You get a link for signing in to the account. Nobody can use the account until you share it.'
      }
    >
      {link ? (
        <LinkShare
          link={link}
          name={name}
          connector={connectors.find(connector => connector.slug === slug)?.name}
        />
      ) : (
        <DialogForm
          action="Create link"
          onClose={onClose}
          onSubmit={submit}
          isIncomplete={slug === ''}
          request={{ ...mint, error: labelProblem === undefined && mint.error }}
        >
          <SelectField
            label="Connector"
            value={slug}
            onChange={setChosen}
            options={linkable.map(connector => ({ value: connector.slug, label: connector.name }))}
          />
          <TextField
            label="Label (optional)"
            hint="The name tool calls use for the account, for example “Support”. Default: the account’s own name."
            error={labelProblem}
            maxLength={100}
            value={label}
            autoComplete="off"
            onChange={setLabel}
          />
        </DialogForm>
      )}
    </Dialog>
  )
}

const useCloseWhenLinked = (accounts: readonly Credential[], onClose: () => void): void => {
  const [known] = useState(() => new Set(accounts.map(stateOf)))
  const isLinked = accounts.some(account => account.status === 'active' && !known.has(stateOf(account)))
  const finish = useEffectEvent((): void => {
    onClose()
    toast({ title: 'Account linked', description: 'Use “Access” to choose who can use it.' })
  })
  useEffect(() => {
    if (isLinked) finish()
  }, [isLinked])
}

const stateOf = ({ credential_id, status }: Credential): string => `${credential_id} ${status}`

export default LinkAccountDialog
