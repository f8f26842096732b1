/** The Registered User that accounts belong to. Those of the organization belong to one that lists do not show. */
export type AccountOwner = {
  id: string
  /** For links to pass on. */
  name: string
  email?: string | undefined
  isActive: boolean
  isOrganization: boolean
  /** Of the query that loads the accounts. */
  queryKey: readonly unknown[]
}
