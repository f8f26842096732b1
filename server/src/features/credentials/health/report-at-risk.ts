import { NIL_UUID } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { credentialStore } from '../credential-store.ts'
import type { Risk } from '../risks/credential-health.ts'
import type { HealthReader } from '../risks/health-reader.ts'
import { atRiskStore, type Candidate } from './at-risk-store.ts'

const BATCH = 500

type Deps = { db: Database; health: HealthReader }

/** Announces each risk of each credential once. Finds the credentials of all organizations, in the order of their IDs. */
export const reportAtRisk = async ({ db, health }: Deps): Promise<void> => {
  const limitedKeys = health.limitedMethods.filter(({ method }) => method !== 'oauth2')
  if (limitedKeys.length > 0)
    await atRiskStore.noteUses(db, [...new Set(limitedKeys.map(({ slug }) => slug))])
  let last: Pick<Candidate, 'organizationId' | 'id'> = { organizationId: NIL_UUID, id: NIL_UUID }
  for (;;) {
    const candidates = await atRiskStore.after(db, health, last, BATCH)
    for (const candidate of candidates)
      for (const risk of health.risksOf(candidate))
        if (!candidate.announcedRisks.includes(risk.id)) await announce(db, candidate, risk)
    const latest = candidates.at(-1)
    if (!latest || candidates.length < BATCH) return
    last = latest
  }
}

const announce = (db: Database, candidate: Candidate, risk: Risk): Promise<void> =>
  db.transaction(async tx => {
    const { organizationId, registeredUserId, connectorSlug, id } = candidate
    await credentialStore.lockUser(tx, organizationId, registeredUserId)
    const announced = await atRiskStore.announce(tx, candidate, risk.id)
    if (!announced) return
    const payload = {
      credential_id: id,
      connector_slug: connectorSlug,
      label: announced.label,
      reason: risk.reason,
      ends_at: risk.endsAt?.toISOString() ?? null,
    }
    await recordEvent(tx, { organizationId, registeredUserId, type: 'credential.at_risk', payload })
  })
