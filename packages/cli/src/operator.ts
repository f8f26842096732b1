import { hostname, userInfo } from 'node:os'
import {
  type AuditedChange,
  type Author,
  createAuditTrail,
  type Database,
  randomBase62,
  recordChange,
  type Vault,
} from '@carabiner/server/operator'
import { UsageError } from './output.ts'

/** Who runs a command, as far as the machine knows. The command's name is told, never its arguments. */
export const operator = (command: string): Author => ({
  actor: { type: 'operator', id: accountName(), hint: hostname() },
  sender: { address: null, userAgent: `carabiner ${command}` },
  requestId: `cmd_${randomBase62(16)}`,
})

/** A container may run under a number that has no name. */
const accountName = (): string => {
  try {
    return userInfo().username
  } catch {
    return `uid ${process.getuid?.() ?? 'unknown'}`
  }
}

type Change<T> = {
  organizationId: string
  command: string
  action: string
  describe?: (result: T) => Pick<AuditedChange, 'target' | 'changes'>
}

const warnOfBreak = (): void => {
  process.stderr.write(
    'Warning: the audit trail was changed outside this service. Run `carabiner audit verify`.\n',
  )
}

/** Before a command changes anything, it is in the audit trail that it is about to. */
export const recordCommand = <T>(
  { db, vault }: { db: Database; vault: Vault },
  { organizationId, command, action, describe }: Change<T>,
  run: () => Promise<T>,
): Promise<T> => {
  const target = { type: action.split('.')[0] as string, id: null }
  const change = { ...operator(command), organizationId, action, target, registeredUserId: null, changes: [] }
  const isRefusal = (error: unknown) => error instanceof UsageError
  const trail = createAuditTrail({ db, signer: vault.signer, onBreak: warnOfBreak })
  return recordChange(trail, change, { run, describe, isRefusal })
}
