import { type BuildProgram, createProgram, type RegisterCommands, runs, topCommand } from '@carabiner/cli'
import { registerAuditTrail } from './audit/audit-commands.ts'
import { registerBackups } from './backups/backup-commands.ts'
import { registerConnectorFiles } from './connectors/connector-file-commands.ts'
import { registerDoctor } from './doctor/doctor-commands.ts'
import { registerCells } from './organizations/cell-commands.ts'
import { registerOrg } from './organizations/org-commands.ts'
import { registerPeople } from './people/people-commands.ts'
import { registerVaultKey } from './vault-key/vault-key-commands.ts'

const registerMigrate: RegisterCommands = (program, context) => {
  topCommand(program, 'migrate', 'operators', 'Bring the database up to date, without starting the service')
    .examples('carabiner migrate')
    .action(runs(context, async () => (await import('./database/with-database.ts')).applyMigrations(context)))
}

const registerStart: RegisterCommands = (program, context) => {
  topCommand(program, 'start', 'operators', 'Run the service until a signal stops it')
    .examples('carabiner start', 'PORT=8080 carabiner start')
    .action(
      runs(context, async () => {
        await import('@carabiner/server/main')
        return null
      }),
    )
}

/** In the order in which the help lists them. */
const FEATURES: readonly RegisterCommands[] = [
  registerStart,
  registerMigrate,
  registerOrg,
  registerPeople,
  registerVaultKey,
  registerBackups,
  registerDoctor,
  registerCells,
  registerAuditTrail,
  registerConnectorFiles,
]

/** All commands: those of the API, and those of operators on the database. */
export const createFullProgram: BuildProgram = context => {
  const program = createProgram(context)
  for (const register of FEATURES) register(program, context)
  return program
}
