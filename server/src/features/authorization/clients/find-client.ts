import type { Egress } from '../../../platform/egress/egress.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { fetchClientDocument, isClientDocumentUrl } from './client-document.ts'
import type { OAuthClient } from './oauth-client.ts'
import { readRegisteredClient } from './registered-client.ts'

/** A client ID is the URL of the client's metadata, or was returned by a registration. */
export const findClient = async (
  { egress, signer }: { egress: Egress; signer: Signer },
  organizationId: string,
  id: string,
): Promise<OAuthClient | null> =>
  isClientDocumentUrl(id)
    ? fetchClientDocument(egress.onBehalfOf(organizationId), id)
    : readRegisteredClient(signer, organizationId, id)
