import { type CredentialsAtRisk, MAX_AT_RISK } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { NIL_UUID } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { HealthReader } from '../risks/health-reader.ts'
import { atRiskStore } from './at-risk-store.ts'

type Deps = { db: Database; health: HealthReader }
type Entry = CredentialsAtRisk['data'][number]

const BATCH = 1000
/** Bounds a request in an organization whose credentials are all near a limit and not at risk. */
const MAX_BATCHES = 20

export const listAtRisk = async (
  { db, health }: Deps,
  owner: { organizationId: string; mode: Mode },
): Promise<CredentialsAtRisk> => {
  const found: Entry[] = []
  let after = NIL_UUID
  let isComplete = false
  for (let batch = 0; batch < MAX_BATCHES && found.length <= MAX_AT_RISK && !isComplete; batch++) {
    const candidates = await atRiskStore.ofOrganization(db, health, owner, { after, limit: BATCH })
    for (const candidate of candidates) {
      const [risk] = health.risksOf(candidate)
      if (!risk) continue
      found.push({
        credential_id: candidate.id,
        registered_user_id: candidate.registeredUserId,
        origin_user_id: candidate.originUserId,
        connector_slug: candidate.connectorSlug,
        label: candidate.label,
        account: candidate.account,
        reason: risk.reason,
        ends_at: risk.endsAt?.toISOString() ?? null,
      })
    }
    isComplete = candidates.length < BATCH
    after = candidates.at(-1)?.id ?? after
  }
  const sorted = found.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1))
  return { data: sorted.slice(0, MAX_AT_RISK), has_more: !isComplete || found.length > MAX_AT_RISK }
}

/** Those without a date come last. */
const orderOf = ({ ends_at, credential_id }: Entry): string => `${ends_at ?? '~'} ${credential_id}`
