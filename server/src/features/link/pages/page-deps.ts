import type { Signer } from '../../../platform/vault/vault.ts'
import type { HealthReader } from '../../credentials/risks/health-reader.ts'
import type { PageLimits } from '../../pages/page-limits.ts'
import type { LinkDeps } from '../attempts/link-deps.ts'
import type { SessionStreams } from '../sessions/session-streams.ts'

export type PageDeps = LinkDeps & {
  health: HealthReader
  signer: Signer
  limits: PageLimits
  streams: SessionStreams
  linkUrl: string
  development: boolean
}
