import type { LinkToken, LinkTokenRequest, RegisteredUser, ToolPack } from '@carabiner/sdk'
import { useState } from 'react'
import { LinkShare } from '../../accounts/link-share.tsx'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useConnectors, useLinkableConnectors } from '../../api/use-connectors.ts'
import { useAddToPack } from '../../api/use-tool-packs.ts'
import { PackField, useChosenPack } from '../../pickers/pack-field.tsx'
import { nameOf, UserField, useChosenUser } from '../../pickers/user-field.tsx'
import { useMay } from '../../shell/use-session.ts'
import { SelectField } from '../../ui/forms/select-field.tsx'
import { TextField } from '../../ui/forms/text-field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { DialogForm } from '../../ui/overlays/form-dialog.tsx'

const ANY = ''

type Props = {
  /** Undefined: chosen in the dialog. */
  user?: RegisteredUser
  onClose: () => void
}

/** A magic link for one user: for one connector, or for a choice of the user. */
const CreateLinkDialog = ({ user: givenUser, onClose }: Props) => {
  const [userId, setUserId] = useState<string>()
  const { data: chosenUser } = useChosenUser(userId)
  const user = givenUser ?? chosenUser ?? undefined
  const mayBuild = useMay('build')
  const [packId, setPackId] = useState<string | undefined>()
  const [slug, setSlug] = useState(ANY)
  const [label, setLabel] = useState('')
  const [link, setLink] = useState<LinkToken | null>(null)
  const pack = useChosenPack(packId)
  const { inPack, others } = useOffered(pack, mayBuild)
  const added = others.find(each => each.slug === slug)
  const connector = added ?? inPack.find(each => each.slug === slug)
  const add = useAddToPack()
  const mint = useApiMutation(
    (api, { userId: id, ...body }: LinkTokenRequest & { userId: string }) => api.linkTokens.mint(id, body),
    { invalidates: [['users', 'link-sessions']], onSuccess: setLink },
  )
  const submit = (): void => {
    if (!pack || !user) return
    const body = {
      userId: user.id,
      tool_pack_id: pack.id,
      ...(connector && { connector: connector.slug }),
      ...(label.trim() !== '' && { account_label: label.trim() }),
    }
    if (added) add.mutate({ packId: pack.id, slug: added.slug }, { onSuccess: () => mint.mutate(body) })
    else mint.mutate(body)
  }
  return (
    <Dialog
      isOpen
      onClose={onClose}
      title={user ? `Create a link for ${nameOf(user)}` : 'Create a link'}
      description="The link opens a page where the user connects an account. It expires in 30 minutes or once used."
    >
      {link && user ? (
        <LinkShare link={link} name={nameOf(user)} email={user.email} connector={connector?.name} />
      ) : (
        <DialogForm
          action={added ? 'Add to pack and create link' : 'Create link'}
          onClose={onClose}
          onSubmit={submit}
          isIncomplete={!pack || !user}
          request={{ isPending: add.isPending || mint.isPending, error: add.error ?? mint.error }}
        >
          {!givenUser && <UserField value={userId} onChange={setUserId} />}
          <PackField
            value={pack?.id}
            onChange={id => {
              setPackId(id)
              setSlug(ANY)
            }}
          />
          <SelectField
            label="Connector"
            hint={
              added &&
              pack &&
              `${added.name} is not in ${pack.name} yet. Creating the link adds it with all tools, for all users of the pack.`
            }
            value={slug}
            onChange={setSlug}
            options={[
              { value: ANY, label: 'The user chooses' },
              ...inPack.map(each => ({ value: each.slug, label: each.name })),
              ...others.map(each => ({ value: each.slug, label: each.name, hint: 'Not in this pack yet' })),
            ]}
          />
          <TextField
            label="Account label (optional)"
            hint="Useful if the user connects several accounts, for example “Work”."
            maxLength={100}
            value={label}
            onChange={setLabel}
            autoComplete="off"
          />
        </DialogForm>
      )}
    </Dialog>
  )
}

/** What can be linked now, and what could be after adding it to the pack. */
const useOffered = (pack: ToolPack | undefined, mayAdd: boolean) => {
  const { data: inPack = [] } = useLinkableConnectors(pack?.id)
  const { data: all = [] } = useConnectors()
  const known = new Set(inPack.map(({ slug }) => slug))
  const isWhole = !pack || pack.connectors === null
  const others = all.filter(({ slug, needs_account: needsAccount }) => needsAccount && !known.has(slug))
  return { inPack, others: mayAdd && !isWhole ? others : [] }
}

export default CreateLinkDialog
