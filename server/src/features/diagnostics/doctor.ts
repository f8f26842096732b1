import { SECOND } from '../../core/duration.ts'
import {
  clockCheck,
  connectionCheck,
  latencyCheck,
  migrationsCheck,
  poolingCheck,
  settingsCheck,
  versionCheck,
} from './checks/database-checks.ts'
import type { Check, DoctorContext, Finding, RunningContext } from './checks/finding.ts'
import { dashboardCheck, documentationCheck, signInCheck } from './checks/installation-checks.ts'
import { diskCheck, nodeCheck, tombstoneCheck } from './checks/machine-checks.ts'
import { baseUrlCheck, dnsCheck, linkUrlCheck, outboundCheck } from './checks/network-checks.ts'
import { tlsCheck } from './checks/tls-check.ts'
import { vaultKeyCheck } from './checks/vault-key-check.ts'
import { runChecks } from './run-checks.ts'

const CHECKS: readonly Check[] = [
  { name: 'settings', run: async () => ({ status: 'ok', found: 'all settings are valid' }) },
  nodeCheck,
  dashboardCheck,
  documentationCheck,
  signInCheck,
  connectionCheck,
  versionCheck,
  settingsCheck,
  poolingCheck,
  latencyCheck,
  clockCheck,
  migrationsCheck,
  vaultKeyCheck,
  diskCheck,
  tombstoneCheck,
  tlsCheck,
  dnsCheck,
  baseUrlCheck,
  linkUrlCheck,
  outboundCheck,
]

/** Checks the installation, and changes nothing. */
export const examine = (context: DoctorContext, timeoutMs?: number): Promise<Finding[]> =>
  runChecks(CHECKS, context, timeoutMs)

/** The checks that a running service can make of itself, without another connection. */
const RUNNING_CHECKS: readonly Check<RunningContext>[] = [
  nodeCheck,
  versionCheck,
  settingsCheck,
  latencyCheck,
  clockCheck,
  migrationsCheck,
  diskCheck,
  tombstoneCheck,
  tlsCheck,
]
const RUNNING_TIMEOUT_MS = 3 * SECOND

export const examineRunning = (context: RunningContext): Promise<Finding[]> =>
  runChecks(RUNNING_CHECKS, context, RUNNING_TIMEOUT_MS)

/** If the settings are invalid, nothing else can be checked. */
export const invalidSettings = (problems: string[]): Finding[] =>
  problems.map(found => ({
    check: 'settings',
    status: 'problem',
    found,
    fix: 'Correct the setting; docs/reference/configuration.md lists all of them.',
  }))
