import type { Credential } from '@carabiner/sdk'

/** The Registered User that accounts belong to. The organization's own accounts belong to a hidden user that lists omit. */
export type AccountOwner = {
  id: string
  /** Shown in the text that accompanies a link. */
  name: string
  email?: string | undefined
  isActive: boolean
  isOrganization: boolean
  /** Of the query that loads the accounts. */
  queryKey: readonly unknown[]
}

/** `name`: the account in titles and labels. */
export type AccountDialogProps = {
  account: Credential
  owner: AccountOwner
  name: string
  onClose: () => void
}
