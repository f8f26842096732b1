import { TOKEN_ROUTING_LENGTH } from '@carabiner/contract'
import { HOUR } from '../../core/duration.ts'
import { isServed } from '../../core/organization-state.ts'
import { organizationHandle, readOrganizationHandle } from '../../core/token.ts'
import type { Queryable } from '../../platform/database/database.ts'
import type { Signer } from '../../platform/vault/vault.ts'
import { type Brand, brandOf } from './link-customization.ts'
import { linkCustomizationStore } from './link-customization-store.ts'

/** Long enough to share with a colleague; the link shows only sample pages. */
export const PREVIEW_TTL_MS = HOUR

const PURPOSE = 'link-preview'

/** The organization whose pages are shown, with its draft or its current settings. */
export type Preview = { organizationId: string; draft: boolean }

/** The token has the form `organization.version.expiry.signature`. The organization starts with its routing code. */
export const previewToken = (
  signer: Signer,
  { organizationId, draft }: Preview,
  expiresAt: number,
): string => {
  const signed = `${organizationHandle(organizationId)}.${draft ? 'draft' : 'live'}.${Math.floor(expiresAt / 1000).toString(36)}`
  return `${signed}.${signer.sign(PURPOSE, signed).toString('base64url')}`
}

export const readPreviewToken = (signer: Signer, token: string, now: number): Preview | null => {
  const [handle = '', version = '', expiry = '', signature = '', ...rest] = token.split('.')
  const bytes = Buffer.from(signature, 'base64url')
  // Decoders ignore invalid characters; only the canonical spelling is accepted.
  if (rest.length > 0 || bytes.toString('base64url') !== signature) return null
  if (!signer.verify(PURPOSE, `${handle}.${version}.${expiry}`, bytes)) return null
  const organizationId = readOrganizationHandle(handle)
  if (organizationId === null || Number.parseInt(expiry, 36) * 1000 <= now) return null
  return { organizationId, draft: version === 'draft' }
}

/** The routing code of a token whose signature may be invalid. Null if it is malformed. */
export const routingCodeOfPreview = (token: string): string | null => {
  const [handle = ''] = token.split('.')
  return readOrganizationHandle(handle) && handle.slice(0, TOKEN_ROUTING_LENGTH)
}

/** For pages without a session. Returns null if the organization does not exist. */
export const findCustomization = async (
  db: Queryable,
  organizationId: string,
  { draft }: { draft: boolean },
): Promise<{ organizationName: string; brand: Brand } | null> => {
  const stored = await linkCustomizationStore.findBrand(db, organizationId, draft)
  if (!stored || !isServed(stored.organizationState)) return null
  return { organizationName: stored.organizationName, brand: brandOf(stored) }
}
