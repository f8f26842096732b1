import { createHash } from 'node:crypto'
import type { AuditedChange, AuditOutcome, FieldChange } from '../../core/audited-change.ts'
import { NIL_UUID } from '../../core/uuid.ts'
import type { Signer } from '../../platform/vault/vault.ts'

/** Entries that belong to no organization, such as key rotations, have their own chain. */
export const SERVICE_CHAIN = NIL_UUID

export type AuditEntry = AuditedChange & {
  sequence: number
  at: Date
  outcome: AuditOutcome
  previous: Buffer
  hash: Buffer
}

/** The end of a chain, which the next entry extends. */
export type Head = { organizationId: string; sequence: number; hash: Buffer; at: Date }

/**
 * A head as stored. `brokenAt` is the first entry appended after the seal of its predecessor failed to verify. Entries up to
 * `unverifiedUntil` were imported from an installation that the operator does not know.
 */
export type StoredHead = Head & { seal: Buffer; brokenAt: number | null; unverifiedUntil: number | null }

export const FIRST_PREVIOUS = Buffer.alloc(32)
const FORMAT = 'carabiner-audit-1'
const SEAL_PURPOSE = 'audit-head'
/** A separate purpose, so that a seal made after a break cannot be used as the seal of an intact chain. */
const BROKEN_SEAL_PURPOSE = 'audit-head-broken'

/**
 * The text that is hashed: a JSON array in a fixed order, so that fields cannot be confused. It is built here and not in
 * SQL, so that an export can be verified without a database.
 */
export const canonicalText = (entry: Omit<AuditEntry, 'previous' | 'hash'>): string =>
  JSON.stringify([
    FORMAT,
    entry.organizationId,
    entry.sequence,
    entry.at.toISOString(),
    entry.action,
    entry.outcome,
    [entry.target.type, entry.target.id],
    entry.registeredUserId,
    [entry.actor.type, entry.actor.id, entry.actor.hint],
    [entry.sender.address, entry.sender.userAgent],
    entry.requestId,
    entry.changes.map(canonicalChange),
  ])

// A missing value and null are distinguished as [] and [null].
const canonicalChange = ({ field, from, to }: FieldChange) => [
  field,
  from === undefined ? [] : [from],
  to === undefined ? [] : [to],
]

export const hashEntry = (entry: Omit<AuditEntry, 'hash'>): Buffer =>
  createHash('sha256').update(entry.previous).update(canonicalText(entry), 'utf8').digest()

export const linkEntry = (head: Head, change: AuditedChange, outcome: AuditOutcome): AuditEntry => {
  const entry = { ...change, outcome, sequence: head.sequence + 1, at: head.at, previous: head.hash }
  return { ...entry, hash: hashEntry(entry) }
}

/**
 * The sequence number of the entry where the chain is broken, or null. A head without entries is accepted only for a new
 * chain; otherwise deleting a whole chain would start a valid one.
 */
export const findBreak = (
  signer: Signer,
  head: StoredHead,
  { allowNew }: { allowNew: boolean },
): number | null => {
  if (head.brokenAt !== null) return head.brokenAt
  const isNew = head.sequence === 0 && head.hash.equals(FIRST_PREVIOUS)
  const isIntact = isNew ? allowNew : isSealOf(signer, head, head.seal)
  return isIntact ? null : head.sequence + 1
}

type SealedPart = {
  organizationId: string
  sequence: number
  hash: Buffer
  unverifiedUntil: number | null
}

const sealedText = ({ organizationId, sequence, hash, unverifiedUntil }: SealedPart): string =>
  `${organizationId}.${sequence}.${hash.toString('hex')}${unverifiedUntil === null ? '' : `.unverified-${unverifiedUntil}`}`

export const sealHead = (signer: Signer, head: SealedPart): Buffer =>
  signer.sign(SEAL_PURPOSE, sealedText(head))

/** Seals the head of a broken chain together with the position of the break. */
export const sealBrokenHead = (signer: Signer, head: SealedPart, brokenAt: number): Buffer =>
  signer.sign(BROKEN_SEAL_PURPOSE, `${sealedText(head)}.${brokenAt}`)

export const isSealOf = (signer: Signer, head: SealedPart, seal: Buffer): boolean =>
  signer.verify(SEAL_PURPOSE, sealedText(head), seal)
