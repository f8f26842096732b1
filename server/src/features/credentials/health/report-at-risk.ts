import type { Database } from '../../../platform/database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import { credentialStore } from '../credential-store.ts'
import type { Risk } from '../risks/credential-health.ts'
import type { HealthReader } from '../risks/health-reader.ts'
import { atRiskSearches, type Candidate, pagesOf } from './at-risk-search-store.ts'
import { atRiskStore } from './at-risk-store.ts'

const BATCH = 500

type Deps = { db: Database; health: HealthReader }

/** Announces each risk of each credential once, in all organizations. Reads only credentials that may be at risk. */
export const reportAtRisk = async ({ db, health }: Deps): Promise<void> => {
  const limitedKeys = health.limitedMethods.filter(({ method }) => method !== 'oauth2')
  if (limitedKeys.length > 0)
    await atRiskStore.noteUses(db, [...new Set(limitedKeys.map(({ slug }) => slug))])
  for (const search of await atRiskSearches(db, health))
    for await (const candidates of pagesOf(db, search, BATCH))
      for (const candidate of candidates)
        for (const risk of health.risksOf(candidate))
          if (!candidate.announcedRisks.includes(risk.id)) await announce(db, candidate, risk)
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
