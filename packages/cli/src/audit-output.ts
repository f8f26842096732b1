import type { AuditEntry } from '@carabiner/contract'
import { type BreakKind, type ListedEntry, SERVICE_CHAIN, type Verdict } from '@carabiner/server/operator'

const KINDS: Record<BreakKind, string> = {
  changed: 'was changed',
  missing: 'is missing',
  forked: 'belongs to another chain',
  cut: 'was cut off, with all that came after it',
  added: 'was added behind the end',
  forged: 'ends a chain that this service did not write',
}

const ID_LENGTH = 36

const nameOf = (organizationId: string): string =>
  organizationId === SERVICE_CHAIN ? 'the service itself' : organizationId

export const describeVerdicts = (verdicts: Verdict[], chains: number): string => {
  const broken = verdicts.find(({ problem }) => problem)
  const entries = verdicts.reduce((sum, verdict) => sum + verdict.entries, 0)
  if (broken?.problem) {
    const { kind, sequence, text } = broken.problem
    return [
      `BROKEN (${kind}): entry ${sequence} of ${nameOf(broken.organizationId)} ${KINDS[kind]}: ${text}.`,
      `Up to there ${entries} entries are whole. Compare with a back-up, and find out who could write to the database.`,
    ].join('\n')
  }
  return [
    `The audit trail is whole: ${entries} entries in ${chains} ${chains === 1 ? 'chain' : 'chains'}.`,
    ...verdicts
      .filter(({ head }) => head.sequence > 0)
      .map(({ organizationId, head }) => `  ${nameOf(organizationId)}  ${head.sequence}:${head.hash}`),
    verdicts.every(({ isSealChecked }) => isSealChecked)
      ? 'Keep these ends outside of the database: --expect N:HASH proves later that nothing up to there was cut or rewritten.'
      : 'The seals were not checked: whoever wrote all of it anew, or cut its end, is not found out.',
  ].join('\n')
}

export const forPrograms = (verdicts: Verdict[]) =>
  verdicts.map(({ organizationId, entries, head, isSealChecked, problem }) => ({
    organization_id: organizationId,
    entries,
    head,
    seal_checked: isSealChecked,
    problem,
  }))

/** User agents and names come from outside: nothing of them may steer a terminal. */
const printable = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, '�')

/** For a list that mixes organizations. */
export const describeWithOrganization = (entry: ListedEntry): string =>
  `${nameOf(entry.organization_id).padEnd(ID_LENGTH)}  ${describeEntry(entry)}`

export const describeEntry = (entry: AuditEntry): string => {
  const { actor, from, target } = entry
  const fields = entry.changes.map(({ field, from: old, to }) =>
    to === undefined ? field : `${field}: ${old === undefined ? '' : `${String(old)} → `}${String(to)}`,
  )
  return printable(
    [
      String(entry.sequence).padStart(6),
      entry.at,
      entry.action + (entry.outcome === 'done' ? '' : ` (${entry.outcome})`),
      target.id ?? '–',
      `by ${actor.type} ${actor.id}${actor.hint ? ` ${actor.hint}` : ''}`,
      `from ${from.address ?? from.user_agent ?? '–'}`,
      ...(fields.length > 0 ? [fields.join(', ')] : []),
    ].join('  '),
  )
}
