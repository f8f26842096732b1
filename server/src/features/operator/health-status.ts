import type { InstallationHealth } from '@carabiner/contract'

export type HealthCheck = InstallationHealth['checks'][number]
export type HealthStatus = InstallationHealth['status']

const ORDER: readonly HealthStatus[] = ['ok', 'warning', 'problem']

export const worst = (checks: readonly { status: HealthStatus }[]): HealthStatus =>
  ORDER[Math.max(0, ...checks.map(({ status }) => ORDER.indexOf(status)))] as HealthStatus
