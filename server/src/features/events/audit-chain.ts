import { createHash } from 'node:crypto'
import type { AuditedChange, AuditOutcome, FieldChange } from '../../core/audited-change.ts'
import { NIL_UUID } from '../../core/uuid.ts'
import type { Signer } from '../../platform/vault/vault.ts'

/** What concerns no organization, such as the rotation of keys, has a chain of its own. */
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

/** A head as stored. `brokenAt` is the first entry appended after the seal of its predecessor failed to verify. */
export type StoredHead = Head & { seal: Buffer; brokenAt: number | null }

export const FIRST_PREVIOUS = Buffer.alloc(32)
const FORMAT = 'carabiner-audit-1'
const SEAL_PURPOSE = 'audit-head'
/** A purpose of its own, so that a seal made after a break can never be passed off as the seal of a whole chain. */
const BROKEN_SEAL_PURPOSE = 'audit-head-broken'

/**
 * What is hashed: a JSON array in this order, so that no field can be taken for another. Made here and nowhere else: the seal
 * needs this process anyway, and whoever has an export can make the same bytes without a database.
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

// No value and null are told apart: [] and [null].
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
 * The entry at which the chain counts as broken, or null. A head without any entry is only accepted where a chain begins:
 * otherwise deleting a whole chain would start an unblemished one.
 */
export const findBreak = (
  signer: Signer,
  head: StoredHead,
  { mayBegin }: { mayBegin: boolean },
): number | null => {
  if (head.brokenAt !== null) return head.brokenAt
  const isNew = head.sequence === 0 && head.hash.equals(FIRST_PREVIOUS)
  const isSound = isNew ? mayBegin : isSealOf(signer, head, head.seal)
  return isSound ? null : head.sequence + 1
}

type SealedPart = { organizationId: string; sequence: number; hash: Buffer }

const sealedText = ({ organizationId, sequence, hash }: SealedPart): string =>
  `${organizationId}.${sequence}.${hash.toString('hex')}`

export const sealHead = (signer: Signer, head: SealedPart): Buffer =>
  signer.sign(SEAL_PURPOSE, sealedText(head))

/** Seals the head of a broken chain together with the place of the break. */
export const sealBrokenHead = (signer: Signer, head: SealedPart, brokenAt: number): Buffer =>
  signer.sign(BROKEN_SEAL_PURPOSE, `${sealedText(head)}.${brokenAt}`)

export const isSealOf = (signer: Signer, head: SealedPart, seal: Buffer): boolean =>
  signer.verify(SEAL_PURPOSE, sealedText(head), seal)
