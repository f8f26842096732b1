import {
  type AuthorizationType,
  type ConnectorFile,
  type CredentialHealth,
  type Lifetime,
  methodOf,
} from '@carabiner/contract'
import { DAY } from '../../../core/duration.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { OAuthApps } from '../../oauth/oauth-apps.ts'
import { credentialHealth, earliestRisks, type HealthFacts, type Risk, risksOf } from './credential-health.ts'
import type { StoredHealth } from './health-columns-store.ts'

type Credential = StoredHealth & {
  connectorSlug: string
  method: AuthorizationType
  oauthApp: string | null
  status: HealthFacts['status']
}

/** When a credential of a method may be at risk at the earliest, in days. Null: not by such a limit. */
export type LimitedMethod = {
  slug: string
  method: AuthorizationType
  ageDays: number | null
  idleDays: number | null
  testModeDays: number | null
}

/** The health of credentials by what is stored about them and by the files of their connectors. Nothing of it is stored. */
export type HealthReader = {
  healthOf(credential: Credential): CredentialHealth
  risksOf(credential: Credential): Risk[]
  limitedMethods: LimitedMethod[]
  /** The OAuth apps of the service that their providers have not published. */
  testModeApps: string[]
  /** Time before a known end from which on a credential is at risk. */
  warningDays: number
}

type Deps = {
  connectors: Pick<Connectors, 'findShipped' | 'catalog'>
  apps: Pick<OAuthApps, 'isInTestMode'>
  warningDays: number
}

export const createHealthReader = ({ connectors, apps, warningDays }: Deps): HealthReader => {
  const warningMs = warningDays * DAY
  const files = connectors.catalog.all()
  const lifetimeOf = ({ connectorSlug, method }: Credential): Lifetime | null => {
    const connector = connectors.findShipped(connectorSlug)
    return (connector && methodOf(connector, method)?.lifetime) ?? null
  }
  const factsOf = (credential: Credential): HealthFacts => ({
    ...credential,
    usesRefreshTokens: credential.method === 'oauth2',
    inTestMode: credential.ownAppInTestMode || apps.isInTestMode(credential.oauthApp),
  })
  return {
    warningDays,
    limitedMethods: files.flatMap(file => limitedMethods(file, warningMs)),
    testModeApps: files.map(({ slug }) => slug).filter(slug => apps.isInTestMode(slug)),
    healthOf: credential => {
      const { state, risk } = credentialHealth(factsOf(credential), lifetimeOf(credential), warningMs)
      return { state, reason: risk?.reason ?? null, ends_at: risk?.endsAt?.toISOString() ?? null }
    },
    risksOf: credential => risksOf(factsOf(credential), lifetimeOf(credential), warningMs),
  }
}

const limitedMethods = ({ slug, authorization }: ConnectorFile, warningMs: number): LimitedMethod[] =>
  authorization.flatMap(({ type, lifetime }) =>
    lifetime ? [{ slug, method: type, ...earliestRisks(lifetime, warningMs) }] : [],
  )
