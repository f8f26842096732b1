import { randomBase62 } from '../../../core/token.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import type { Envelope } from '../mcp-protocol/envelope.ts'
import { findRevision } from '../mcp-protocol/revisions.ts'

/** What a client negotiated in its handshake. The session ID contains it, so no node stores sessions and any node can answer. */
export type McpSession = Envelope & { id: string }

type Owner = { registeredUserId: string; toolPackId: string }

const PURPOSE = 'mcp-session'

/** A session ID is valid for one user and pack and authenticates nothing: every request carries its key. */
const signed = (body: string, { registeredUserId, toolPackId }: Owner): string =>
  [body, registeredUserId, toolPackId].join('|')

export const openSession = (
  signer: Signer,
  owner: Owner,
  { revision, opensUrls }: Omit<Envelope, 'takesTasks'>,
): McpSession => {
  const body = `${revision.name}_${opensUrls ? 'u' : 'n'}_${randomBase62(16)}`
  const signature = signer.sign(PURPOSE, signed(body, owner)).toString('base64url')
  return { id: `${body}_${signature}`, revision, opensUrls, takesTasks: false }
}

const SHAPE = /^((\d{4}-\d{2}-\d{2})_([un])_[0-9A-Za-z]{16})_([\w-]{22})$/

/** Null if it was not issued by this service for this user and pack. */
export const readSession = (signer: Signer, owner: Owner, id: string): McpSession | null => {
  const [, body = '', name, flag, signature = ''] = SHAPE.exec(id) ?? []
  const revision = findRevision(name)
  if (!revision?.hasSessions) return null
  if (!signer.verify(PURPOSE, signed(body, owner), Buffer.from(signature, 'base64url'))) return null
  return { id, revision, opensUrls: flag === 'u', takesTasks: false }
}
