import { hostname, userInfo } from 'node:os'
import { CommandError } from '@carabiner/cli'
import {
  ArchiveRefusal,
  type AuditedChange,
  type Author,
  createAuditTrail,
  type Database,
  randomBase62,
  recordChange,
  type Vault,
} from '@carabiner/server/operator'

/**
 * The account that runs a command, as far as the machine knows it. The command's name is recorded, never its
 * arguments.
 */
export const operator = (command: string): Author => ({
  actor: { type: 'operator', id: accountName(), hint: hostname() },
  sender: { address: null, userAgent: `carabiner ${command}` },
  requestId: `cmd_${randomBase62(16)}`,
})

/** A container may run under a user ID without a name. */
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

const warnAboutBreak = (): void => {
  process.stderr.write(
    'Warning: the audit trail was changed outside this service. Run `carabiner audit verify`.\n',
  )
}

/** Records the command in the audit trail before it changes anything. */
export const recordCommand = <T>(
  { db, vault }: { db: Database; vault: Vault },
  { organizationId, command, action, describe }: Change<T>,
  run: () => Promise<T>,
): Promise<T> => {
  const target = { type: action.split('.')[0] as string, id: null }
  const change = { ...operator(command), organizationId, action, target, registeredUserId: null, changes: [] }
  const isRefusal = (error: unknown) => error instanceof CommandError || error instanceof ArchiveRefusal
  const trail = createAuditTrail({ db, signer: vault.signer, onBreak: warnAboutBreak })
  return recordChange(trail, change, { run, describe, isRefusal })
}
