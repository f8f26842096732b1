import { callDashboard } from './call-dashboard.ts'

/** The person's own account. better-auth defines the paths below `/auth`. */

export type SignedInSession = {
  id: string
  address: string | null
  user_agent: string | null
  created_at: string
  used_at: string
  is_current: boolean
}

export const fetchSessions = async (): Promise<SignedInSession[]> =>
  (await callDashboard<{ data: SignedInSession[] }>('GET', '/sessions')).data
export const endSession = (id: string): Promise<void> => callDashboard('DELETE', `/sessions/${id}`)
export const endOtherSessions = (): Promise<void> => callDashboard('DELETE', '/sessions')

export type Identity = { id: string; subject: string; created_at: string }

/** Accounts at the identity provider. */
export const fetchIdentities = async (): Promise<Identity[]> =>
  (await callDashboard<{ data: Identity[] }>('GET', '/identities')).data
export const removeIdentity = (id: string): Promise<void> => callDashboard('DELETE', `/identities/${id}`)

export const respondToInvitation = (organizationId: string, verb: 'accept' | 'decline'): Promise<void> =>
  callDashboard('POST', `/invitations/${organizationId}/${verb}`)

export const setName = (name: string): Promise<void> => callDashboard('POST', '/auth/update-user', { name })

export type NewSecondFactor = { totpURI: string; backupCodes: string[] }

/** Takes effect once `verifySecondFactor` has accepted a code. */
export const startSecondFactor = (password: string): Promise<NewSecondFactor> =>
  callDashboard('POST', '/auth/two-factor/enable', { password })
export const endSecondFactor = (password: string): Promise<void> =>
  callDashboard('POST', '/auth/two-factor/disable', { password })
export const createBackupCodes = async (password: string): Promise<string[]> =>
  (
    await callDashboard<{ backupCodes: string[] }>('POST', '/auth/two-factor/generate-backup-codes', {
      password,
    })
  ).backupCodes

export type Passkey = { id: string; name?: string | null; createdAt: string }

export const fetchPasskeys = (): Promise<Passkey[]> =>
  callDashboard('GET', '/auth/passkey/list-user-passkeys')
export const deletePasskey = (id: string): Promise<void> =>
  callDashboard('POST', '/auth/passkey/delete-passkey', { id })

export const canCreatePasskeys = (): boolean =>
  typeof PublicKeyCredential === 'function' && 'parseCreationOptionsFromJSON' in PublicKeyCredential

export const createPasskey = async (name: string): Promise<void> => {
  const options = await callDashboard<PublicKeyCredentialCreationOptionsJSON>(
    'GET',
    `/auth/passkey/generate-register-options?${new URLSearchParams({ name }).toString()}`,
  )
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options)
  const credential = await navigator.credentials.create({ publicKey })
  await callDashboard('POST', '/auth/passkey/verify-registration', {
    response: (credential as PublicKeyCredential).toJSON() as object,
    name,
  })
}
