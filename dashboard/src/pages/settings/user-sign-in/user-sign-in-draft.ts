import type { SignIn, SignInWrite } from '@carabiner/sdk'

/** The fields that may be kept as a draft. */
export type KeptFields = {
  place: 'provider' | 'application'
  issuer: string
  clientId: string
  isPublicClient: boolean
  scopes: string
  userClaim: string
  trustsEmail: boolean
  createsUsers: boolean
  acceptsAssertions: boolean
  signInUrl: string
  /** Null: all packs. */
  toolPackIds: string[] | null
}

/** The client secret is not kept. Empty: the stored one, or none. */
export type Draft = KeptFields & { clientSecret: string }

export const draftOf = (saved: SignIn): KeptFields => {
  const provider = saved.identity_provider
  return {
    place: saved.sign_in_url === null ? 'provider' : 'application',
    issuer: provider?.issuer ?? '',
    clientId: provider?.client_id ?? '',
    isPublicClient: provider !== null && !provider.has_client_secret,
    scopes: (provider?.scopes ?? ['profile', 'email']).join(' '),
    userClaim: provider?.user_claim ?? 'sub',
    trustsEmail: provider?.trust_email ?? false,
    createsUsers: saved.create_users,
    acceptsAssertions: provider?.accept_assertions ?? false,
    signInUrl: saved.sign_in_url ?? '',
    toolPackIds: saved.tool_pack_ids,
  }
}

/** A secret is stored for exactly this client, so it need not be entered again. */
export const keepsSecret = (saved: SignIn, { issuer, clientId }: Draft): boolean => {
  const provider = saved.identity_provider
  return (
    provider?.has_client_secret === true &&
    provider.issuer === issuer.trim() &&
    provider.client_id === clientId.trim()
  )
}

export const bodyOf = (draft: Draft): SignInWrite => {
  const packs = draft.toolPackIds && { tool_pack_ids: draft.toolPackIds }
  if (draft.place === 'application') return { sign_in_url: draft.signInUrl.trim(), ...packs }
  return {
    identity_provider: {
      issuer: draft.issuer.trim(),
      client_id: draft.clientId.trim(),
      ...(draft.isPublicClient
        ? { client_secret: null }
        : draft.clientSecret !== '' && { client_secret: draft.clientSecret }),
      scopes: draft.scopes.split(/[\s,]+/).filter(Boolean),
      user_claim: draft.userClaim.trim(),
      trust_email: draft.trustsEmail,
      accept_assertions: draft.acceptsAssertions,
    },
    create_users: draft.createsUsers,
    ...packs,
  }
}

export const isComplete = (saved: SignIn, draft: Draft): boolean => {
  if (draft.toolPackIds?.length === 0) return false
  if (draft.place === 'application') return draft.signInUrl.trim() !== ''
  const hasSecret = draft.isPublicClient || draft.clientSecret !== '' || keepsSecret(saved, draft)
  const isFilled = [draft.issuer, draft.clientId, draft.userClaim].every(value => value.trim() !== '')
  return isFilled && hasSecret
}
