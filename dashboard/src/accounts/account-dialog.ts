import type { Credential } from '@carabiner/sdk'
import type { AccountOwner } from './account-owner.ts'

/** `name`: the account in titles and labels. */
export type AccountDialogProps = {
  account: Credential
  owner: AccountOwner
  name: string
  onClose: () => void
}
