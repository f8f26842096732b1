import type { Signer } from '../../../platform/vault/vault.ts'
import { type NamedRow, readHandle, writeHandle } from '../../pages/handle.ts'

const HANDLE_PURPOSE = 'connections-link'

/** The identifier of a link in page addresses. It contains none of its tokens. */
export const connectionsHandle = (signer: Signer, link: NamedRow): string =>
  writeHandle(signer, HANDLE_PURPOSE, link)

export const readConnectionsHandle = (signer: Signer, handle: string): NamedRow | null =>
  readHandle(signer, HANDLE_PURPOSE, handle)
