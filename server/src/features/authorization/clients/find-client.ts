import type { Signer } from '../../../platform/vault/vault.ts'
import { isClientDocumentUrl } from './client-document.ts'
import type { ClientDocuments, FoundClient } from './client-documents.ts'
import { readRegisteredClient } from './registered-client.ts'

type Requester = { organizationId: string; network: string }

/** A client ID is the URL of the client's metadata, or was returned by a registration. */
export const findClient = async (
  { clientDocuments, signer }: { clientDocuments: ClientDocuments; signer: Signer },
  { organizationId, network }: Requester,
  id: string,
): Promise<FoundClient> =>
  isClientDocumentUrl(id)
    ? clientDocuments.find(id, network)
    : readRegisteredClient(signer, organizationId, id)
