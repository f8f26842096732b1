import { printable } from '@carabiner/cli'
import type { AuditEntry } from '@carabiner/contract'
import { type BreakKind, type ListedEntry, SERVICE_CHAIN, type Verdict } from '@carabiner/server/operator'

const KINDS: Record<BreakKind, string> = {
  changed: 'was changed',
  missing: 'is missing',
  forked: 'belongs to another chain',
  cut: 'was removed, with all entries after it',
  added: 'was added after the end',
  forged: 'ends a chain that was not written by this service',
}

const ORGANIZATION_ID_LENGTH = 36

const nameOf = (organizationId: string): string =>
  organizationId === SERVICE_CHAIN ? 'the service itself' : organizationId

export const describeVerdicts = (verdicts: Verdict[], chains: number): string => {
  const broken = verdicts.find(({ problem }) => problem)
  const entries = verdicts.reduce((sum, verdict) => sum + verdict.entries, 0)
  if (broken?.problem) {
    const { kind, sequence, text } = broken.problem
    return [
      `BROKEN (${kind}): entry ${sequence} of ${nameOf(broken.organizationId)} ${KINDS[kind]}: ${text}.`,
      `The ${entries} entries before it are intact. Compare with a backup, and check who can write to the database.`,
    ].join('\n')
  }
  return [
    `The audit trail is intact: ${entries} entries in ${chains} ${chains === 1 ? 'chain' : 'chains'}.`,
    ...verdicts
      .filter(({ head }) => head.sequence > 0)
      .map(({ organizationId, head }) => `  ${nameOf(organizationId)}  ${head.sequence}:${head.hash}`),
    ...verdicts
      .filter(({ unverifiedUntil }) => unverifiedUntil !== null)
      .map(
        ({ organizationId, unverifiedUntil }) =>
          `NOT VERIFIED: entries 1 to ${unverifiedUntil} of ${nameOf(organizationId)} were imported from an installation that is not known here. Nothing proves that they are what was recorded there.`,
      ),
    verdicts.every(({ isSealChecked }) => isSealChecked)
      ? 'Store these ends outside the database: later, --expect N:HASH proves that no entry up to there was removed or changed.'
      : 'The seals were not checked, so a trail that was rewritten completely or truncated is not detected.',
  ].join('\n')
}

export const forPrograms = (verdicts: Verdict[]) =>
  verdicts.map(({ organizationId, entries, head, isSealChecked, unverifiedUntil, problem }) => ({
    organization_id: organizationId,
    entries,
    head,
    seal_checked: isSealChecked,
    unverified_until: unverifiedUntil,
    problem,
  }))

/** For a list of several organizations. */
export const describeWithOrganization = (entry: ListedEntry): string =>
  `${nameOf(entry.organization_id).padEnd(ORGANIZATION_ID_LENGTH)}  ${describeEntry(entry)}`

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
